"""How sound the tables of an index are: what dangles, what is doubled, what is empty. Counted, never repaired.

Everything here is survived by a query; ``index check`` tells it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index import arrow, graph, links
from graphrag_cli.index.arrow import Array, Chunked, pc
from graphrag_cli.index.graph import Rows
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.schema import TableName


@dataclass(frozen=True, slots=True)
class Part:
    """``count`` of ``total`` have the defect; ``examples`` are a few ids or titles of those that do."""

    count: int
    total: int
    examples: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 when there is nothing to count."""
        return self.count / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """Defects of the tables, each a part of what could have it."""

    endpoints_unknown: Part
    """Relationship ends whose title is no entity."""
    members_unknown: Part
    """Members of communities that are no entity."""
    units_unknown: Part
    """Text units named by entities that are not there."""
    documents_unknown: Part
    """Text units whose document is not there."""
    claims_unbound: Part
    """Claims whose subject is no entity."""
    claims_unsourced: Part
    """Claims whose text unit is not there."""
    entities_homeless: Part
    """Entities in no community."""
    entities_unsourced: Part
    """Entities that lead to no text unit."""
    entities_isolated: Part
    """Entities without a relationship."""
    communities_empty: Part
    """Communities without an entity."""
    communities_unreported: Part
    """Communities without a report."""
    reports_unbound: Part
    """Reports whose community is not there."""
    reports_empty: Part
    """Reports without content."""
    descriptions_empty: Part
    """Entities without a description."""
    texts_empty: Part
    """Text units without text."""
    titles_doubled: Part
    """Entities whose title another has too."""
    entity_numbers_doubled: Part
    """Entities whose citation number another has too."""
    relationship_numbers_doubled: Part
    """Relationships whose citation number another has too."""


def examine(snapshot: Snapshot) -> IndexHealth:
    """Counts the defects. Reads whole columns of ids and of texts: for a check, not for a query."""
    tables = snapshot.tables
    source, target = snapshot.links.endpoints()
    ends = np.concatenate([source, target])
    names = [tables.column("relationships", name) for name in ("source", "target")]
    tree = snapshot.links.tree()
    inside = snapshot.links.deepest("deepest")
    numbers = snapshot.links.numbers("reports", "community")
    return IndexHealth(
        endpoints_unknown=_lost_ends(ends, names),
        members_unknown=_lost_members(snapshot),
        units_unknown=_lost_items(snapshot, "entities", "text_unit_ids", "text_units"),
        documents_unknown=_lost_keys(
            snapshot, "text_units", "document_id", snapshot.links.document_of_unit()
        ),
        claims_unbound=_lost_subjects(snapshot),
        claims_unsourced=_lost_keys(snapshot, "claims", "text_unit_id", snapshot.links.unit_of_claim()),
        entities_homeless=_marked(snapshot, "entities", "title", inside < 0),
        entities_unsourced=_marked(
            snapshot, "entities", "title", snapshot.links.units_of_entity().counts == 0
        ),
        entities_isolated=_marked(
            snapshot, "entities", "title", snapshot.links.relationships_of().counts == 0
        ),
        communities_empty=_numbered(tree.numbers, (tree.numbers >= 0) & (tree.members().counts == 0)),
        communities_unreported=_unreported(snapshot, tree.numbers[tree.numbers >= 0]),
        reports_unbound=_marked(snapshot, "reports", "title", tree.rows(numbers) < 0),
        reports_empty=_blank(snapshot, "reports", "content", "title"),
        descriptions_empty=_blank(snapshot, "entities", "description", "title"),
        texts_empty=_blank(snapshot, "text_units", "text", "id"),
        titles_doubled=_doubled_titles(snapshot),
        entity_numbers_doubled=_doubled(snapshot.links.numbers("entities", "number")),
        relationship_numbers_doubled=_doubled(snapshot.links.numbers("relationships", "number")),
    )


_EXAMPLES = 3


def _shown(column: Chunked, places: Rows) -> tuple[str, ...]:
    return tuple(convert.strings(convert.take(column, places[:_EXAMPLES])))


def _marked(snapshot: Snapshot, table: TableName, name: str, marked: NDArray[np.bool_]) -> Part:
    places = np.flatnonzero(marked)
    return Part(len(places), len(marked), _shown(snapshot.tables.column(table, name), places))


def _lost_ends(ends: Rows, names: list[Chunked]) -> Part:
    lost = np.flatnonzero(ends < 0)
    half = len(ends) // 2
    shown = (*_shown(names[0], lost[lost < half]), *_shown(names[1], lost[lost >= half] - half))
    return Part(len(lost), len(ends), tuple(dict.fromkeys(shown))[:_EXAMPLES])


def _lost_items(snapshot: Snapshot, table: TableName, name: str, target: TableName) -> Part:
    column = snapshot.tables.column(table, name)
    _, rows = graph.resolve_lists(column.chunks, snapshot.tables.column(target, "id"))
    return _lost_of(column, rows)


def _lost_of(column: Chunked, rows: Rows) -> Part:
    lost = np.flatnonzero(rows < 0)
    if not len(lost):
        return Part(0, len(rows))
    flat: Array = convert.text(arrow.items(column.combine_chunks()))
    shown = convert.strings(flat.take(arrow.pa.array(lost[:_EXAMPLES])))
    return Part(len(lost), len(rows), tuple(shown))


def _lost_members(snapshot: Snapshot) -> Part:
    raw = snapshot.tables.column("communities", "entity_ids")
    column = convert.by_chunk(raw, links.undashed_lists, arrow.pa.list_(arrow.pa.string()))
    _, rows = graph.resolve_lists(column.chunks, graph.undashed(snapshot.tables.column("entities", "id")))
    return _lost_of(column, rows)


def _lost_keys(snapshot: Snapshot, table: TableName, name: str, rows: Rows) -> Part:
    return _marked(snapshot, table, name, rows < 0)


def _lost_subjects(snapshot: Snapshot) -> Part:
    bound = snapshot.links.claims_of().targets
    unbound = np.ones(snapshot.tables.rows("claims"), np.bool_)
    unbound[bound] = False
    return _marked(snapshot, "claims", "subject", unbound)


def _unreported(snapshot: Snapshot, numbers: Rows) -> Part:
    lost = numbers[snapshot.report_rows_by_community(numbers) < 0]
    return Part(len(lost), len(numbers), tuple(str(number) for number in lost[:_EXAMPLES].tolist()))


def _blank(snapshot: Snapshot, table: TableName, name: str, shown: str) -> Part:
    column = snapshot.tables.column(table, name)
    blank = [pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(chunk)), 0) for chunk in column.chunks]
    marks = np.concatenate([arrow.vector(chunk) for chunk in blank]) if blank else np.empty(0, np.bool_)
    return _marked(snapshot, table, shown, marks)


def _numbered(numbers: Rows, marked: NDArray[np.bool_]) -> Part:
    shown = numbers[marked][:_EXAMPLES].tolist()
    return Part(int(marked.sum()), int((numbers >= 0).sum()), tuple(map(str, shown)))


def _doubled(numbers: Rows) -> Part:
    distinct, counts = np.unique(numbers, return_counts=True)
    twice = distinct[counts > 1]
    return Part(int(counts[counts > 1].sum()), len(numbers), tuple(map(str, twice[:_EXAMPLES].tolist())))


def _doubled_titles(snapshot: Snapshot) -> Part:
    titles = snapshot.tables.column("entities", "title")
    counted = pc.value_counts(titles)
    twice = counted.filter(pc.greater(counted.field("counts"), 1))
    total = pc.sum(twice.field("counts")).as_py() or 0
    return Part(total, len(titles), tuple(convert.strings(twice.field("values")[:_EXAMPLES])))
