"""Tables of any release, presented in the canonical schema, column by column and only when asked.

Releases are told apart by the columns that are there, never by a version number. What is changed on the way is
told by ``adaptations.py``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

from graphrag_cli.errors import IndexDataError
from graphrag_cli.index import arrow
from graphrag_cli.index.arrow import Array, ArrowError, Chunked, pa
from graphrag_cli.index.kept.cache import NO_CACHE, Cache
from graphrag_cli.index.kept.files import Mapped
from graphrag_cli.index.tables import convert, derive
from graphrag_cli.index.tables.locate import Located
from graphrag_cli.index.tables.schema import SCHEMA, Column, TableName
from graphrag_cli.index.tables.source import SourceTable

_LONG = frozenset({"description", "text", "content", "summary", "source_text"})
"""Columns of long texts: only the rows asked for are ever held."""
HELD_BYTES = 8 * 1024 * 1024
"""Shorter columns of texts are held whole all the same: many questions read them again and again."""
CACHED_ROWS = 2_000
"""Columns of shorter tables are read quickly enough."""


Form: TypeAlias = Callable[[Chunked], Chunked]
"""Makes canonical values of raw ones."""


class Tables:
    """The canonical tables of one index. Columns are converted once; safe to use from several threads."""

    def __init__(
        self,
        located: Located,
        sources: Mapping[TableName, SourceTable],
        cache: Cache = NO_CACHE,
        damaged: Mapping[TableName, IndexDataError] | None = None,
    ) -> None:
        self.located = located
        self.damaged = damaged or {}
        """Tables whose file is there and cannot be read, with the reason; they count as not there."""
        self.cache = cache
        """Keeps columns of long tables as they can be mapped, and whatever else is worked out from the tables."""
        self.sources = sources
        self._lock = threading.RLock()
        self._ready: dict[tuple[TableName, str], Chunked] = {}
        self._mapped: dict[tuple[TableName, str], Mapped] = {}
        self._kept: dict[TableName, convert.Ints | None] = {}

    def has(self, table: TableName) -> bool:
        """Whether the table can be had, be it from another one."""
        return table in self.sources or (table == "communities" and "nodes" in self.sources)

    def repeated(self, table: TableName) -> int:
        """Rows of the file that are left out because they repeat another under the same id."""
        kept = self._rows_kept(table) if table in self.sources else None
        return 0 if kept is None else self.sources[table].rows - len(kept)

    def rows(self, table: TableName) -> int:
        """Number of rows of the canonical table; 0 when it is not there."""
        if table == "communities" and self.from_nodes():
            return len(self.column("communities", "community"))
        if table not in self.sources:
            return 0
        kept = self._rows_kept(table)
        return self.sources[table].rows if kept is None else len(kept)

    def spelling(self, table: TableName, name: str) -> str | None:
        """What the file calls a canonical column; None where it has none, or there is no such file."""
        there = self.sources[table].columns if table in self.sources else ()
        return next((other for other in SCHEMA[table][name].names if other in there), None)

    def has_column(self, table: TableName, name: str) -> bool:
        """Whether some spelling of a canonical column is in the file."""
        return self.spelling(table, name) is not None

    def column(self, table: TableName, name: str) -> Chunked:
        """A canonical column, without nulls except in keys and texts; of length 0 when there is no such table."""
        with self._lock:
            key = (table, name)
            if key not in self._ready:
                self._ready[key] = (
                    self._from_cache(table, name) if self.is_cached(table, name) else self._make(table, name)
                )
            return self._ready[key]

    def _from_cache(self, table: TableName, name: str) -> Chunked:
        kept = self.cache.column(f"{table}.{name}", lambda: self._pieces(table, name))
        if kept.mapping is not None:
            self._mapped[table, name] = Mapped(kept.mapping)
        return kept.column

    def _pieces(self, table: TableName, name: str) -> Iterator[Array]:
        """A canonical column piece by piece; the whole is held only where it is made from other columns."""
        spelling, column = self.spelling(table, name), SCHEMA[table][name]
        if spelling is None or not self._is_taken_over(table, name):
            made = self._make(table, name)
            yield from made.chunks or [pa.array([], type=made.type)]
            return
        form = convert.as_text if column.kind == "key" else partial(convert.column, wanted=column)
        for chunk in self.sources[table].batches(spelling):
            yield from self._canonical(pa.chunked_array([chunk]), table, name, form).chunks

    def _is_taken_over(self, table: TableName, name: str) -> bool:
        """Whether each value of a canonical column is made of that in the same row of the file, and of it alone."""
        if name == "number" or (table == "communities" and self.from_nodes()):
            return False
        return self.sources[table].rows > 0 and self._rows_kept(table) is None

    def lists(self, table: TableName, name: str) -> Iterator[Array]:
        """The chunks of a canonical column of lists of ids. Read piece by piece, and not kept, where that can be."""
        spelling = self.spelling(table, name)
        if spelling is None or (table, name) in self._ready or self._rows_kept(table) is not None:
            yield from self.column(table, name).chunks
            return
        form = partial(convert.column, wanted=SCHEMA[table][name])
        for chunk in self.sources[table].batches(spelling):
            yield from self._canonical(pa.chunked_array([chunk]), table, name, form).chunks

    def take(self, table: TableName, name: str, rows: convert.Ints) -> Array:
        """Values of a canonical column at ``rows``. Of long texts only these are held, unless they are mapped."""
        ready = self._ready.get((table, name))
        if ready is not None:
            return self._taken(table, name, ready, rows)
        spelling = self.spelling(table, name)
        if spelling is None or not len(rows) or not self._is_passed_by(table, name, spelling):
            return self._taken(table, name, self.column(table, name), rows)
        with self._lock:
            kept = self._rows_kept(table)
            taken = self.sources[table].take(spelling, rows if kept is None else kept[rows])
        return arrow.joined(convert.column(pa.chunked_array([taken]), SCHEMA[table][name]))

    def _taken(self, table: TableName, name: str, column: Chunked, rows: convert.Ints) -> Array:
        taken = convert.take(column, rows)
        mapped = self._mapped.get((table, name))
        if mapped is not None:
            mapped.touched(len(rows))
        return taken

    def _is_passed_by(self, table: TableName, name: str, spelling: str) -> bool:
        """Whether a column is too long to be held, and not kept where it can be mapped."""
        if name not in _LONG or self.is_cached(table, name):
            return False
        return self.sources[table].bytes_of(spelling) > HELD_BYTES

    def is_cached(self, table: TableName, name: str) -> bool:
        """Whether a column is worth keeping in the cache: not one of lists, which are only passed through."""
        if (
            not self.cache.active
            or table not in self.sources
            or SCHEMA[table][name].kind in {"texts", "ints"}
        ):
            return False
        return self.sources[table].rows >= CACHED_ROWS

    def from_nodes(self) -> bool:
        """Whether communities are made from the nodes table: up to 0.5 the membership is there alone."""
        return "nodes" in self.sources and not self.has_column("communities", "entity_ids")

    # -- making -----------------------------------------------------------------------------------------------

    def _make(self, table: TableName, name: str) -> Chunked:
        column = SCHEMA[table][name]
        if table == "communities" and self.from_nodes():
            self._ready.update(self._communities_from_nodes())
            return self._ready[table, name]
        if table not in self.sources:
            return pa.chunked_array([], type=convert.arrow_type(column))
        spelling = self.spelling(table, name)
        if spelling is None:
            return self._derived(table, name, column)
        return self._converted(table, name, spelling, column)

    def _raw(self, table: TableName, spelling: str) -> Chunked:
        raw = self.sources[table].column(spelling)
        kept = self._rows_kept(table)
        return raw if kept is None else pa.chunked_array([convert.take(raw, kept)])

    def _converted(self, table: TableName, name: str, spelling: str, column: Column) -> Chunked:
        form = partial(convert.column, wanted=column)
        made = self._canonical(self._raw(table, spelling), table, name, form)
        if name == "number":
            return derive.numbers_or_places(made)
        return made

    def _canonical(self, raw: Chunked, table: TableName, name: str, form: Form) -> Chunked:
        try:
            return form(raw)
        except (ArrowError, ValueError) as error:
            kind = SCHEMA[table][name].kind
            raise IndexDataError(
                f"column {self.spelling(table, name)!r} of {str(self.sources[table].path)!r} is of type {raw.type} and cannot be read as {kind}",
                hint="graphrag-cli index check shows the columns of every table",
            ) from error

    def _derived(self, table: TableName, name: str, column: Column) -> Chunked:
        """A column that the file lacks: from elsewhere where that is possible, else filled."""
        count = self.rows(table)
        if name == "number":
            return pa.chunked_array([pa.array(np.arange(count))])
        if (table, name) == ("text_units", "document_id"):
            return self._document_ids()
        if (table, name) == ("entities", "degree") and "nodes" in self.sources:
            return derive.degrees(self.column("entities", "id"), self.sources["nodes"])
        if (table, name) == ("communities", "parent"):
            return self._parents()
        return convert.filled(column, count)

    def _document_ids(self) -> Chunked:
        if "document_ids" in self.sources["text_units"].columns:
            return derive.first_items(self._raw("text_units", "document_ids"))
        return derive.documents_of_units(
            self.column("text_units", "id"),
            self.column("documents", "id"),
            self.column("documents", "text_unit_ids"),
        )

    # -- communities of releases that kept them in the nodes table ----------------------------------------------

    def _communities_from_nodes(self) -> dict[tuple[TableName, str], Chunked]:
        made = derive.communities(self.sources["nodes"])
        return {("communities", name): values for name, values in made.items()}

    def _parents(self) -> Chunked:
        numbers = convert.numbers(self.column("communities", "community"))
        if self.has_column("communities", "children"):
            return derive.parents_of_children(numbers, self.column("communities", "children"))
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
        return kept
