"""One index in memory: canonical columns, and look-ups that cost what they touch.

Rows are addressed by position (``row``) in their table; arrays of rows are ``NDArray[np.int64]`` with -1 for
"none". Nothing here loops in Python over a table, and no object is made for a row that no one asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.events import Dataset, IndexSummary
from graphrag_cli.index import arrow, graph, narrow
from graphrag_cli.index.arrow import Array
from graphrag_cli.index.graph import Rows
from graphrag_cli.index.links import Links
from graphrag_cli.index.records import Claim, Document, Entity, Relationship, Report, TextUnit
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.adapt import Tables
from graphrag_cli.index.tables.schema import TableName

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Level

Narrowed: TypeAlias = Literal["reports", "relationships", "claims"]
"""What stands in text units, and so can be narrowed to some of them."""

_FEW = 1000
"""Of more ids than this, all are looked for in one pass over the column."""
MAX_DIGITS = 18
"""A longer number is no id: it does not fit 64 bits."""


def as_rows(rows: Sequence[int]) -> Rows:
    """``rows`` as an array."""
    return np.asarray(rows, dtype=np.int64)


class Snapshot:
    """A loaded index. Read-only, shared by every question of a run, safe to use from several threads.

    Made by ``index.open.open_snapshot``. Columns and look-up structures are read and built when first needed.
    """

    def __init__(self, tables: Tables, summary: IndexSummary) -> None:
        self._tables = tables
        self._links = Links(tables)
        self._summary = summary

    @property
    def summary(self) -> IndexSummary:
        """Path, version and row counts."""
        return self._summary

    @property
    def tables(self) -> Tables:
        """The canonical columns, for checks and for embedding."""
        return self._tables

    @property
    def links(self) -> Links:
        """The look-up structures, for checks."""
        return self._links

    # -- records: only for the rows named, in the order named -----------------------------------------------

    def _taken(self, table: TableName, name: str, rows: Rows) -> Array:
        return self._tables.take(table, name, rows)

    def _texts(self, table: TableName, rows: Rows, *names: str) -> list[list[str]]:
        return [convert.strings(self._taken(table, name, rows)) for name in names]

    def _ints(self, table: TableName, rows: Rows, *names: str) -> list[list[int]]:
        return [arrow.pylist(self._taken(table, name, rows)) for name in names]

    def entities(self, rows: Rows) -> list[Entity]:
        """Entities at ``rows``."""
        ids, titles, types, texts = self._texts("entities", rows, "id", "title", "type", "description")
        (numbers,) = self._ints("entities", rows, "number")
        degrees = self.degrees(rows).tolist()
        return [
            Entity(*one)
            for one in zip(rows.tolist(), ids, numbers, titles, types, texts, degrees, strict=True)
        ]

    def relationships(self, rows: Rows) -> list[Relationship]:
        """Relationships at ``rows``."""
        ids, sources, targets, texts = self._texts(
            "relationships", rows, "id", "source", "target", "description"
        )
        (numbers,) = self._ints("relationships", rows, "number")
        weights: list[float] = arrow.pylist(self._taken("relationships", "weight", rows))
        degrees = self.combined_degrees(rows).tolist()
        columns = (rows.tolist(), ids, numbers, sources, targets, texts, weights, degrees)
        return [Relationship(*one) for one in zip(*columns, strict=True)]

    def reports(self, rows: Rows) -> list[Report]:
        """Reports at ``rows``."""
        ids, titles, summaries, contents = self._texts("reports", rows, "id", "title", "summary", "content")
        communities, levels = self._ints("reports", rows, "community", "level")
        ranks: list[float] = arrow.pylist(self._taken("reports", "rank", rows))
        columns = (rows.tolist(), ids, communities, levels, titles, summaries, contents, ranks)
        return [Report(*one) for one in zip(*columns, strict=True)]

    def text_units(self, rows: Rows) -> list[TextUnit]:
        """Text units at ``rows``. Their number is the position in the table, as GraphRAG's prompts print it."""
        ids, texts, documents = self._texts("text_units", rows, "id", "text", "document_id")
        columns = (rows.tolist(), ids, texts, documents)
        return [
            TextUnit(row, key, row, text, document or None)
            for row, key, text, document in zip(*columns, strict=True)
        ]

    def claims(self, rows: Rows) -> list[Claim]:
        """Claims at ``rows``."""
        names = ("id", "subject", "object", "type", "status", "description", "start_date", "end_date")
        ids, *columns = self._texts("claims", rows, *names, "source_text")
        (units,) = self._texts("claims", rows, "text_unit_id")
        (numbers,) = self._ints("claims", rows, "number")
        return [
            Claim(*one, text_unit_id=unit or None)
            for *one, unit in zip(rows.tolist(), ids, numbers, *columns, units, strict=True)
        ]

    def documents(self, rows: Rows) -> list[Document]:
        """Documents at ``rows``."""
        ids, titles, dates = self._texts("documents", rows, "id", "title", "creation_date")
        (numbers,) = self._ints("documents", rows, "number")
        return [Document(*one) for one in zip(rows.tolist(), ids, numbers, titles, dates, strict=True)]

    # -- keys to rows: one row per key, -1 where unknown ------------------------------------------------------

    def _by_id(self, table: TableName, ids: Sequence[str]) -> Rows:
        column = self._tables.column(table, "id")
        index = self._links.id_index(table) if len(ids) <= _FEW else None
        rows = graph.find(ids, column) if index is None else index.rows(ids)
        lost = np.flatnonzero(rows < 0)
        if len(lost):
            plain = [ids[place].replace("-", "").lower() for place in lost.tolist()]
            rows[lost] = graph.find(plain, graph.undashed(column))
        return rows

    def _by_number(self, table: TableName, numbers: Sequence[int]) -> Rows:
        return self._links.number_index(table).rows(np.asarray(numbers, np.int64))

    def entity_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By entity id; dashes do not matter."""
        return self._by_id("entities", ids)

    def entity_rows_by_title(self, titles: Sequence[str]) -> Rows:
        """By title: exact first, then ignoring case."""
        column = self._tables.column("entities", "title")
        rows = graph.find(titles, column)
        lost = np.flatnonzero(rows < 0)
        if len(lost):
            wanted = [titles[place].strip().upper() for place in lost.tolist()]
            rows[lost] = graph.find(wanted, graph.folded(column))
        return rows

    def report_rows_by_community(self, communities: Sequence[int] | Rows) -> Rows:
        """Report of each community number; -1 where a community has no report."""
        wanted = np.asarray(communities, np.int64)
        return np.where(wanted >= 0, self._links.report_index().rows(wanted), -1)

    def report_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By report id; dashes do not matter."""
        return self._by_id("reports", ids)

    def text_unit_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By text unit id."""
        return self._by_id("text_units", ids)

    def _text_unit_rows_by_number(self, numbers: Sequence[int]) -> Rows:
        wanted = np.asarray(numbers, np.int64)
        return np.where((wanted >= 0) & (wanted < self._tables.rows("text_units")), wanted, -1)

    def document_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By document id."""
        return self._by_id("documents", ids)

    def rows_by_label(self, dataset: Dataset, labels: Sequence[str]) -> Rows:
        """By the id that contexts print and citations name (see ``records``); of several with the same, the first."""
        numbers = [int(label) if label.isdecimal() and len(label) <= MAX_DIGITS else -1 for label in labels]
        match dataset:
            case "reports":
                return self.report_rows_by_community(numbers)
            case "entities" | "relationships" | "claims":
                return self._by_number(dataset, numbers)
            case "sources":
                return self._text_unit_rows_by_number(numbers)

    # -- rows to keys -----------------------------------------------------------------------------------------

    def entity_ids(self, rows: Rows) -> list[str]:
        """Ids of the entities at ``rows``."""
        return convert.strings(self._taken("entities", "id", rows))

    def text_unit_ids(self, rows: Rows) -> list[str]:
        """Ids of the text units at ``rows``."""
        return convert.strings(self._taken("text_units", "id", rows))

    # -- the graph --------------------------------------------------------------------------------------------

    def degrees(self, entity_rows: Rows) -> Rows:
        """Number of relationships of each entity."""
        return self._links.degrees()[entity_rows]

    def relationship_rows_of(self, entity_rows: Rows) -> Rows:
        """Relationships that touch any of ``entity_rows``: each once, ascending."""
        return np.unique(self._links.relationships_of().of_many(entity_rows)[0])

    def endpoints(self, relationship_rows: Rows) -> tuple[Rows, Rows]:
        """Entity rows of source and target; -1 where a title is no entity."""
        source, target = self._links.endpoints()
        return source[relationship_rows].astype(np.int64), target[relationship_rows].astype(np.int64)

    def combined_degrees(self, relationship_rows: Rows) -> Rows:
        """Sum of the degrees of both ends, as the table has it or as counted."""
        stored = self._taken("relationships", "combined_degree", relationship_rows).to_numpy(
            zero_copy_only=False
        )
        if (stored >= 0).all():
            return stored.astype(np.int64, copy=False)
        degrees = np.append(self._links.degrees(), 0)
        source, target = self.endpoints(relationship_rows)
        return np.where(stored >= 0, stored, degrees[source] + degrees[target])

    def claim_rows_of(self, entity_rows: Rows) -> Rows:
        """Claims whose subject is any of ``entity_rows``: each once, ascending."""
        return np.unique(self._links.claims_of().of_many(entity_rows)[0])

    def text_unit_rows_of_entity(self, entity_row: int) -> Rows:
        """Text units in which the entity was found, in table order."""
        return np.unique(self._links.units_of_entity().of(entity_row))

    def text_unit_rows_of_claim(self, claim_row: int) -> Rows:
        """The text unit that makes the claim (none or one)."""
        unit = self._links.unit_of_claim()[claim_row]
        return graph.NO_ROWS if unit < 0 else np.array([unit], np.int64)

    def text_unit_rows_of_relationship(self, relationship_row: int) -> Rows:
        """Text units in which the relationship was found, in table order."""
        return np.unique(self._links.units_of_relationship().of(relationship_row))

    def relationship_counts(self, entity_row: int, text_unit_rows: Rows) -> Rows:
        """For each text unit, how many relationships of the entity were found in it."""
        own = self._links.relationships_of().of(entity_row)
        units, owners = self._links.units_of_relationship().of_many(own)
        return graph.pair_counts(units, owners, text_unit_rows)

    def document_rows_of(self, text_unit_rows: Rows) -> Rows:
        """The document of each text unit; -1 where unknown."""
        return self._links.document_of_unit()[text_unit_rows]

    # -- communities and reports ------------------------------------------------------------------------------

    def communities_of(self, entity_rows: Rows, level: Level) -> Rows:
        """For each entity the number of its deepest community of level ≤ ``level``; -1 where it has none."""
        return self._links.deepest(level)[entity_rows]

    def _communities_at(self, level: Level) -> Rows:
        used = np.unique(self._links.deepest(level))
        return used[used >= 0]

    def report_rows_at(self, level: Level) -> Rows:
        """Reports of the communities that are some entity's deepest of level ≤ ``level``, ascending."""
        rows = self.report_rows_by_community(self._communities_at(level))
        return np.sort(rows[rows >= 0])

    def communities_without_report(self, level: Level) -> int:
        """How many of those communities have none."""
        return int((self.report_rows_by_community(self._communities_at(level)) < 0).sum())

    def levels(self) -> list[int]:
        """The levels there are, ascending."""
        return self._links.tree().levels()

    def root_communities(self) -> Rows:
        """Numbers of the communities at the lowest level."""
        return self._links.tree().roots()

    def children_of(self, community: int) -> Rows:
        """Numbers of its child communities."""
        return self._links.tree().children_of(community)

    def parent_of(self, community: int) -> int:
        """Number of its parent; -1 at the root."""
        return self._links.tree().parent_of(community)

    def entity_rows_of_community(self, community: int) -> Rows:
        """Its entities, ascending."""
        return self._links.tree().members_of(community)

    def text_unit_rows_of_community(self, community: int) -> Rows:
        """Distinct text units of its entities, ascending."""
        members = self.entity_rows_of_community(community)
        return np.unique(self._links.units_of_entity().of_many(members)[0])

    def occurrence_weights(self, report_rows: Rows) -> NDArray[np.float64]:
        """Per report: distinct text units of its community's entities, divided by the largest; 0 for all is fine."""
        numbers = self._links.numbers("reports", "community")[report_rows]
        homes = np.where(numbers >= 0, self._links.tree().rows(numbers), -1)
        counts = np.append(self._links.units_per_community(), 0)[homes]
        return counts / max(counts.max(initial=0), 1)

    # -- narrowing --------------------------------------------------------------------------------------------

    def text_unit_rows_matching(
        self, documents: Sequence[str], since: str | None, until: str | None
    ) -> Rows | None:
        """Text units of the documents (title or id) and dates named; None when nothing narrows.

        Raises ``IndexDataError`` when a document is not there (with the nearest titles).
        """
        if not documents and since is None and until is None:
            return None
        kept = narrow.documents_matching(self._tables, documents, narrow.Dates(since, until))
        return np.flatnonzero(np.isin(self._links.document_of_unit(), kept))

    def entity_rows_matching(self, types: Sequence[str], text_unit_rows: Rows | None) -> Rows | None:
        """Entities of the types named that occur in ``text_unit_rows``; None when nothing narrows."""
        if not types and text_unit_rows is None:
            return None
        kept = np.ones(self._tables.rows("entities"), np.bool_)
        if types:
            kept &= narrow.of_types(self._tables.column("entities", "type"), types)
        if text_unit_rows is not None:
            kept &= narrow.linked_to(self._links.units_of_entity(), text_unit_rows)
        return np.flatnonzero(kept)

    def within(self, dataset: Narrowed, rows: Rows, text_unit_rows: Rows) -> NDArray[np.bool_]:
        """Which of ``rows`` stand in ``text_unit_rows``.

        A relationship does when it was found in one of them, a claim when one of them makes it, and a report, which
        sums up, when its community's entities were found nowhere else.
        """
        match dataset:
            case "relationships":
                units, owners = self._links.units_of_relationship().of_many(rows)
                found = owners[np.isin(units, text_unit_rows)]
                return np.bincount(found, minlength=len(rows)) > 0
            case "claims":
                return np.isin(self._links.unit_of_claim()[rows], text_unit_rows)
            case "reports":
                numbers = self._links.numbers("reports", "community")[rows]
                read = [self.text_unit_rows_of_community(number) for number in numbers.tolist()]
                return np.array(
                    [len(own) > 0 and np.isin(own, text_unit_rows).all() for own in read], np.bool_
                )
