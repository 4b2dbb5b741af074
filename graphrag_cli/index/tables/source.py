"""One table as it lies on disk: its columns, each read when first asked for and kept."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.errors import IndexDataError
from graphrag_cli.index import arrow
from graphrag_cli.index.arrow import Array, ArrowError, Chunked, DataType, pa, parquet
from graphrag_cli.index.places import Place, RemotePlace
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.schema import SCHEMA, TableName

PANDAS_INDEX = "__index_level_0__"
_HEAD = 65_536
"""The first line of a CSV file is within so many bytes."""
_PIECE = 16_384
"""Rows decoded at a time when only some are wanted."""
_BATCH = 262_144
_BATCH_BYTES = 8 * 1024 * 1024
"""Rows of a column decoded at a time, and about how many bytes: what is as large as this is used again and again
instead of asked of the system, and arrow cannot hold more than 2 GB of strings in one array."""
_BUFFER = 256 * 1024
"""Bytes read at a time of a file on this machine; left to itself arrow first reads all there is of a column."""


class SourceTable(Protocol):
    """Columns by name. Safe to use from several threads."""

    @property
    def path(self) -> Place:
        """The file."""
        ...

    @property
    def rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns there are."""
        ...

    def type_of(self, name: str) -> DataType:
        """Arrow type of a column."""
        ...

    def column(self, name: str) -> Chunked:
        """One column, whole. Raises ``IndexDataError`` when the file cannot be read."""
        ...

    def bytes_of(self, name: str) -> int:
        """About how many bytes a column takes when it is read."""
        ...

    def batches(self, name: str) -> Iterator[Array]:
        """One column, piece by piece; nothing is kept. Raises ``IndexDataError`` when the file cannot be read."""
        ...

    def take(self, name: str, rows: NDArray[np.int64]) -> Array:
        """Values of one column at ``rows``, without holding the whole column where it is long."""
        ...

    def columns_read(self) -> tuple[str, ...]:
        """Names of the columns read so far."""
        ...


def open_table(table: TableName, path: Place) -> SourceTable:
    """Opens a table by its extension. Raises ``IndexDataError`` when it cannot be read."""
    return CsvTable(path) if path.suffix == ".csv" else ParquetTable(table, path)


def _unreadable(path: Place, error: Exception) -> IndexDataError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return IndexDataError(
        f"{str(path)!r} cannot be read: {reason}",
        hint="the file is damaged or was not written to its end; copy it again or run the indexer again",
    )


def _address(path: Place) -> str:
    return path.path if isinstance(path, RemotePlace) else str(path)


def _filesystem(path: Place) -> Any:
    """Arrow's filesystem for a path; None is this machine's."""
    return path.store.filesystem if isinstance(path, RemotePlace) else None


def _stream(path: Place) -> Any:
    return (
        path.store.filesystem.open_input_file(path.path) if isinstance(path, RemotePlace) else path.open("rb")
    )


def _opened(path: Place, metadata: Any, encoded: Sequence[str] = ()) -> Any:
    if isinstance(path, RemotePlace):
        # Far away one large read is better than many small ones.
        return parquet.ParquetFile(
            path.path, metadata=metadata, read_dictionary=encoded, filesystem=path.store.filesystem
        )
    return parquet.ParquetFile(
        str(path), metadata=metadata, read_dictionary=encoded, pre_buffer=False, buffer_size=_BUFFER
    )


class ParquetTable:
    """A parquet file; repeated strings are kept dictionary-encoded as the file has them."""

    def __init__(self, table: TableName, path: Place) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._read: dict[str, None] = {}
        try:
            metadata = parquet.read_metadata(_address(path), filesystem=_filesystem(path))
            columns = metadata.schema
            leaves = [columns.column(place).path for place in range(len(columns.names))]
            encoded = [path for path in leaves if path.split(".", 1)[0] in _encoded_columns(table)]
            self._file = _opened(path, metadata, encoded)
            names: list[str] = self._file.schema_arrow.names
            self._names = tuple(name for name in names if name != PANDAS_INDEX)
        except (ArrowError, OSError) as error:
            raise _unreadable(path, error) from error

    @property
    def path(self) -> Place:
        """The file."""
        return self._path

    @property
    def rows(self) -> int:
        """Number of rows, from the footer."""
        return int(self._file.metadata.num_rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, without the index that pandas may have added."""
        return self._names

    def type_of(self, name: str) -> DataType:
        """Arrow type of a column, from the footer."""
        return self._file.schema_arrow.field(name).type

    def column(self, name: str) -> Chunked:
        """One column, whole; read anew by every call."""
        kind = self.type_of(name)
        if pa.types.is_nested(kind):
            return pa.chunked_array(list(self.batches(name)), type=kind)
        with self._lock, self._readable():
            self._read[name] = None
            return self._file.read(columns=[name]).column(name)

    def batches(self, name: str) -> Iterator[Array]:
        """One column, piece by piece, through a reader of its own: several may run side by side."""
        self._read[name] = None
        with self._readable():
            file = _opened(self._path, self._file.metadata)
            for batch in file.iter_batches(self._batch_rows(name), columns=[name], use_threads=False):
                yield batch.column(0)

    def _batch_rows(self, name: str) -> int:
        """How many rows make a batch of reasonable size."""
        return max(256, min(_BATCH, self.rows * _BATCH_BYTES // max(self.bytes_of(name), 1)))

    def bytes_of(self, name: str) -> int:
        """As the footer says: without compression, but with repeated values written once."""
        metadata = self._file.metadata
        chunks = [
            metadata.row_group(group).column(place)
            for group in range(metadata.num_row_groups)
            for place in range(metadata.num_columns)
        ]
        return sum(
            int(chunk.total_uncompressed_size)
            for chunk in chunks
            if chunk.path_in_schema.split(".", 1)[0] == name
        )

    def take(self, name: str, rows: NDArray[np.int64]) -> Array:
        """Decodes the row groups that hold ``rows``, piece by piece, and keeps nothing else."""
        order = np.argsort(rows, kind="stable")
        wanted = rows[order]
        parts: list[Array] = []
        with self._lock, self._readable():
            self._read[name] = None
            for start, batch in self._pieces(name, wanted):
                low, high = np.searchsorted(wanted, [start, start + len(batch)])
                parts.append(convert.pick(batch, wanted[low:high] - start))
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        return convert.pick(pa.concat_arrays(parts), back)

    def _pieces(self, name: str, wanted: NDArray[np.int64]) -> Iterator[tuple[int, Array]]:
        """Pieces of a column that hold some of the ascending rows ``wanted``, each with its first row."""
        start = 0
        for group in range(self._file.num_row_groups):
            count = int(self._file.metadata.row_group(group).num_rows)
            if np.searchsorted(wanted, start) < np.searchsorted(wanted, start + count):
                yield from self._pieces_of(
                    name, group, start, int(wanted[np.searchsorted(wanted, start + count) - 1])
                )
            start += count

    def _pieces_of(self, name: str, group: int, start: int, last: int) -> Iterator[tuple[int, Array]]:
        for batch in self._file.iter_batches(_PIECE, row_groups=[group], columns=[name]):
            if start > last:
                return
            yield start, arrow.decoded(batch.column(0))
            start += len(batch)

    @contextmanager
    def _readable(self) -> Generator[None]:
        try:
            yield
        except (ArrowError, OSError) as error:
            raise _unreadable(self._path, error) from error

    def columns_read(self) -> tuple[str, ...]:
        """Names of the columns read so far."""
        return tuple(self._read)


def _encoded_columns(table: TableName) -> frozenset[str]:
    """Columns worth keeping encoded: keys."""
    return frozenset(
        name for column in SCHEMA.get(table, {}).values() if column.kind == "key" for name in column.names
    )


class CsvTable:
    """A CSV file: read whole when first used, every column as text."""

    def __init__(self, path: Place) -> None:
        from pyarrow import csv

        self._path = path
        self._used: set[str] = set()
        try:
            with _stream(path) as file:
                head = file.read(_HEAD).decode("utf-8-sig", "replace").splitlines()
            names = [name.strip().strip('"') for name in head[0].split(",")] if head else []
            options = csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
            )
            with _stream(path) as file:
                self._table: Any = csv.read_csv(
                    file, parse_options=csv.ParseOptions(newlines_in_values=True), convert_options=options
                )
        except (ArrowError, OSError, UnicodeDecodeError) as error:
            raise _unreadable(path, error) from error

    @property
    def path(self) -> Place:
        """The file."""
        return self._path

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._table.num_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; the unnamed one that pandas writes for its index is left out."""
        return tuple(name for name in self._table.column_names if name)

    def type_of(self, name: str) -> DataType:
        """Always text."""
        return self._table.schema.field(name).type

    def column(self, name: str) -> Chunked:
        """One column."""
        self._used.add(name)
        return self._table.column(name)

    def bytes_of(self, name: str) -> int:
        """Nothing more than the table takes already."""
        return 0

    def batches(self, name: str) -> Iterator[Array]:
        """The chunks of one column."""
        yield from self.column(name).chunks

    def take(self, name: str, rows: NDArray[np.int64]) -> Array:
        """Values at ``rows``."""
        return convert.take(self.column(name), rows)

    def columns_read(self) -> tuple[str, ...]:
        """Names of the columns used so far."""
        return tuple(sorted(self._used))
