"""One table as it lies on disk: its columns, each read when first asked for and kept."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Protocol

from graphrag_cli.errors import IndexDataError
from graphrag_cli.index.arrow import ArrowError, Chunked, pa, parquet
from graphrag_cli.index.schema import SCHEMA, TableName

PANDAS_INDEX = "__index_level_0__"


class SourceTable(Protocol):
    """Columns by name. Safe to use from several threads."""

    @property
    def path(self) -> Path:
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

    def column(self, name: str) -> Chunked:
        """One column, whole. Raises ``IndexDataError`` when the file cannot be read."""
        ...

    def columns_read(self) -> tuple[str, ...]:
        """Names of the columns read so far."""
        ...


def open_table(table: TableName, path: Path) -> SourceTable:
    """Opens a table by its extension. Raises ``IndexDataError`` when it cannot be read."""
    return CsvTable(path) if path.suffix == ".csv" else ParquetTable(table, path)


def _unreadable(path: Path, error: Exception) -> IndexDataError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return IndexDataError(
        f"{str(path)!r} cannot be read: {reason}",
        hint="the file is damaged or was not written to its end; copy it again or run the indexer again",
    )


class ParquetTable:
    """A parquet file, memory-mapped; repeated strings are kept dictionary-encoded as the file has them."""

    def __init__(self, table: TableName, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._read: dict[str, Chunked] = {}
        try:
            metadata = parquet.read_metadata(path)
            columns = metadata.schema
            leaves = [columns.column(place).path for place in range(len(columns.names))]
            encoded = [path for path in leaves if path.split(".", 1)[0] in _encoded_columns(table)]
            self._file = parquet.ParquetFile(
                path, memory_map=True, read_dictionary=encoded, metadata=metadata
            )
            names: list[str] = self._file.schema_arrow.names
            self._names = tuple(name for name in names if name != PANDAS_INDEX)
        except (ArrowError, OSError) as error:
            raise _unreadable(path, error) from error

    @property
    def path(self) -> Path:
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

    def column(self, name: str) -> Chunked:
        """One column, whole."""
        with self._lock:
            if name not in self._read:
                try:
                    self._read[name] = self._file.read(columns=[name]).column(name)
                except (ArrowError, OSError) as error:
                    raise _unreadable(self._path, error) from error
            return self._read[name]

    def columns_read(self) -> tuple[str, ...]:
        """Names of the columns read so far."""
        return tuple(self._read)


def _encoded_columns(table: TableName) -> frozenset[str]:
    """Columns worth keeping encoded: keys, and lists of ids."""
    return frozenset(
        name
        for column in SCHEMA.get(table, {}).values()
        if column.kind in {"key", "texts"}
        for name in column.names
    )


class CsvTable:
    """A CSV file: read whole when first used, every column as text."""

    def __init__(self, path: Path) -> None:
        from pyarrow import csv

        self._path = path
        self._used: set[str] = set()
        try:
            with path.open("rb") as file:
                head = file.readline().decode("utf-8-sig")
            names = [name.strip().strip('"') for name in head.rstrip("\r\n").split(",")]
            self._table = csv.read_csv(
                path,
                parse_options=csv.ParseOptions(newlines_in_values=True),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
                ),
            )
        except (ArrowError, OSError, UnicodeDecodeError) as error:
            raise _unreadable(path, error) from error

    @property
    def path(self) -> Path:
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

    def column(self, name: str) -> Chunked:
        """One column."""
        self._used.add(name)
        return self._table.column(name)

    def columns_read(self) -> tuple[str, ...]:
        """Names of the columns used so far."""
        return tuple(sorted(self._used))
