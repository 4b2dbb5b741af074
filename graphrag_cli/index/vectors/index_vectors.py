"""Finds the vector tables of an index: built by us for the model in use, in its LanceDB store, or in its parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from graphrag_cli.errors import VectorError
from graphrag_cli.index.lazy import LazyMap
from graphrag_cli.index.open import tables_folder
from graphrag_cli.index.places import Place, place_of
from graphrag_cli.index.tables.schema import OWNERS
from graphrag_cli.index.tables.source import ParquetTable
from graphrag_cli.index.vectors.base import VectorTable
from graphrag_cli.index.vectors.id_space import IdSpace
from graphrag_cli.index.vectors.kept import stored_vectors
from graphrag_cli.index.vectors.names import COLUMNS, CONTAINER_NAMES, built_folder, find_table, table_names
from graphrag_cli.index.vectors.source import ColumnSource, VectorSource
from graphrag_cli.index.vectors.table import StoredTable

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Settings, VectorName
    from graphrag_cli.index.snapshot import Snapshot


class IndexVectors:
    """The vector tables that belong to a snapshot, wherever they are: built by us, in the store, or in parquet."""

    def __init__(self, settings: Settings, snapshot: Snapshot, model: str | None = None) -> None:
        self._settings = settings
        self._snapshot = snapshot
        self._model = model
        self._opened = LazyMap(self._open)

    def open(self, name: VectorName) -> VectorTable:
        """See ``VectorTables.open``."""
        return self._opened(name)

    def prepare(self, name: VectorName) -> None:
        """Makes what the first search of a table would make. Raises ``VectorError`` as ``open`` does."""
        self._opened(name).prepare()

    def _open(self, name: VectorName) -> StoredTable:
        """The first of the places that has a usable table for these records; the last defect when none has."""
        space = IdSpace(self._snapshot, name)
        defects: list[VectorError] = []
        for source in self._sources(name):
            try:
                return StoredTable(source(), space, self._model)
            except VectorError as error:
                defects.append(error)
        raise defects[-1] if defects else self._missing(name)

    def _sources(self, name: VectorName) -> Iterator[Callable[[], VectorSource]]:
        """Where the table may be, best first: built by us for this model, in the store, in the tables."""
        if self._model:
            ours = find_table(built_folder(self._settings, self._model), (name,), ())
            if ours is not None:
                yield partial(stored_vectors, ours, None)
        schema = self._settings.vector_store.index_schema.get(name)
        names = table_names(name, self._settings.vector_store.container_name, schema)
        for store in self.stores():
            stored = find_table(store, names, (CONTAINER_NAMES[name], name))
            if stored is not None:
                yield partial(stored_vectors, stored, schema)
        column = self._in_parquet(name)
        if column is not None:
            yield lambda: column

    def stores(self) -> list[Place]:
        """Folders where a LanceDB store may be, best first."""
        store = self._settings.vector_store
        if store.type != "lancedb":
            return []
        if store.db_uri is not None:
            return [place_of(self._settings.root, store.db_uri)]
        folder = self._snapshot.tables.located.folder
        named = tables_folder(self._settings)
        near = (folder, named, folder.parent, self._settings.root)
        return list(dict.fromkeys(place / "lancedb" for place in near))

    def _in_parquet(self, name: VectorName) -> VectorSource | None:
        tables = self._snapshot.tables
        owner = OWNERS[name]
        source = tables.sources.get(owner)
        for column in COLUMNS[name]:
            if source is not None and column in source.columns:
                return ColumnSource(
                    column, str(source.path), tables.column(owner, "id"), source.column(column)
                )
        return self._in_snapshot(name)

    def _in_snapshot(self, name: VectorName) -> VectorSource | None:
        folder = self._snapshot.tables.located.folder
        dotted = CONTAINER_NAMES[name].replace("-", ".")
        for spelling in (name, dotted):
            path = folder / f"embeddings.{spelling}.parquet"
            if path.is_file():
                table = ParquetTable("nodes", path)
                if {"id", "embedding"} <= set(table.columns):
                    return ColumnSource(path.stem, str(folder), table.column("id"), table.column("embedding"))
        return None

    def _missing(self, name: VectorName) -> VectorError:
        store = self._settings.vector_store
        hint = "build them with: graphrag-cli index embed"
        if store.type != "lancedb":
            return VectorError(f"vectors in a store of type {store.type!r} cannot be read", hint=hint)
        places = self.stores()
        there = next((place for place in places if place.is_dir()), None)
        if there is None:
            text = f"no vectors for {name}: there is no LanceDB store at {str(places[0])!r}"
        else:
            found = (
                ", ".join(sorted(path.stem for path in there.iterdir() if path.suffix == ".lance"))
                or "nothing"
            )
            names = table_names(name, store.container_name, store.index_schema.get(name))
            text = f"no vectors for {name} in {str(there)!r}: looked for {', '.join(names[:3])}; it holds {found}"
        return VectorError(text, hint=f"set vector_store.db_uri to where they are, or {hint}")
