"""What is read otherwise than the newest release writes it: told from file footers, without reading a column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.adapt import Tables
from graphrag_cli.index.tables.schema import SCHEMA, TableName


@dataclass(frozen=True, slots=True)
class Adaptation:
    """One column that was renamed, converted, derived or filled."""

    table: TableName
    column: str
    how: str


_DERIVED: dict[tuple[TableName, str], str] = {
    ("entities", "degree"): "not there: counted, or taken from the nodes table",
    ("communities", "parent"): "not there: worked out from children or members",
    ("text_units", "document_id"): "not there: first of 'document_ids', or looked up in the documents table",
    ("relationships", "combined_degree"): "not there: sum of the degrees of both ends",
    ("relationships", "text_unit_ids"): "not there: turned round from the text units",
}
_UNUSED = {
    ("communities", "children"),
    ("communities", "size"),
    ("communities", "title"),
    ("text_units", "n_tokens"),
}
"""Columns that no look-up depends on: their absence is not worth telling."""


def adaptations(tables: Tables) -> tuple[Adaptation, ...]:
    """All that is adapted, table by table."""
    return tuple(_all(tables))


def _all(tables: Tables) -> Iterator[Adaptation]:
    for table in SCHEMA:
        if table == "communities" and tables.from_nodes():
            yield Adaptation(table, "entity_ids", "taken from the nodes table")
        elif table in tables.sources:
            for name in SCHEMA[table]:
                yield from _of_column(tables, table, name)
    repeated = tables.repeated("relationships")
    if repeated:
        yield Adaptation("relationships", "id", f"{repeated} repeated rows left out")


def _of_column(tables: Tables, table: TableName, name: str) -> Iterator[Adaptation]:
    column = SCHEMA[table][name]
    spelling = tables.spelling(table, name)
    if spelling is None:
        if (table, name) not in _UNUSED and name != "relationship_ids":
            yield Adaptation(table, name, _DERIVED.get((table, name), "not there: filled"))
        return
    if spelling != column.names[0]:
        yield Adaptation(table, name, f"read from column {spelling!r}")
    kind = tables.sources[table].type_of(spelling)
    if convert.differs(kind, column):
        yield Adaptation(table, name, f"converted from {kind}")
