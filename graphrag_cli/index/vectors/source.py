"""Where vectors are read from: the questions that a search asks of any source, and the one that reads parquet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from graphrag_cli.index.arrow import Chunked
from graphrag_cli.index.graph import Rows
from graphrag_cli.index.kept.cache import NO_CACHE, Cache
from graphrag_cli.index.tables import convert
from graphrag_cli.index.vectors import similarity
from graphrag_cli.index.vectors.similarity import Matrix


@dataclass(frozen=True, slots=True)
class Candidates:
    """Ids and vectors of records that are likely near, in the order of the table."""

    ids: list[str]
    vectors: Matrix


class VectorSource(Protocol):
    """Where vectors are read from."""

    @property
    def name(self) -> str:
        """Name of the table or column, for people."""
        ...

    @property
    def place(self) -> str:
        """Where it lies."""
        ...

    @property
    def rows(self) -> int:
        """Number of vectors."""
        ...

    @property
    def width(self) -> int:
        """Length of the vectors."""
        ...

    def ids(self) -> Chunked:
        """Ids as strings."""
        ...

    def blocks(self) -> Iterator[Matrix]:
        """All vectors, in order, as they are stored."""
        ...

    def take(self, rows: Rows) -> Matrix:
        """Vectors at ``rows``."""
        ...

    def candidates(self, query: Matrix, k: int) -> Candidates | None:
        """Records likely to hold the ``k`` nearest, from an index of approximate neighbours; None when there is none."""
        ...

    def cache(self) -> Cache:
        """Where what is worked out from this state of the table may be kept."""
        ...


class ColumnSource:
    """Vectors in a column of a parquet table: in releases up to 0.4, and in snapshots of embeddings."""

    def __init__(self, name: str, place: str, ids: Chunked, vectors: Chunked) -> None:
        self._name = name
        self._place = place
        self._ids = ids
        self._vectors = vectors
        self._width = similarity.width_of(vectors)

    @property
    def name(self) -> str:
        """Name of the column."""
        return self._name

    @property
    def place(self) -> str:
        """Path of the file."""
        return self._place

    @property
    def rows(self) -> int:
        """Number of vectors."""
        return len(self._ids)

    @property
    def width(self) -> int:
        """The length that most of them have."""
        return self._width

    def ids(self) -> Chunked:
        """Ids."""
        return self._ids

    def blocks(self) -> Iterator[Matrix]:
        """One block."""
        yield similarity.matrix(self._vectors.chunks, self._width)

    def take(self, rows: Rows) -> Matrix:
        """Vectors at ``rows``."""
        return similarity.matrix([convert.take(self._vectors, rows)], self._width)

    def candidates(self, query: Matrix, k: int) -> Candidates | None:
        """There is never an index."""
        del query, k
        return None

    def cache(self) -> Cache:
        """Nothing is kept: old releases' tables are small."""
        return NO_CACHE
