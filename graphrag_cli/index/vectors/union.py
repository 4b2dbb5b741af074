"""The vector tables of several indexes, searched as one; ids carry the index's name (``polar:1f3c…``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.errors import VectorError
from graphrag_cli.index.vectors.base import Hits, VectorTable, VectorTables

if TYPE_CHECKING:
    from graphrag_cli.config.settings import VectorName


class UnionVectors:
    """The vector tables of several indexes, searched as one."""

    def __init__(self, tables: Mapping[str, VectorTables]) -> None:
        self._tables = dict(tables)

    def open(self, name: VectorName) -> VectorTable:
        """The tables of all indexes that have one; see ``lacking`` for the others.

        Raises ``VectorError`` when none has, or when two have vectors of different widths.
        """
        opened, failed = self._open(name)
        if not opened:
            raise next(iter(failed.values()))
        return _UnionTable(opened)

    def lacking(self, name: VectorName) -> Mapping[str, VectorError]:
        """Why some of the indexes take no part in a search, by name."""
        return self._open(name)[1]

    def _open(self, name: VectorName) -> tuple[dict[str, VectorTable], dict[str, VectorError]]:
        opened: dict[str, VectorTable] = {}
        failed: dict[str, VectorError] = {}
        for part, tables in self._tables.items():
            try:
                opened[part] = tables.open(name)
            except VectorError as error:
                failed[part] = error
        return opened, failed


class _UnionTable:
    def __init__(self, tables: Mapping[str, VectorTable]) -> None:
        self._tables = tables
        widths = {part: table.width for part, table in tables.items()}
        if len(set(widths.values())) > 1:
            told = ", ".join(f"{part}: {width}" for part, width in widths.items())
            raise VectorError(
                f"the indexes have vectors of different widths ({told})",
                hint="build vectors of one model for all of them, index by index: graphrag-cli index embed --data DIR",
            )

    @property
    def name(self) -> str:
        """Names of the tables, by index."""
        return ", ".join(f"{part}:{table.name}" for part, table in self._tables.items())

    @property
    def width(self) -> int:
        """The width that all have."""
        return next(iter(self._tables.values())).width

    @property
    def rows(self) -> int:
        """Rows of all together."""
        return sum(table.rows for table in self._tables.values())

    def search(
        self, queries: NDArray[np.float32], k: int, *, only: Sequence[str] | None = None
    ) -> list[Hits]:
        """The ``k`` nearest over all indexes; equal similarities in the order of the indexes."""
        found = {
            part: table.search(queries, k, only=_own(part, only)) for part, table in self._tables.items()
        }
        return [_nearest({part: hits[at] for part, hits in found.items()}, k) for at in range(len(queries))]

    def vectors_of(self, ids: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """See ``VectorTable``; ids are ``index:id``."""
        vectors = np.zeros((len(ids), self.width), np.float32)
        there = np.zeros(len(ids), np.bool_)
        for part, table in self._tables.items():
            places = [at for at, key in enumerate(ids) if key.startswith(f"{part}:")]
            if places:
                own = [ids[at].removeprefix(f"{part}:") for at in places]
                vectors[places], there[places] = table.vectors_of(own)
        return vectors, there


def _own(part: str, ids: Sequence[str] | None) -> list[str] | None:
    if ids is None:
        return None
    return [key.removeprefix(f"{part}:") for key in ids if key.startswith(f"{part}:")]


def _nearest(hits: Mapping[str, Hits], k: int) -> Hits:
    merged = sorted(
        (
            (-similarity, f"{part}:{key}")
            for part, found in hits.items()
            for key, similarity in zip(found.ids, found.similarities, strict=True)
        ),
        key=lambda one: one[0],
    )[:k]
    return Hits(tuple(key for _, key in merged), tuple(-similarity for similarity, _ in merged))
