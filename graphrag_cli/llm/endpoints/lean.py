"""Imports the openai SDK without the four hundred modules of types that a run never looks at.

``import openai`` loads the types of every service that OpenAI offers: 0.3 s of the half second that the import
takes. The packages that hold them do nothing but import names from their modules, so inside ``members_on_demand`` such
a package imports a name when it is first asked for. Whatever is not of that form is imported as always.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

PACKAGES = ("openai.types",)
"""These, and every package inside them."""


@contextmanager
def members_on_demand() -> Generator[None]:
    """Packages of ``PACKAGES`` that are imported inside, and their names later, cost what is used of them."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    """Gives packages of types another loader, and leaves everything else to the other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual spec with the other loader; None for what is not ours."""
        del target
        if not any(fullname == name or fullname.startswith(f"{name}.") for name in PACKAGES):
            return None
        spec = PathFinder.find_spec(fullname, path)
        is_source_package = spec is not None and spec.submodule_search_locations and spec.has_location
        if spec is None or not is_source_package or not isinstance(spec.loader, SourceFileLoader):
            return None
        spec.loader = _Loader(fullname, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs a package that only imports names as a table of these names."""

    def exec_module(self, module: ModuleType) -> None:
        """Fills the module, or runs it when it does more than import."""
        homes = imported_names(self.get_source(module.__name__) or "")
        if homes is None:
            super().exec_module(module)
            return

        def lazily(name: str) -> object:
            if name not in homes:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            home, own = homes[name]
            value = getattr(importlib.import_module(home, module.__name__), own)
            setattr(module, name, value)
            return value

        setattr(module, "__getattr__", lazily)  # noqa: B010  (a module's own hook; no static name fits)


def imported_names(source: str) -> dict[str, tuple[str, str]] | None:
    """Per name the relative module it comes from and its name there; None when ``source`` does anything else."""
    homes: dict[str, tuple[str, str]] = {}
    for statement in ast.parse(source).body:
        match statement:
            case ast.ImportFrom(module="__future__") | ast.Expr(value=ast.Constant()):
                continue
            case ast.ImportFrom(module=str(home), names=names, level=1):
                homes |= {alias.asname or alias.name: (f".{home}", alias.name) for alias in names}
            case _:
                return None
    return None if "*" in homes else homes
