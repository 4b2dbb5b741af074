"""The ids that a vector table uses, and those of the tables: one record, several spellings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.index.graph import Rows
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.schema import OWNERS, TableName
from graphrag_cli.index.vectors.source import VectorSource

if TYPE_CHECKING:
    from graphrag_cli.config.settings import VectorName
    from graphrag_cli.index.snapshot import Snapshot

SAMPLE = 200
"""So many ids, spread over the table, are compared with those of the tables when it is opened."""


class IdSpace:
    """The ids of the records that vectors belong to. Dashes and case do not matter; an entity's title is accepted."""

    def __init__(self, snapshot: Snapshot, name: VectorName) -> None:
        self._snapshot = snapshot
        self._table: TableName = OWNERS[name]

    def rows(self, ids: Sequence[str]) -> Rows:
        """Row of each id as a vector table spells it; -1 where there is no such record."""
        found = self._by_id(ids)
        lost = np.flatnonzero(found < 0)
        if len(lost) and self._table == "entities":
            found[lost] = self._snapshot.entity_rows_by_title([ids[place] for place in lost.tolist()])
        if len(lost) and self._table == "reports":
            found[lost] = self._by_community([ids[place] for place in lost.tolist()])
        return found

    def _by_id(self, ids: Sequence[str]) -> Rows:
        match self._table:
            case "entities":
                return self._snapshot.entity_rows_by_id(ids)
            case "reports":
                return self._snapshot.report_rows_by_id(ids)
            case _:
                return self._snapshot.text_unit_rows_by_id(ids)

    def _by_community(self, ids: Sequence[str]) -> Rows:
        """Some releases key report vectors by the community's number."""
        numbers = [int(key) if key.isdecimal() and len(key) < 18 else -1 for key in ids]
        return self._snapshot.report_rows_by_community(numbers)

    def ids(self, rows: Rows) -> list[str]:
        """Ids as the tables spell them."""
        return convert.strings(convert.take(self._snapshot.tables.column(self._table, "id"), rows))

    def spellings(self, ids: Sequence[str]) -> list[tuple[str, ...]]:
        """For each id of the tables, how a vector table may spell it, undashed and in lower case."""
        plain = [(key.replace("-", "").lower(),) for key in ids]
        if self._table != "entities":
            return plain
        rows = self._snapshot.entity_rows_by_id(ids)
        titles = convert.strings(
            convert.take(self._snapshot.tables.column("entities", "title"), np.maximum(rows, 0))
        )
        return [
            (*own, title.replace("-", "").lower()) if row >= 0 else own
            for own, title, row in zip(plain, titles, rows, strict=True)
        ]


def overlap(source: VectorSource, space: IdSpace) -> float:
    """Share of a sample of the source's ids that are records of the index."""
    ids = source.ids()
    places = np.unique(np.linspace(0, len(ids) - 1, min(SAMPLE, len(ids))).astype(np.int64))
    sample = convert.strings(convert.take(ids, places))
    return float((space.rows(sample) >= 0).mean()) if sample else 0.0
