"""What a search over vectors is asked and answers: two protocols and a value.

Opened by ``index_vectors.IndexVectors``: by name, read-only, checked before any model is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.config.settings import VectorName


@dataclass(frozen=True, slots=True)
class Hits:
    """Nearest records of one query vector, most similar first: ids, and cosine similarities in [-1, 1]."""

    ids: tuple[str, ...]
    similarities: tuple[float, ...]


class VectorTable(Protocol):
    """One table of vectors."""

    @property
    def name(self) -> str:
        """Name of the table as found in the store."""
        ...

    @property
    def width(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def rows(self) -> int:
        """How many it holds."""
        ...

    def search(
        self, queries: NDArray[np.float32], k: int, *, only: Sequence[str] | None = None
    ) -> list[Hits]:
        """The ``k`` nearest of each query; shape of ``queries``: ``(n, width)``.

        The ids are those of the tables. ``only`` narrows to these ids. Ties are broken by position in the
        table. Raises ``VectorError`` on a wrong width.
        """
        ...

    def vectors_of(self, ids: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Vectors of ``ids``, shape ``(len(ids), width)``, and which were found (rows not found are zero)."""
        ...


class VectorTables(Protocol):
    """The vector tables of an index; each opened when first asked for."""

    def open(self, name: VectorName) -> VectorTable:
        """Raises ``VectorError`` naming what was looked for and where, when missing, empty, or of other tables' ids."""
        ...


KNOWN_WIDTHS: Final = {
    1536: "text-embedding-3-small or text-embedding-ada-002",
    3072: "text-embedding-3-large",
    384: "all-MiniLM-L6-v2",
    768: "nomic-embed-text",
    1024: "bge-m3 or mxbai-embed-large",
}


def made_by(width: int) -> str:
    """Which models make vectors of a width, as a clause; empty when none is known."""
    return f", as {KNOWN_WIDTHS[width]} makes" if width in KNOWN_WIDTHS else ""
