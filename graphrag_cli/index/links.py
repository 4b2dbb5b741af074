"""What is worked out from the tables of one index: who links to whom. Each structure is built when first needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index import arrow, graph
from graphrag_cli.index.arrow import Array, Chunked, pa
from graphrag_cli.index.communities import CommunityTree, Membership, distinct_target_counts
from graphrag_cli.index.graph import Csr, Ints, KeyIndex, Lookup, NumberIndex, Rows
from graphrag_cli.index.lazy import Lazy, LazyMap
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.adapt import Tables
from graphrag_cli.index.tables.schema import TableName

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Level


class Links:
    """Look-up structures over the canonical tables; every attribute is a call that builds on first use."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.endpoints = Lazy(lambda: self._pair("endpoints", self._endpoints))
        """Entity rows of source and of target per relationship, -1 where a title is no entity: int32."""
        self.relationships_of = Lazy(lambda: self._csr("relationships_of", self._relationships_of))
        """Entity → relationships."""
        self.degrees = Lazy(self._degrees)
        """Number of relationships of each entity: int64."""
        self.units_of_entity = Lazy(lambda: self._csr("units_of_entity", self._units_of_entity))
        """Entity → text units."""
        self.units_of_relationship = Lazy(
            lambda: self._csr("units_of_relationship", self._units_of_relationship)
        )
        """Relationship → text units."""
        self.claims_of = Lazy(lambda: self._csr("claims_of", self._claims_of))
        """Entity → claims about it."""
        self.unit_of_claim = Lazy(
            lambda: self._one("unit_of_claim", lambda: self._keys("claims", "text_unit_id", "text_units"))
        )
        """Text unit row of each claim, -1 where unknown."""
        self.document_of_unit = Lazy(
            lambda: self._one(
                "document_of_unit", lambda: self._keys("text_units", "document_id", "documents")
            )
        )
        """Document row of each text unit, -1 where unknown."""
        self.tree = Lazy(self._tree)
        self.deepest = LazyMap(self._deepest)
        """Community number of each entity, by level."""
        self.units_per_community = Lazy(lambda: self._one("units_per_community", self._units_per_community))
        """Distinct text units of the entities of each row of the communities table."""
        self.report_index = Lazy(lambda: NumberIndex(self.numbers("reports", "community")))
        self.number_index = LazyMap(self._number_index)
        self.id_index = LazyMap(self._id_index)
        """Rows by id, by table; None where passing over the ids is as quick."""

    # -- kept between runs, where the index is large ----------------------------------------------------------

    def _one(self, name: str, make: Callable[[], Rows]) -> Rows:
        (kept,) = self._tables.cache.arrays(name, lambda: [(make(),)], 1)
        return kept

    def _pair(
        self, name: str, make: Callable[[], tuple[NDArray[Any], NDArray[Any]]]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        first, second = self._tables.cache.arrays(name, lambda: [make()], 2)
        return first, second

    def _csr(self, name: str, make: Callable[[], Csr]) -> Csr:
        def parts() -> tuple[NDArray[Any], NDArray[Any]]:
            made = make()
            return made.offsets, made.targets

        return Csr(*self._pair(name, parts))

    # -- columns ----------------------------------------------------------------------------------------------

    def numbers(self, table: TableName, name: str) -> Rows:
        """A whole int64 column."""
        return convert.numbers(self._tables.column(table, name))

    def _id_index(self, table: TableName) -> KeyIndex | None:
        if not self._tables.is_cached(table, "id"):
            return None
        column = self._ids(table)
        (order,) = self._tables.cache.arrays(f"{table}.order", lambda: [(graph.sorted_order(column),)], 1)
        return KeyIndex(column, order)

    def _number_index(self, table: TableName) -> NumberIndex:
        return NumberIndex(self.numbers(table, "number"))

    def _ids(self, table: TableName) -> Chunked:
        return self._tables.column(table, "id")

    def _keys(self, table: TableName, name: str, target: TableName) -> Rows:
        """Row of ``target`` per row of a column of its ids; -1 where unknown or empty."""
        column = self._tables.column(table, name)
        return graph.resolve_column(column, self._ids(target)).astype(np.int64)

    # -- the graph --------------------------------------------------------------------------------------------

    def _endpoints(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        source, target = (self._tables.column("relationships", name) for name in ("source", "target"))
        both = pa.chunked_array([*source.chunks, *target.chunks], type=source.type)
        ends = graph.resolve_titles(both, self._tables.column("entities", "title"))
        return ends[: len(source)], ends[len(source) :]

    def _relationships_of(self) -> Csr:
        source, target = self.endpoints()
        rows = np.arange(len(source))
        loops = source == target
        owners = np.concatenate([source, np.where(loops, np.int32(-1), target)])
        return graph.csr_of_pairs(owners, np.concatenate([rows, rows]), self._tables.rows("entities"))

    def _degrees(self) -> Rows:
        """As the table has them; counted where it has none."""
        stored = self.numbers("entities", "degree")
        if (stored >= 0).all():
            return stored
        return np.where(stored >= 0, stored, self.relationships_of().counts)

    # -- where it was read ------------------------------------------------------------------------------------

    def _lists(self, table: TableName, name: str, target: TableName) -> tuple[Ints, Ints]:
        return graph.resolve_lists(self._tables.lists(table, name), self._ids(target))

    def _units(self) -> Lookup:
        return Lookup(self._ids("text_units"))

    def _units_of_entity(self) -> Csr:
        return graph.csr_of_lists(self._tables.lists("entities", "text_unit_ids"), self._units())

    def _units_of_relationship(self) -> Csr:
        count = self._tables.rows("relationships")
        if self._tables.has_column("relationships", "text_unit_ids"):
            return graph.csr_of_lists(self._tables.lists("relationships", "text_unit_ids"), self._units())
        units, relationships = self._lists("text_units", "relationship_ids", "relationships")
        return graph.csr_of_pairs(relationships, units, count)

    def _claims_of(self) -> Csr:
        subjects = graph.resolve_titles(
            self._tables.column("claims", "subject"), self._tables.column("entities", "title")
        )
        return graph.csr_of_pairs(subjects, np.arange(len(subjects)), self._tables.rows("entities"))

    # -- communities ------------------------------------------------------------------------------------------

    def _tree(self) -> CommunityTree:
        entities, communities = self._pair("members", self._members)
        return CommunityTree(
            self.numbers("communities", "community"),
            self.numbers("communities", "level"),
            self.numbers("communities", "parent"),
            Membership(entities, communities),
            self._tables.rows("entities"),
        )

    def _members(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        communities, entities = self._lists("communities", "entity_ids", "entities")
        if len(entities) and (entities < 0).any():
            lists = (undashed_lists(chunk) for chunk in self._tables.lists("communities", "entity_ids"))
            communities, entities = graph.resolve_lists(lists, graph.undashed(self._ids("entities")))
        good = entities >= 0
        return entities[good].astype(np.int32), communities[good].astype(np.int32)

    def _deepest(self, level: Level) -> Rows:
        return self._one(f"deepest.{level}", lambda: self.tree().deepest(level))

    def _units_per_community(self) -> Rows:
        tree = self.tree()
        return distinct_target_counts(tree.members(), self.units_of_entity(), np.arange(len(tree.numbers)))


def undashed_lists(chunk: Array) -> Array:
    """A chunk of lists with its items as ids are compared."""
    lists = convert.texts(chunk)
    items = graph.undashed(pa.chunked_array([convert.text(arrow.items(lists))]))
    return convert.relisted(lists, arrow.joined(items))
