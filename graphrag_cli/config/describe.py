"""The documentation of every key, for the tables in the docs and for completion in the shell.

A key is documented by the text under it in the source of the settings tree, which is read here and nowhere else.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from graphrag_cli.config.schema import allowed, entry_names, entry_type, section_of
from graphrag_cli.config.settings import Settings

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from graphrag_cli.config.base import Section


@dataclass(frozen=True, slots=True)
class KeyDoc:
    """One key: ``dotted`` has ``<id>`` in the place of a free name."""

    dotted: str
    type: str
    """What may stand there, in words."""
    default: str
    """As YAML; empty where the key must be given."""
    doc: str


def keys() -> list[KeyDoc]:
    """Every key of the settings, in the order of the tree."""
    return list(_keys(Settings, ""))


def _keys(section: type[Section], prefix: str) -> Iterator[KeyDoc]:
    for name, field in section.model_fields.items():
        if section is Settings and name == "root":
            continue
        dotted = f"{prefix}{name}"
        entry = entry_type(field.annotation)
        inner = section_of(entry if entry is not None else field.annotation)
        if entry is not None and inner is not None:
            for free in entry_names(field.annotation) or ("<id>",):
                yield from _keys(inner, f"{dotted}.{free}.")
        elif inner is not None:
            yield from _keys(inner, f"{dotted}.")
        else:
            yield KeyDoc(dotted, allowed(field), _default(field), _doc(section, name))


def _default(field: FieldInfo) -> str:
    value = cast("object", field.get_default(call_default_factory=True, validated_data={}))
    if value is PydanticUndefined:
        return ""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, BaseModel) or value in ({}, ()):
        return "[]" if value == () else "{}"
    return str(value)


def _doc(section: type[Section], name: str) -> str:
    for cls in section.__mro__:
        if text := _docs_of(cls.__module__).get((cls.__name__, name)):
            return " ".join(text.split())
    return ""


@cache
def _docs_of(module: str) -> dict[tuple[str, str], str]:
    """Texts under the attributes of the classes of ``module``, by class and attribute."""
    file = sys.modules[module].__file__
    if file is None or not module.startswith("graphrag_cli."):
        return {}
    docs: dict[tuple[str, str], str] = {}
    for cls in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        if not isinstance(cls, ast.ClassDef):
            continue
        for statement, following in zip(cls.body, cls.body[1:], strict=False):
            match statement, following:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    docs[(cls.name, name)] = text
                case _:
                    pass
    return docs
