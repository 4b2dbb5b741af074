"""Vectors in a LanceDB table, read with ``lance`` alone: ``lancedb`` takes three times as long to import."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphrag_cli.errors import VectorError
from graphrag_cli.index.arrow import ArrowError, Chunked, DataType, pa
from graphrag_cli.index.graph import Rows
from graphrag_cli.index.kept.cache import NO_CACHE, Cache, cache_for
from graphrag_cli.index.lazy import Lazy
from graphrag_cli.index.places import Place, RemotePlace
from graphrag_cli.index.tables import convert
from graphrag_cli.index.vectors import similarity
from graphrag_cli.index.vectors.similarity import Matrix
from graphrag_cli.index.vectors.source import Candidates

if TYPE_CHECKING:
    from graphrag_cli.config.settings import IndexSchema

_BLOCK = 1024
"""Vectors read at a time."""
_READ_AHEAD = 16 * 1024 * 1024
"""Bytes that lance may read ahead; left to itself it takes 2 GB."""
_COVERED = 0.9
"""An index is used when it covers this share of the rows; the rest is searched flat by lance."""
_ANN = {"nprobes": 32, "refine_factor": 4}


class LanceSource:
    """A LanceDB table, read with ``lance`` alone. Nothing is ever written, not even an index or a version."""

    def __init__(self, path: Place, schema: IndexSchema | None) -> None:
        import lance

        self._path = path
        with self._readable():
            # The package is typed in part only.
            self._data: Any = (
                lance.dataset(str(path), storage_options=dict(path.store.options))
                if isinstance(path, RemotePlace)
                else lance.dataset(str(path))
            )
            self._rows = int(self._data.count_rows())
        self._id = self._field(schema.id_field if schema else "id", "id")
        self._vector = self._field(schema.vector_field if schema else "vector", "vector")
        self._width = self._measure()
        self._ids = Lazy(self._read_ids)
        self._metric = Lazy(self._read_metric)

    @contextmanager
    def _readable(self) -> Generator[None]:
        """Opening a table reads its manifest alone: that its data are gone shows at any later read."""
        try:
            yield
        except (OSError, ValueError, ArrowError) as error:
            raise VectorError(
                f"the vector table {str(self._path)!r} cannot be read: {_first_sentence(error)}",
                hint="copy the store again, or build vectors with: graphrag-cli index embed",
            ) from error

    def _field(self, wanted: str, what: Literal["id", "vector"]) -> str:
        """The column named, else the only one of the right type."""
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
        kind = self._data.schema.field(self._vector).type
        if pa.types.is_fixed_size_list(kind):
            return int(kind.list_size)
        with self._readable():
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
        with self._readable():
            return convert.as_text(self._data.to_table(columns=[self._id]).column(self._id))

    def blocks(self) -> Iterator[Matrix]:
        """Vectors in the order of the table."""
        with self._readable():
            batches = self._data.to_batches(
                columns=[self._vector],
                batch_size=_BLOCK,
                batch_readahead=1,
                io_buffer_size=_READ_AHEAD,
                scan_in_order=True,
            )
        for batch in batches:
            yield similarity.matrix([batch.column(0)], self._width)

    def take(self, rows: Rows) -> Matrix:
        """Vectors at ``rows``."""
        with self._readable():
            taken = self._data.take(rows.tolist(), columns=[self._vector])
        return similarity.matrix(taken.column(self._vector).chunks, self._width)

    def candidates(self, query: Matrix, k: int) -> Candidates | None:
        """From the table's own index, where it covers the table and its order agrees with cosine."""
        metric = self._metric()
        if metric is None:
            return None
        wanted = {"column": self._vector, "q": query[0], "k": 4 * k + 64, "metric": metric, **_ANN}
        columns = [self._id, self._vector]
        with self._readable():
            found = self._data.to_table(columns=columns, nearest=wanted, with_row_address=True)
        found = found.sort_by("_rowaddr")
        ids = convert.as_text(found.column(self._id)).combine_chunks()
        return Candidates(
            convert.strings(ids), similarity.matrix(found.column(self._vector).chunks, self._width)
        )

    def cache(self) -> Cache:
        """Keyed by every file of data, deletions and versions that the table has."""
        if isinstance(self._path, RemotePlace):
            return NO_CACHE
        return cache_for(self._path, files_of(self._path))

    def _read_metric(self) -> str | None:
        """Metric of an index of (nearly) all rows by which nearest are nearest by cosine too; None: there is none.

        GraphRAG's own index is made over a single row that is then deleted: it covers nothing and is not used.
        """
        for index in self._data.describe_indices():
            if index.field_names != [self._vector] or index.num_rows_indexed < _COVERED * self._rows:
                continue
            metric = str(index.details.get("metric_type", "")).lower()
            with self._readable():
                head = self._data.to_table(columns=[self._vector], limit=256).column(self._vector)
            if metric == "cosine" or similarity.all_unit(similarity.matrix(head.chunks, self._width)):
                return metric
        return None


def files_of(table: Path) -> list[Path]:
    """Every file of data, deletions, indexes and versions that a table on this machine has."""
    return sorted(path for path in table.rglob("*") if path.is_file())


def _first_sentence(error: Exception) -> str:
    """The reason without the place in lance's own source that it ends with."""
    line = str(error).splitlines()[0] if str(error) else type(error).__name__
    return line.split(", /")[0]
