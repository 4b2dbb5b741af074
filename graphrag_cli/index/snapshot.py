"""One index in memory: canonical columns, and look-ups that cost what they touch.

Rows are addressed by position (``row``) in their table; arrays of rows are ``NDArray[np.int64]`` with -1 for
"none". Nothing here loops in Python over a table, and no object is made for a row that no one asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.events import IndexSummary
from graphrag_cli.index.records import Claim, Document, Entity, Relationship, Report, TextUnit

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Level

Rows: TypeAlias = NDArray[np.int64]


def as_rows(rows: Sequence[int]) -> Rows:
    """``rows`` as an array."""
    return np.asarray(rows, dtype=np.int64)


class Snapshot:
    """A loaded index. Read-only, shared by every question of a run, safe to use from several threads."""

    @property
    def summary(self) -> IndexSummary:
        """Path, version and row counts."""
        raise NotImplementedError

    # -- records: only for the rows named, in the order named -----------------------------------------------

    def entities(self, rows: Rows) -> list[Entity]:
        """Entities at ``rows``."""
        raise NotImplementedError

    def relationships(self, rows: Rows) -> list[Relationship]:
        """Relationships at ``rows``."""
        raise NotImplementedError

    def reports(self, rows: Rows) -> list[Report]:
        """Reports at ``rows``."""
        raise NotImplementedError

    def text_units(self, rows: Rows) -> list[TextUnit]:
        """Text units at ``rows``."""
        raise NotImplementedError

    def claims(self, rows: Rows) -> list[Claim]:
        """Claims at ``rows``."""
        raise NotImplementedError

    def documents(self, rows: Rows) -> list[Document]:
        """Documents at ``rows``."""
        raise NotImplementedError

    # -- keys to rows: one row per key, -1 where unknown ------------------------------------------------------

    def entity_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By entity id; dashes do not matter."""
        raise NotImplementedError

    def entity_rows_by_title(self, titles: Sequence[str]) -> Rows:
        """By title: exact first, then ignoring case."""
        raise NotImplementedError

    def entity_rows_by_number(self, numbers: Sequence[int]) -> Rows:
        """By ``human_readable_id``; of several with the same number, the first."""
        raise NotImplementedError

    def relationship_rows_by_number(self, numbers: Sequence[int]) -> Rows:
        """By ``human_readable_id``."""
        raise NotImplementedError

    def claim_rows_by_number(self, numbers: Sequence[int]) -> Rows:
        """By ``human_readable_id``."""
        raise NotImplementedError

    def report_rows_by_community(self, communities: Sequence[int] | Rows) -> Rows:
        """Report of each community number; -1 where a community has no report."""
        raise NotImplementedError

    def report_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By report id; dashes do not matter."""
        raise NotImplementedError

    def text_unit_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By text unit id."""
        raise NotImplementedError

    def text_unit_rows_by_number(self, numbers: Sequence[int]) -> Rows:
        """By citation number."""
        raise NotImplementedError

    def document_rows_by_id(self, ids: Sequence[str]) -> Rows:
        """By document id."""
        raise NotImplementedError

    # -- rows to keys -----------------------------------------------------------------------------------------

    def entity_ids(self, rows: Rows) -> list[str]:
        """Ids of the entities at ``rows``."""
        raise NotImplementedError

    def text_unit_ids(self, rows: Rows) -> list[str]:
        """Ids of the text units at ``rows``."""
        raise NotImplementedError

    # -- the graph --------------------------------------------------------------------------------------------

    def degrees(self, entity_rows: Rows) -> Rows:
        """Number of relationships of each entity."""
        raise NotImplementedError

    def relationship_rows_of(self, entity_rows: Rows) -> Rows:
        """Relationships that touch any of ``entity_rows``: each once, ascending."""
        raise NotImplementedError

    def endpoints(self, relationship_rows: Rows) -> tuple[Rows, Rows]:
        """Entity rows of source and target; -1 where a title is no entity."""
        raise NotImplementedError

    def combined_degrees(self, relationship_rows: Rows) -> Rows:
        """Sum of the degrees of both ends, as the table has it or as counted."""
        raise NotImplementedError

    def claim_rows_of(self, entity_rows: Rows) -> Rows:
        """Claims whose subject is any of ``entity_rows``: each once, ascending."""
        raise NotImplementedError

    def text_unit_rows_of_entity(self, entity_row: int) -> Rows:
        """Text units in which the entity was found, in table order."""
        raise NotImplementedError

    def text_unit_rows_of_claim(self, claim_row: int) -> Rows:
        """The text unit that makes the claim (none or one)."""
        raise NotImplementedError

    def text_unit_rows_of_relationship(self, relationship_row: int) -> Rows:
        """Text units in which the relationship was found."""
        raise NotImplementedError

    def relationship_counts(self, entity_row: int, text_unit_rows: Rows) -> Rows:
        """For each text unit, how many relationships of the entity were found in it."""
        raise NotImplementedError

    def document_rows_of(self, text_unit_rows: Rows) -> Rows:
        """The document of each text unit; -1 where unknown."""
        raise NotImplementedError

    # -- communities and reports ------------------------------------------------------------------------------

    def communities_of(self, entity_rows: Rows, level: Level) -> Rows:
        """For each entity the number of its deepest community of level ≤ ``level``; -1 where it has none."""
        raise NotImplementedError

    def report_rows_at(self, level: Level) -> Rows:
        """Reports of the communities that are some entity's deepest of level ≤ ``level``, ascending."""
        raise NotImplementedError

    def communities_without_report(self, level: Level) -> int:
        """How many of those communities have none."""
        raise NotImplementedError

    def levels(self) -> list[int]:
        """The levels there are, ascending."""
        raise NotImplementedError

    def root_communities(self) -> Rows:
        """Numbers of the communities at the lowest level."""
        raise NotImplementedError

    def children_of(self, community: int) -> Rows:
        """Numbers of its child communities."""
        raise NotImplementedError

    def parent_of(self, community: int) -> int:
        """Number of its parent; -1 at the root."""
        raise NotImplementedError

    def entity_rows_of_community(self, community: int) -> Rows:
        """Its entities."""
        raise NotImplementedError

    def text_unit_rows_of_community(self, community: int) -> Rows:
        """Distinct text units of its entities."""
        raise NotImplementedError

    def occurrence_weights(self, report_rows: Rows) -> NDArray[np.float64]:
        """Per report: distinct text units of its community's entities, divided by the largest; 0 for all is fine."""
        raise NotImplementedError

    # -- narrowing --------------------------------------------------------------------------------------------

    def text_unit_rows_matching(
        self, documents: Sequence[str], since: str | None, until: str | None
    ) -> Rows | None:
        """Text units of the documents (title or id) and dates named; None when nothing narrows.

        Raises ``IndexDataError`` when a document is not there (with the nearest titles).
        """
        raise NotImplementedError

    def entity_rows_matching(self, types: Sequence[str], text_unit_rows: Rows | None) -> Rows | None:
        """Entities of the types named that occur in ``text_unit_rows``; None when nothing narrows."""
        raise NotImplementedError
