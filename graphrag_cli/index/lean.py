"""Keeps pandas out of a process that does not need it.

Arrow looks for pandas when it makes its first array, and lance when it is imported; where pandas is installed,
that is 0.3 s and 50 MB for nothing. Inside ``without_pandas`` they find none, and do without.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Refusal(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raises for pandas, and leaves everything else to the other finders."""
        del path, target
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is left out of this process on purpose", name=fullname)
        return None


@contextmanager
def without_pandas() -> Generator[None]:
    """For the whole run of a command: pandas cannot be imported inside, unless it was before.

    Arrow remembers that it found none, so this is for a process of our own, not for a library call.
    """
    refusal = _Refusal()
    sys.meta_path.insert(0, refusal)
    try:
        yield
    finally:
        sys.meta_path.remove(refusal)
