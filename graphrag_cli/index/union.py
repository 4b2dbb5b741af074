"""Several indexes asked as one: the same look-ups over rows laid end to end.

Row ``r`` of index ``i`` is row ``offset[i] + r`` of the union, and community numbers are shifted in the same way.
Ids and labels carry the index's name (``polar:12``), so that one id space holds from the prompt to the citation.
Graphs stay apart: a title that two indexes share names two entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.errors import IndexDataError
from graphrag_cli.events import Dataset, IndexSummary
from graphrag_cli.index.records import Claim, Document, Entity, Relationship, Report, TextUnit
from graphrag_cli.index.snapshot import Narrowed, Rows, Snapshot, as_rows
from graphrag_cli.index.union_part import (
    COMMUNITIES,
    KINDS,
    Part,
    renamed,
    renamed_document,
    renamed_report,
)

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Level

T = TypeVar("T")


def unite(snapshots: Mapping[str, Snapshot]) -> UnionSnapshot:
    """``snapshots``, by the name of their index, as one."""
    parts: list[Part] = []
    begins: dict[str, int] = dict.fromkeys(KINDS, 0)
    for at, (name, snapshot) in enumerate(snapshots.items()):
        parts.append(Part(name, snapshot, dict(begins), at * COMMUNITIES))
        for kind in KINDS:
            begins[kind] += snapshot.summary.counts.get(kind, 0)
    return UnionSnapshot(parts, begins)


class UnionSnapshot(Snapshot):
    """``Snapshot`` over several. Overrides every look-up; has no tables of its own."""

    def __init__(self, parts: Sequence[Part], sizes: Mapping[str, int]) -> None:
        self._parts = tuple(parts)
        self._sizes = sizes

    @property
    def parts(self) -> tuple[Part, ...]:
        """The indexes, in the order given."""
        return self._parts

    @property
    def summary(self) -> IndexSummary:
        """Paths and versions joined, counts added up."""
        summaries = [part.snapshot.summary for part in self._parts]
        return IndexSummary(
            path=", ".join(f"{part.name}={part.snapshot.summary.path}" for part in self._parts),
            version=", ".join(dict.fromkeys(summary.version for summary in summaries)),
            counts={kind: size for kind, size in self._sizes.items() if size},
        )

    # -- splitting and joining ------------------------------------------------------------------------------

    def _split(self, kind: str, rows: Rows) -> Iterator[tuple[Part, NDArray[np.intp], Rows]]:
        """For each part with any of ``rows``: the positions in ``rows`` and the part's own rows there."""
        starts = [part.begins[kind] for part in self._parts]
        owner = np.searchsorted(starts, rows, side="right") - 1
        for at, part in enumerate(self._parts):
            places = np.flatnonzero((owner == at) & (rows >= 0))
            if len(places):
                yield part, places, rows[places] - part.begins[kind]

    def _records(
        self,
        kind: str,
        rows: Rows,
        read: Callable[[Snapshot, Rows], list[T]],
        rename: Callable[[Part, T, int], T],
    ) -> list[T]:
        found: list[tuple[int, T]] = []
        for part, places, own in self._split(kind, rows):
            records = read(part.snapshot, own)
            found += [
                (place, rename(part, record, int(rows[place])))
                for place, record in zip(places.tolist(), records, strict=True)
            ]
        found.sort(key=lambda one: one[0])
        return [record for _, record in found]

    def _look_up(self, kind: str, keys: Sequence[str], find: Callable[[Snapshot, list[str]], Rows]) -> Rows:
        rows = np.full(len(keys), -1, np.int64)
        for part in self._parts:
            asked = [(at, own) for at, key in enumerate(keys) if (own := part.own(key)) is not None]
            if asked:
                found = find(part.snapshot, [own for _, own in asked])
                places = np.asarray([at for at, _ in asked])
                rows[places] = np.where(found >= 0, found + part.begins[kind], -1)
        return rows

    def _gather(self, kind: str, made: str, rows: Rows, read: Callable[[Snapshot, Rows], Rows]) -> Rows:
        """Rows of table ``made`` that belong to ``rows`` of ``kind``, of all parts."""
        pieces = [read(part.snapshot, own) + part.begins[made] for part, _, own in self._split(kind, rows)]
        return np.concatenate(pieces) if pieces else as_rows([])

    def _per_row(self, kind: str, rows: Rows, read: Callable[[Part, Rows], Rows]) -> Rows:
        """One value for each of ``rows``, in their order."""
        values = np.full(len(rows), -1, np.int64)
        for part, places, own in self._split(kind, rows):
            values[places] = read(part, own)
        return values

    def _at(self, kind: str, row: int) -> tuple[Part, int]:
        ((part, _, own),) = self._split(kind, as_rows([row]))
        return part, int(own[0])

    def _of_community(self, community: int) -> tuple[Part, int]:
        part = self._parts[community // COMMUNITIES]
        return part, community - part.shift

    # -- records --------------------------------------------------------------------------------------------

    def entities(self, rows: Rows) -> list[Entity]:
        """See ``Snapshot``."""
        return self._records("entities", rows, Snapshot.entities, renamed)

    def relationships(self, rows: Rows) -> list[Relationship]:
        """See ``Snapshot``."""
        return self._records("relationships", rows, Snapshot.relationships, renamed)

    def reports(self, rows: Rows) -> list[Report]:
        """See ``Snapshot``."""
        return self._records("reports", rows, Snapshot.reports, renamed_report)

    def text_units(self, rows: Rows) -> list[TextUnit]:
        """See ``Snapshot``."""
        return self._records("text_units", rows, Snapshot.text_units, renamed)

    def claims(self, rows: Rows) -> list[Claim]:
        """See ``Snapshot``."""
        return self._records("claims", rows, Snapshot.claims, renamed)

    def documents(self, rows: Rows) -> list[Document]:
        """See ``Snapshot``."""
        return self._records("documents", rows, Snapshot.documents, renamed_document)

    # -- keys to rows ---------------------------------------------------------------------------------------

    def entity_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By ``index:id``."""
        return self._look_up("entities", ids, Snapshot.entity_rows_by_id)

    def entity_rows_by_title(self, titles: Sequence[str]) -> Rows:
        """By ``index:title``, or by the title alone: then of the first index that has it."""
        rows = self._look_up("entities", titles, Snapshot.entity_rows_by_title)
        for part in self._parts:
            found = part.snapshot.entity_rows_by_title(titles)
            rows = np.where((rows < 0) & (found >= 0), found + part.begins["entities"], rows)
        return rows

    def report_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By ``index:id``."""
        return self._look_up("reports", ids, Snapshot.report_rows_by_id)

    def text_unit_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By ``index:id``."""
        return self._look_up("text_units", ids, Snapshot.text_unit_rows_by_id)

    def document_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By ``index:id``."""
        return self._look_up("documents", ids, Snapshot.document_rows_by_id)

    def rows_by_label(self, dataset: Dataset, labels: Sequence[str]) -> Rows:
        """By ``index:number``."""
        kind = "text_units" if dataset == "sources" else dataset
        return self._look_up(kind, labels, lambda snapshot, own: snapshot.rows_by_label(dataset, own))

    def report_rows_by_community(self, communities: Sequence[int] | Rows) -> Rows:
        """By the union's community number."""
        numbers = np.asarray(communities, np.int64)
        rows = np.full(len(numbers), -1, np.int64)
        for part in self._parts:
            inside = numbers // COMMUNITIES * COMMUNITIES == part.shift
            found = part.snapshot.report_rows_by_community(numbers[inside] - part.shift)
            rows[inside] = np.where(found >= 0, found + part.begins["reports"], -1)
        return rows

    # -- rows to keys ---------------------------------------------------------------------------------------

    def entity_ids(self, rows: Rows) -> list[str]:
        """As ``index:id``."""
        return self._records("entities", rows, Snapshot.entity_ids, lambda part, key, _: part.named(key))

    def text_unit_ids(self, rows: Rows) -> list[str]:
        """As ``index:id``."""
        return self._records("text_units", rows, Snapshot.text_unit_ids, lambda part, key, _: part.named(key))

    # -- the graph ------------------------------------------------------------------------------------------

    def degrees(self, entity_rows: Rows) -> Rows:
        """See ``Snapshot``."""
        return self._per_row("entities", entity_rows, lambda part, own: part.snapshot.degrees(own))

    def relationship_rows_of(self, entity_rows: Rows) -> Rows:
        """See ``Snapshot``."""
        return self._gather("entities", "relationships", entity_rows, Snapshot.relationship_rows_of)

    def endpoints(self, relationship_rows: Rows) -> tuple[Rows, Rows]:
        """See ``Snapshot``."""

        def end(which: int) -> Rows:
            def read(part: Part, own: Rows) -> Rows:
                found = part.snapshot.endpoints(own)[which]
                return np.where(found >= 0, found + part.begins["entities"], -1)

            return self._per_row("relationships", relationship_rows, read)

        return end(0), end(1)

    def combined_degrees(self, relationship_rows: Rows) -> Rows:
        """See ``Snapshot``."""
        return self._per_row(
            "relationships", relationship_rows, lambda part, own: part.snapshot.combined_degrees(own)
        )

    def claim_rows_of(self, entity_rows: Rows) -> Rows:
        """See ``Snapshot``."""
        return self._gather("entities", "claims", entity_rows, Snapshot.claim_rows_of)

    def text_unit_rows_of_entity(self, entity_row: int) -> Rows:
        """See ``Snapshot``."""
        part, own = self._at("entities", entity_row)
        return part.snapshot.text_unit_rows_of_entity(own) + part.begins["text_units"]

    def text_unit_rows_of_claim(self, claim_row: int) -> Rows:
        """See ``Snapshot``."""
        part, own = self._at("claims", claim_row)
        return part.snapshot.text_unit_rows_of_claim(own) + part.begins["text_units"]

    def text_unit_rows_of_relationship(self, relationship_row: int) -> Rows:
        """See ``Snapshot``."""
        part, own = self._at("relationships", relationship_row)
        return part.snapshot.text_unit_rows_of_relationship(own) + part.begins["text_units"]

    def relationship_counts(self, entity_row: int, text_unit_rows: Rows) -> Rows:
        """See ``Snapshot``."""
        part, own = self._at("entities", entity_row)
        return part.snapshot.relationship_counts(own, text_unit_rows - part.begins["text_units"])

    def document_rows_of(self, text_unit_rows: Rows) -> Rows:
        """See ``Snapshot``."""

        def read(part: Part, own: Rows) -> Rows:
            found = part.snapshot.document_rows_of(own)
            return np.where(found >= 0, found + part.begins["documents"], -1)

        return self._per_row("text_units", text_unit_rows, read)

    # -- communities ----------------------------------------------------------------------------------------

    def communities_of(self, entity_rows: Rows, level: Level) -> Rows:
        """See ``Snapshot``; numbers are the union's."""

        def read(part: Part, own: Rows) -> Rows:
            found = part.snapshot.communities_of(own, level)
            return np.where(found >= 0, found + part.shift, -1)

        return self._per_row("entities", entity_rows, read)

    def report_rows_at(self, level: Level) -> Rows:
        """See ``Snapshot``."""
        return np.concatenate(
            [part.snapshot.report_rows_at(level) + part.begins["reports"] for part in self._parts]
        )

    def communities_without_report(self, level: Level) -> int:
        """See ``Snapshot``."""
        return sum(part.snapshot.communities_without_report(level) for part in self._parts)

    def levels(self) -> list[int]:
        """See ``Snapshot``."""
        return sorted({level for part in self._parts for level in part.snapshot.levels()})

    def root_communities(self) -> Rows:
        """See ``Snapshot``."""
        return np.concatenate([part.snapshot.root_communities() + part.shift for part in self._parts])

    def children_of(self, community: int) -> Rows:
        """See ``Snapshot``."""
        part, own = self._of_community(community)
        return part.snapshot.children_of(own) + part.shift

    def parent_of(self, community: int) -> int:
        """See ``Snapshot``."""
        part, own = self._of_community(community)
        parent = part.snapshot.parent_of(own)
        return parent + part.shift if parent >= 0 else -1

    def entity_rows_of_community(self, community: int) -> Rows:
        """See ``Snapshot``."""
        part, own = self._of_community(community)
        return part.snapshot.entity_rows_of_community(own) + part.begins["entities"]

    def text_unit_rows_of_community(self, community: int) -> Rows:
        """See ``Snapshot``."""
        part, own = self._of_community(community)
        return part.snapshot.text_unit_rows_of_community(own) + part.begins["text_units"]

    def occurrence_weights(self, report_rows: Rows) -> NDArray[np.float64]:
        """Relative to the largest of each index, so that a small index is not drowned by a big one."""
        weights = np.zeros(len(report_rows))
        for part, places, own in self._split("reports", report_rows):
            weights[places] = part.snapshot.occurrence_weights(own)
        return weights

    # -- narrowing ------------------------------------------------------------------------------------------

    def text_unit_rows_matching(
        self, documents: Sequence[str], since: str | None, until: str | None
    ) -> Rows | None:
        """See ``Snapshot``. A document that only one of the indexes has narrows the others to nothing."""
        if not documents and since is None and until is None:
            return None
        return self._narrowed(
            "text_units", lambda part: part.snapshot.text_unit_rows_matching(documents, since, until)
        )

    def entity_rows_matching(self, types: Sequence[str], text_unit_rows: Rows | None) -> Rows | None:
        """See ``Snapshot``. A type that only one of the indexes has narrows the others to nothing."""
        if not types and text_unit_rows is None:
            return None

        def read(part: Part) -> Rows | None:
            units = None if text_unit_rows is None else self._own_units(part, text_unit_rows)
            return part.snapshot.entity_rows_matching(types, units)

        return self._narrowed("entities", read)

    def within(self, dataset: Narrowed, rows: Rows, text_unit_rows: Rows) -> NDArray[np.bool_]:
        """See ``Snapshot``."""
        kept = np.zeros(len(rows), np.bool_)
        for part, places, own in self._split(dataset, rows):
            kept[places] = part.snapshot.within(dataset, own, self._own_units(part, text_unit_rows))
        return kept

    def _own_units(self, part: Part, text_unit_rows: Rows) -> Rows:
        split = self._split("text_units", text_unit_rows)
        return next((own for of, _, own in split if of is part), as_rows([]))

    def _narrowed(self, kind: str, read: Callable[[Part], Rows | None]) -> Rows:
        pieces: list[Rows] = []
        refused: IndexDataError | None = None
        for part in self._parts:
            try:
                found = read(part)
            except IndexDataError as error:
                refused = refused or error
                continue
            if found is not None:
                pieces.append(found + part.begins[kind])
        if not pieces and refused is not None:
            raise refused
        return np.concatenate(pieces) if pieces else as_rows([])
