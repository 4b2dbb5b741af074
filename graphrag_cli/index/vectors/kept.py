"""Vectors of a small LanceDB table as a plain matrix in the user's cache: the second question needs no ``lance``.

Importing it takes half a second and 80 MB, which is most of what a question to a small index costs. The table stays
the source: what is kept belongs to one state of its files, so that any change of them is read from the table again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.index.arrow import Array, Chunked, pa
from graphrag_cli.index.graph import Rows
from graphrag_cli.index.kept.cache import Cache, cache_for
from graphrag_cli.index.kept.files import release_array
from graphrag_cli.index.lazy import Lazy
from graphrag_cli.index.places import Place, RemotePlace
from graphrag_cli.index.vectors.lance import LanceSource, files_of
from graphrag_cli.index.vectors.similarity import Matrix
from graphrag_cli.index.vectors.source import Candidates, VectorSource

if TYPE_CHECKING:
    from graphrag_cli.config.settings import IndexSchema

SMALL = 128 * 1024 * 1024
"""Bytes of the files of a table that is kept as a plain matrix: 20,000 vectors of 1,536 numbers. Of larger ones the
copy would take more of the disk than half a second is worth."""
_BLOCK_BYTES = 8 * 1024 * 1024


def stored_vectors(path: Place, schema: IndexSchema | None) -> VectorSource:
    """The LanceDB table in ``path``, or what is kept of it. Raises ``VectorError`` as ``LanceSource`` does."""
    table = Lazy(lambda: LanceSource(path, schema))
    if isinstance(path, RemotePlace):
        return table()
    files = files_of(path)
    if _size(files) > SMALL:
        return table()
    cache = cache_for(path, files, worth=0)
    if not cache.active:
        return table()
    name = _name(schema)
    (matrix,) = cache.arrays(name, lambda: _matrices(table()), 1)
    ids = cache.column(f"{name}.ids", lambda: _ids(table())).column
    return KeptVectors(path, ids, matrix, cache)


def _size(files: Sequence[Path]) -> int:
    try:
        return sum(path.stat().st_size for path in files)
    except OSError:
        return SMALL + 1  # someone is writing: the table itself says what it is


def _name(schema: IndexSchema | None) -> str:
    """What is kept depends on the columns that settings name."""
    fields = f"{schema.id_field}\0{schema.vector_field}" if schema else ""
    return f"vectors-{hashlib.sha256(fields.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def _matrices(table: LanceSource) -> Iterator[tuple[Matrix]]:
    yield (np.empty((0, table.width), np.float32),)
    for block in table.blocks():
        yield (block,)


def _ids(table: LanceSource) -> list[Array]:
    return [pa.array([], pa.string()), *table.ids().chunks]


class KeptVectors:
    """A ``VectorSource`` over a mapped matrix."""

    def __init__(self, path: Path, ids: Chunked, vectors: Matrix, cache: Cache) -> None:
        self._path = path
        self._ids = ids
        self._vectors = vectors
        self._cache = cache

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
        return len(self._vectors)

    @property
    def width(self) -> int:
        """Length of the vectors."""
        return self._vectors.shape[1]

    def ids(self) -> Chunked:
        """Ids as strings."""
        return self._ids

    def blocks(self) -> Iterator[Matrix]:
        """Slices of the mapped file, each given back when the next is asked for."""
        rows = max(1, _BLOCK_BYTES // max(4 * self.width, 1))
        for start in range(0, self.rows, rows):
            yield self._vectors[start : start + rows]
            release_array(self._vectors)

    def take(self, rows: Rows) -> Matrix:
        """Vectors at ``rows``."""
        taken = self._vectors[rows]
        release_array(self._vectors)
        return taken

    def candidates(self, query: Matrix, k: int) -> Candidates | None:
        """Few vectors need no index of approximate neighbours."""
        del query, k
        return None

    def cache(self) -> Cache:
        """Where the matrix lies."""
        return self._cache
