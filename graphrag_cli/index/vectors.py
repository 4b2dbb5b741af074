"""Vector tables: opened by name, read-only, checked before any model is called.

The only module that reads with ``lance``; ``lancedb`` is imported nowhere on the path of a query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

from graphrag_cli.errors import VectorError
from graphrag_cli.index.lazy import Lazy, LazyMap
from graphrag_cli.index.places import Place, RemotePlace, place_of
from graphrag_cli.index.vector_names import (
    COLUMNS,
    CONTAINER_NAMES,
    built_folder,
    find_table,
    table_names,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.config.settings import IndexSchema, Settings, VectorName
    from graphrag_cli.index.arrow import Chunked, DataType
    from graphrag_cli.index.cache import Cache
    from graphrag_cli.index.graph import Rows
    from graphrag_cli.index.similarity import Matrix
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.index.vector_table import Candidates, VectorSource


@dataclass(frozen=True, slots=True)
class Hits:
    """Nearest records of one query vector, most similar first: ids, and cosine similarities in [-1, 1]."""

    ids: tuple[str, ...]
    similarities: tuple[float, ...]


class VectorTable(Protocol):
    """One table of vectors."""

    @property
    def name(self) -> str:
        """Name of the table as found in the store."""
        ...

    @property
    def width(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def rows(self) -> int:
        """How many it holds."""
        ...

    def search(
        self, queries: NDArray[np.float32], k: int, *, only: Sequence[str] | None = None
    ) -> list[Hits]:
        """The ``k`` nearest of each query; shape of ``queries``: ``(n, width)``.

        The ids are those of the tables. ``only`` narrows to these ids. Ties are broken by position in the
        table. Raises ``VectorError`` on a wrong width.
        """
        ...

    def vectors_of(self, ids: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Vectors of ``ids``, shape ``(len(ids), width)``, and which were found (rows not found are zero)."""
        ...


class VectorTables(Protocol):
    """The vector tables of an index; each opened when first asked for."""

    def open(self, name: VectorName) -> VectorTable:
        """Raises ``VectorError`` naming what was looked for and where, when missing, empty, or of other tables' ids."""
        ...


_COVERED = 0.9
"""An index is used when it covers this share of the rows; the rest is searched flat by lance."""
_ANN = {"nprobes": 32, "refine_factor": 4}


class IndexVectors:
    """The vector tables that belong to a snapshot, wherever they are: built by us, in the store, or in parquet."""

    def __init__(self, settings: Settings, snapshot: Snapshot, model: str | None = None) -> None:
        self._settings = settings
        self._snapshot = snapshot
        self._model = model
        self._opened = LazyMap(lambda name: self._open(_vector_name(name)))

    def open(self, name: VectorName) -> VectorTable:
        """See ``VectorTables.open``."""
        return self._opened(name)

    def _open(self, name: VectorName) -> VectorTable:
        """The first of the places that has a usable table for these records; the last defect when none has."""
        from graphrag_cli.index.vector_table import IdSpace, StoredTable

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
                yield partial(LanceSource, ours, None)
        schema = self._settings.vector_store.index_schema.get(name)
        names = table_names(name, self._settings.vector_store.container_name, schema)
        for store in self.stores():
            stored = find_table(store, names, (CONTAINER_NAMES[name], name))
            if stored is not None:
                yield partial(LanceSource, stored, schema)
        column = self._in_parquet(name)
        if column is not None:
            yield lambda: column

    def stores(self) -> list[Place]:
        """Folders where a LanceDB store may be, best first."""
        from graphrag_cli.index.open import tables_folder

        store = self._settings.vector_store
        if store.type != "lancedb":
            return []
        if store.db_uri is not None:
            return [place_of(self._settings.root, store.db_uri)]
        folder = self._snapshot.tables.located.folder
        named = tables_folder(self._settings)
        return list(dict.fromkeys((folder / "lancedb", named / "lancedb", self._settings.root / "lancedb")))

    def _in_parquet(self, name: VectorName) -> VectorSource | None:
        from graphrag_cli.index.vector_table import OWNERS, ColumnSource

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
        from graphrag_cli.index.source import ParquetTable
        from graphrag_cli.index.vector_table import ColumnSource

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


def _vector_name(name: int | str) -> VectorName:
    match name:
        case "entity_description" | "community_full_content" | "text_unit_text":
            return name
        case _:
            raise VectorError(f"there is no vector table {name!r}")


class LanceSource:
    """A LanceDB table, read with ``lance`` alone. Nothing is ever written, not even an index or a version."""

    def __init__(self, path: Place, schema: IndexSchema | None) -> None:
        import lance

        self._path = path
        try:
            # The package is typed in part only.
            self._data: Any = (
                lance.dataset(str(path), storage_options=dict(path.store.options))
                if isinstance(path, RemotePlace)
                else lance.dataset(str(path))
            )
            self._rows = int(self._data.count_rows())
        except (OSError, ValueError) as error:
            raise VectorError(
                f"the vector table {str(path)!r} cannot be read: {str(error).splitlines()[0]}",
                hint="copy the store again, or build vectors with: graphrag-cli index embed",
            ) from error
        self._id = self._field(schema.id_field if schema else "id", "id")
        self._vector = self._field(schema.vector_field if schema else "vector", "vector")
        self._width = self._measure()
        self._ids = Lazy(self._read_ids)
        self._metric = Lazy(self._read_metric)

    def _field(self, wanted: str, what: Literal["id", "vector"]) -> str:
        """The column named, else the only one of the right type."""
        from graphrag_cli.index import similarity

        types: dict[str, DataType] = {field.name: field.type for field in self._data.schema}
        fits = similarity.is_vector if what == "vector" else similarity.is_id
        others = [name for name, kind in types.items() if fits(kind)]
        if wanted in others:
            return wanted
        if not others or (len(others) > 1 and what == "vector"):
            raise VectorError(
                f"the vector table {str(self._path)!r} has no column {wanted!r} that could be the {what} (found: {', '.join(types)})",
                hint=f"set vector_store.index_schema.<name>.{what}_field",
            )
        return others[0]

    def _measure(self) -> int:
        from graphrag_cli.index import similarity

        head = self._data.to_table(columns=[self._vector], limit=1000)
        return similarity.width_of(head.column(self._vector))

    @property
    def name(self) -> str:
        """Name of the table."""
        return self._path.stem

    @property
    def place(self) -> str:
        """Folder of the store."""
        return str(self._path.parent)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._rows

    @property
    def width(self) -> int:
        """Length of the vectors."""
        return self._width

    def ids(self) -> Chunked:
        """Ids as strings; read once."""
        return self._ids()

    def _read_ids(self) -> Chunked:
        from graphrag_cli.index import convert

        return convert.as_text(self._data.to_table(columns=[self._id]).column(self._id))

    def blocks(self) -> Iterator[Matrix]:
        """Vectors in the order of the table."""
        from graphrag_cli.index import similarity

        for batch in self._data.to_batches(columns=[self._vector], batch_size=8192, scan_in_order=True):
            yield similarity.matrix([batch.column(0)], self._width)

    def take(self, rows: Rows) -> Matrix:
        """Vectors at ``rows``."""
        from graphrag_cli.index import similarity

        taken = self._data.take(rows.tolist(), columns=[self._vector])
        return similarity.matrix(taken.column(self._vector).chunks, self._width)

    def candidates(self, query: Matrix, k: int) -> Candidates | None:
        """From the table's own index, where it covers the table and its order agrees with cosine."""
        from graphrag_cli.index import convert, similarity
        from graphrag_cli.index.vector_table import Candidates

        metric = self._metric()
        if metric is None:
            return None
        wanted = {"column": self._vector, "q": query[0], "k": 4 * k + 64, "metric": metric, **_ANN}
        found = self._data.to_table(columns=[self._id, self._vector], nearest=wanted, with_row_address=True)
        found = found.sort_by("_rowaddr")
        ids = convert.as_text(found.column(self._id)).combine_chunks()
        return Candidates(
            convert.strings(ids), similarity.matrix(found.column(self._vector).chunks, self._width)
        )

    def cache(self) -> Cache:
        """Keyed by every file of data, deletions and versions that the table has."""
        from graphrag_cli.index.cache import NO_CACHE, cache_for

        if isinstance(self._path, RemotePlace):
            return NO_CACHE
        return cache_for(self._path, (path for path in self._path.rglob("*") if path.is_file()))

    def _read_metric(self) -> str | None:
        """Metric of an index of (nearly) all rows by which nearest are nearest by cosine too; None: there is none.

        GraphRAG's own index is made over a single row that is then deleted: it covers nothing and is not used.
        """
        from graphrag_cli.index import similarity

        for index in self._data.describe_indices():
            if index.field_names != [self._vector] or index.num_rows_indexed < _COVERED * self._rows:
                continue
            metric = str(index.details.get("metric_type", "")).lower()
            head = self._data.to_table(columns=[self._vector], limit=256).column(self._vector)
            if metric == "cosine" or similarity.all_unit(similarity.matrix(head.chunks, self._width)):
                return metric
        return None
