"""Tables of any release, presented in the canonical schema, column by column and only when asked.

Releases are told apart by the columns that are there, never by a version number. Whatever had to be changed on
the way is noted, for ``index check``.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from graphrag_cli.errors import IndexDataError
from graphrag_cli.index import convert, derive
from graphrag_cli.index.arrow import ArrowError, Chunked, pa
from graphrag_cli.index.locate import Located
from graphrag_cli.index.schema import SCHEMA, Column, TableName
from graphrag_cli.index.source import SourceTable


@dataclass(frozen=True, slots=True)
class Adaptation:
    """One thing that was read otherwise than the newest release writes it."""

    table: TableName
    column: str
    how: str


class Tables:
    """The canonical tables of one index. Columns are converted once; safe to use from several threads."""

    def __init__(self, located: Located, sources: Mapping[TableName, SourceTable]) -> None:
        self.located = located
        self.sources = sources
        self._lock = threading.RLock()
        self._ready: dict[tuple[TableName, str], Chunked] = {}
        self._kept: dict[TableName, convert.Ints | None] = {}
        self._notes: list[Adaptation] = []

    @property
    def adaptations(self) -> tuple[Adaptation, ...]:
        """What was changed in the columns read so far, oldest first."""
        return tuple(self._notes)

    def has(self, table: TableName) -> bool:
        """Whether the table can be had, be it from another one."""
        return table in self.sources or (table == "communities" and "nodes" in self.sources)

    def rows(self, table: TableName) -> int:
        """Number of rows of the canonical table; 0 when it is not there."""
        if table == "communities" and self._from_nodes():
            return len(self.column("communities", "community"))
        if table not in self.sources:
            return 0
        kept = self._rows_kept(table)
        return self.sources[table].rows if kept is None else len(kept)

    def has_column(self, table: TableName, name: str) -> bool:
        """Whether some spelling of a canonical column is in the file."""
        return table in self.sources and self._spelling(table, SCHEMA[table][name]) is not None

    def column(self, table: TableName, name: str) -> Chunked:
        """A canonical column, without nulls except in keys and texts; of length 0 when there is no such table."""
        with self._lock:
            key = (table, name)
            if key not in self._ready:
                self._ready[key] = self._make(table, name)
            return self._ready[key]

    # -- making -----------------------------------------------------------------------------------------------

    def _make(self, table: TableName, name: str) -> Chunked:
        column = SCHEMA[table][name]
        if table == "communities" and self._from_nodes():
            self._ready.update(self._communities_from_nodes())
            return self._ready[table, name]
        if table not in self.sources:
            return pa.chunked_array([], type=convert.arrow_type(column))
        spelling = self._spelling(table, column)
        if spelling is None:
            return self._derived(table, name, column)
        if spelling != column.names[0]:
            self._note(table, name, f"read from column {spelling!r}")
        return self._converted(table, name, spelling, column)

    def _spelling(self, table: TableName, column: Column) -> str | None:
        there = self.sources[table].columns
        return next((name for name in column.names if name in there), None)

    def _note(self, table: TableName, column: str, how: str) -> None:
        self._notes.append(Adaptation(table, column, how))

    def _raw(self, table: TableName, spelling: str) -> Chunked:
        raw = self.sources[table].column(spelling)
        kept = self._rows_kept(table)
        return raw if kept is None else pa.chunked_array([convert.take(raw, kept)])

    def _converted(self, table: TableName, name: str, spelling: str, column: Column) -> Chunked:
        raw = self._raw(table, spelling)
        try:
            made = convert.column(raw, column)
        except (ArrowError, ValueError) as error:
            raise IndexDataError(
                f"column {spelling!r} of {str(self.sources[table].path)!r} is of type {raw.type} and cannot be read as {column.kind}",
                hint="graphrag-cli index check shows the columns of every table",
            ) from error
        if convert.differs(raw.type, column):
            self._note(table, name, f"converted from {raw.type}")
        if name == "number":
            return derive.numbers_or_places(made)
        return made

    def _derived(self, table: TableName, name: str, column: Column) -> Chunked:
        """A column that the file lacks: from elsewhere where that is possible, else filled."""
        count = self.rows(table)
        if name == "number":
            self._note(table, name, "not there: counted from 0")
            return pa.chunked_array([pa.array(np.arange(count))])
        if (table, name) == ("text_units", "document_id"):
            return self._document_ids()
        if (table, name) == ("entities", "degree") and "nodes" in self.sources:
            self._note(table, name, "taken from the nodes table")
            return derive.degrees(self.column("entities", "id"), self.sources["nodes"])
        if (table, name) == ("communities", "parent"):
            return self._parents()
        self._note(table, name, "not there: filled")
        return convert.filled(column, count)

    def _document_ids(self) -> Chunked:
        if "document_ids" in self.sources["text_units"].columns:
            self._note("text_units", "document_id", "first of 'document_ids'")
            return derive.first_items(self._raw("text_units", "document_ids"))
        self._note("text_units", "document_id", "looked up in the documents table")
        return derive.documents_of_units(
            self.column("text_units", "id"),
            self.column("documents", "id"),
            self.column("documents", "text_unit_ids"),
        )

    # -- communities of releases that kept them in the nodes table ----------------------------------------------

    def _from_nodes(self) -> bool:
        """Up to 0.5 the membership is in the nodes table alone."""
        return "nodes" in self.sources and not self.has_column("communities", "entity_ids")

    def _communities_from_nodes(self) -> dict[tuple[TableName, str], Chunked]:
        self._note("communities", "entity_ids", "taken from the nodes table")
        made = derive.communities(self.sources["nodes"])
        return {("communities", name): values for name, values in made.items()}

    def _parents(self) -> Chunked:
        numbers = convert.numbers(self.column("communities", "community"))
        if self.has_column("communities", "children"):
            self._note("communities", "parent", "turned round from 'children'")
            return derive.parents_of_children(numbers, self.column("communities", "children"))
        self._note("communities", "parent", "found by membership one level up")
        return derive.parents_by_membership(
            numbers,
            convert.numbers(self.column("communities", "level")),
            self.column("communities", "entity_ids"),
        )

    # -- rows that are left out ---------------------------------------------------------------------------------

    def _rows_kept(self, table: TableName) -> convert.Ints | None:
        """Rows that are used; None: all. Releases up to 0.4 repeat whole relationships under one id."""
        if table not in self._kept:
            self._kept[table] = None
            if table == "relationships" and "rank" in self.sources[table].columns:
                self._kept[table] = self._first_of_each_id(table)
        return self._kept[table]

    def _first_of_each_id(self, table: TableName) -> convert.Ints | None:
        if "id" not in self.sources[table].columns:
            return None
        ids = self.sources[table].column("id")
        kept = derive.first_rows(ids)
        if len(kept) == len(ids):
            return None
        self._note(table, "id", f"{len(ids) - len(kept)} repeated rows left out")
        return kept
