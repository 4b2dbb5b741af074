"""What is worked out from the tables of one index: who links to whom. Each structure is built when first needed."""

from __future__ import annotations

import numpy as np

from graphrag_cli.index import arrow, convert, graph
from graphrag_cli.index.adapt import Tables
from graphrag_cli.index.arrow import Chunked, pa
from graphrag_cli.index.communities import CommunityTree, Membership
from graphrag_cli.index.graph import Csr, NumberIndex, Rows
from graphrag_cli.index.lazy import Lazy, LazyMap
from graphrag_cli.index.schema import TableName


class Links:
    """Look-up structures over the canonical tables; every attribute is a call that builds on first use."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.endpoints = Lazy(self._endpoints)
        """Entity rows of source and of target per relationship, -1 where a title is no entity."""
        self.relationships_of = Lazy(self._relationships_of)
        """Entity → relationships."""
        self.degrees = Lazy(self._degrees)
        self.units_of_entity = Lazy(lambda: self._lists("entities", "text_unit_ids", "text_units"))
        self.units_of_relationship = Lazy(self._units_of_relationship)
        self.claims_of = Lazy(self._claims_of)
        self.unit_of_claim = Lazy(lambda: self._keys("claims", "text_unit_id", "text_units"))
        self.document_of_unit = Lazy(lambda: self._keys("text_units", "document_id", "documents"))
        self.tree = Lazy(self._tree)
        self.deepest = LazyMap(
            lambda level: self.tree().deepest(level if isinstance(level, int) else "deepest")
        )
        """Community number of each entity, by level."""
        self.report_index = Lazy(lambda: NumberIndex(self.numbers("reports", "community")))
        self.number_index = LazyMap(self._number_index)

    def numbers(self, table: TableName, name: str) -> Rows:
        """A whole int64 column."""
        return convert.numbers(self._tables.column(table, name))

    def _number_index(self, table: int | str) -> NumberIndex:
        tables: dict[str, TableName] = {
            "entities": "entities",
            "relationships": "relationships",
            "claims": "claims",
        }
        return NumberIndex(self.numbers(tables[str(table)], "number"))

    def _ids(self, table: TableName) -> Chunked:
        return self._tables.column(table, "id")

    def _keys(self, table: TableName, name: str, target: TableName) -> Rows:
        """Row of ``target`` per row of a column of its ids; -1 where unknown or empty."""
        column = self._tables.column(table, name)
        return graph.resolve_column(column, self._ids(target)).astype(np.int64)

    def _lists(self, table: TableName, name: str, target: TableName) -> Csr:
        owners, targets = graph.resolve_lists(self._tables.column(table, name, keep=False), self._ids(target))
        return graph.csr_of_pairs(owners, targets, self._tables.rows(table))

    def _endpoints(self) -> tuple[Rows, Rows]:
        titles = self._tables.column("entities", "title")
        source, target = (
            graph.resolve_titles(self._tables.column("relationships", name), titles)
            for name in ("source", "target")
        )
        return source, target

    def _relationships_of(self) -> Csr:
        source, target = self.endpoints()
        rows = np.arange(len(source))
        loops = source == target
        owners = np.concatenate([source, np.where(loops, -1, target)])
        return graph.csr_of_pairs(owners, np.concatenate([rows, rows]), self._tables.rows("entities"))

    def _degrees(self) -> Rows:
        """As the table has them; counted where it has none."""
        stored = self.numbers("entities", "degree")
        if (stored >= 0).all():
            return stored
        return np.where(stored >= 0, stored, self.relationships_of().counts)

    def _units_of_relationship(self) -> Csr:
        if self._tables.has_column("relationships", "text_unit_ids"):
            return self._lists("relationships", "text_unit_ids", "text_units")
        units, relationships = graph.resolve_lists(
            self._tables.column("text_units", "relationship_ids", keep=False), self._ids("relationships")
        )
        return graph.csr_of_pairs(relationships, units, self._tables.rows("relationships"))

    def _claims_of(self) -> Csr:
        subjects = graph.resolve_titles(
            self._tables.column("claims", "subject"), self._tables.column("entities", "title")
        )
        return graph.csr_of_pairs(subjects, np.arange(len(subjects)), self._tables.rows("entities"))

    def _tree(self) -> CommunityTree:
        communities, entities = graph.resolve_lists(
            self._tables.column("communities", "entity_ids", keep=False), self._ids("entities")
        )
        if len(entities) and (entities < 0).any():
            communities, entities = graph.resolve_lists(
                undashed_lists(self._tables.column("communities", "entity_ids")),
                graph.undashed(self._ids("entities")),
            )
        good = entities >= 0
        return CommunityTree(
            self.numbers("communities", "community"),
            self.numbers("communities", "level"),
            self.numbers("communities", "parent"),
            Membership(entities[good], communities[good]),
            self._tables.rows("entities"),
        )


def undashed_lists(column: Chunked) -> Chunked:
    """A list column with its items as ids are compared."""
    lists = [convert.texts(chunk) for chunk in column.chunks]
    changed = [
        convert.relisted(
            chunk, graph.undashed(pa.chunked_array([convert.text(arrow.items(chunk))])).combine_chunks()
        )
        for chunk in lists
    ]
    return pa.chunked_array(changed, type=pa.list_(pa.string()))
