"""One vector table over any source: checks, exact search, and ids translated to those of the tables."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.errors import VectorError
from graphrag_cli.index import graph
from graphrag_cli.index.graph import Rows
from graphrag_cli.index.lazy import Lazy
from graphrag_cli.index.tables import convert
from graphrag_cli.index.vectors import similarity
from graphrag_cli.index.vectors.base import Hits, made_by
from graphrag_cli.index.vectors.coalesce import Coalesced
from graphrag_cli.index.vectors.compact import Compact, candidates, compress
from graphrag_cli.index.vectors.id_space import IdSpace, overlap
from graphrag_cli.index.vectors.similarity import Matrix, Nearest
from graphrag_cli.index.vectors.source import VectorSource

MEMORY_LIMIT = 32 * 1024 * 1024
"""Tables of vectors up to so many bytes are read whole; of larger ones a compact form is kept in the cache."""

MOST_QUERIES = 32
"""So many searches that run side by side share one pass over the compact form."""
ANN_BYTES = 256 * 1024 * 1024
"""Only tables larger than this are searched through their own index of approximate neighbours."""


class StoredTable:
    """A ``VectorTable`` over a source."""

    def __init__(self, source: VectorSource, space: IdSpace, model: str | None) -> None:
        self._source = source
        self._space = space
        self._model = model
        self._undashed = Lazy(lambda: graph.undashed(source.ids()))
        self._memory = Lazy(self._in_memory)
        self._compact = Lazy(self._compressed)
        self._comparing = threading.Semaphore(2)
        """Reading hundreds of scattered vectors takes memory; many threads at a time take a lot."""
        self._certain = Coalesced(self._certain_rows, MOST_QUERIES)
        self._fits = source.rows * source.width * 4 <= MEMORY_LIMIT
        _check(source, space)

    @property
    def name(self) -> str:
        """Name of the table as found in the store."""
        return self._source.name

    @property
    def place(self) -> str:
        """Where it was found."""
        return self._source.place

    @property
    def width(self) -> int:
        """Length of its vectors."""
        return self._source.width

    @property
    def rows(self) -> int:
        """How many it holds."""
        return self._source.rows

    def overlap(self) -> float:
        """Share of a sample of its ids that are records of the index."""
        return overlap(self._source, self._space)

    def covered(self, records: int) -> float:
        """Share of ``records`` that have a usable vector. Reads the whole table."""
        good = np.concatenate([positions[~np.isnan(block[:, 0])] for positions, block in self._blocks()])
        rows = self._space.rows(convert.strings(convert.take(self._source.ids(), good)))
        return len(np.unique(rows[rows >= 0])) / max(records, 1)

    def _in_memory(self) -> Matrix:
        blocks = list(self._source.blocks())
        scaled = similarity.unit(np.concatenate(blocks) if len(blocks) != 1 else blocks[0])
        if np.isnan(scaled[:, 0]).all():
            raise self._all_useless()
        return scaled

    def _blocks(self) -> Iterator[tuple[Rows, Matrix]]:
        if self._fits:
            yield np.arange(self.rows), self._memory()
            return
        start = 0
        for block in self._source.blocks():
            yield np.arange(start, start + len(block)), similarity.unit(block)
            start += len(block)

    def _unit_rows(self, rows: Rows) -> Matrix:
        return self._memory()[rows] if self._fits else similarity.unit(self._source.take(rows))

    def _compressed(self) -> Compact | None:
        """The compact form, where there is a cache to keep it in: making it costs more than a search."""
        cache = self._source.cache()
        if not cache.active:
            return None

        def make() -> Iterator[tuple[NDArray[Any], ...]]:
            for part in compress(self._source.blocks()):
                yield part.codes, part.scales, part.errors

        compact = Compact(*cache.arrays("compact", make, 3))
        if np.isnan(compact.errors).all():
            raise self._all_useless()
        return compact

    def prepare(self) -> None:
        """Makes what the first search would make."""
        if not self._fits:
            self._compact()

    def _all_useless(self) -> VectorError:
        return VectorError(
            f"none of the {self.rows} vectors of {self.name!r} in {self.place!r} can be used: all are null, NaN or zero",
            hint="build them anew with: graphrag-cli index embed",
        )

    def search(self, queries: Matrix, k: int, *, only: Sequence[str] | None = None) -> list[Hits]:
        """See ``VectorTable.search``."""
        self._check_width(queries)
        if only is not None:
            positions = self._positions(only)
            kept = np.unique(positions[positions >= 0])
            found = similarity.nearest(queries, [(kept, self._unit_rows(kept))], len(kept))
            return [self._hits(self._keys(one.positions), one, k) for one in found]
        first = self._nearest(queries, k)
        return [self._enough(queries[place : place + 1], k, *found) for place, found in enumerate(first)]

    def _enough(self, query: Matrix, k: int, keys: list[str], found: Nearest) -> Hits:
        """Asks for more while hits without a record crowd out others."""
        wanted = k
        while True:
            hits = self._hits(keys, found, k)
            if len(hits.ids) == k or len(keys) < wanted:
                return hits
            wanted = max(wanted * 4, 64)
            keys, found = self._nearest(query, wanted)[0]

    def _nearest(self, queries: Matrix, k: int) -> list[tuple[list[str], Nearest]]:
        """Ids and similarities: exact over all, or over what the table's index proposes when the table is large."""
        if self.rows * self.width * 4 > ANN_BYTES:
            proposed = [self._proposed(queries[place : place + 1], k) for place in range(len(queries))]
            if all(one is not None for one in proposed):
                return [one for one in proposed if one is not None]
        compact = None if self._fits else self._compact()
        if compact is None:
            found = similarity.nearest(queries, self._blocks(), k)
        else:
            rows = self._certain((similarity.unit(queries), k))
            with self._comparing:
                found = [
                    similarity.nearest(queries[place : place + 1], [(near, self._unit_rows(near))], k)[0]
                    for place, near in enumerate(rows)
                ]
        return [(self._keys(one.positions), one) for one in found]

    def _certain_rows(self, asked: Sequence[tuple[Matrix, int]]) -> list[list[Rows]]:
        """For each query of each caller the rows that can be among its nearest: one pass for all."""
        compact = self._compact()
        assert compact is not None
        counts = [k for queries, k in asked for _ in range(len(queries))]
        rows = iter(candidates(compact, np.concatenate([queries for queries, _ in asked]), counts))
        return [list(islice(rows, len(queries))) for queries, _ in asked]

    def _proposed(self, query: Matrix, k: int) -> tuple[list[str], Nearest] | None:
        """From the table's own index; None where it has none or proposes too few."""
        likely = self._source.candidates(similarity.unit(query), k)
        if likely is None or len(likely.ids) < min(k, self.rows):
            return None
        places = np.arange(len(likely.ids))
        found = similarity.nearest(query, [(places, similarity.unit(likely.vectors))], k)[0]
        return [likely.ids[place] for place in found.positions.tolist()], found

    def _keys(self, positions: Rows) -> list[str]:
        return convert.strings(convert.take(self._source.ids(), positions))

    def _hits(self, keys: list[str], found: Nearest, k: int) -> Hits:
        rows = self._space.rows(keys)
        known = np.flatnonzero(rows >= 0)
        _, first = np.unique(rows[known], return_index=True)
        kept = known[np.sort(first)][:k]
        return Hits(tuple(self._space.ids(rows[kept])), tuple(found.similarities[kept].tolist()))

    def vectors_of(self, ids: Sequence[str]) -> tuple[Matrix, NDArray[np.bool_]]:
        """See ``VectorTable.vectors_of``. Vectors are as stored, not scaled."""
        positions = self._positions(ids)
        made = np.zeros((len(ids), self.width), np.float32)
        there = positions >= 0
        if there.any():
            taken = self._source.take(positions[there])
            made[there] = np.where(similarity.usable(taken)[:, None], taken, 0)
        return made, np.abs(made).max(axis=1, initial=0) > 0

    def _positions(self, ids: Sequence[str]) -> Rows:
        """Position of each of the tables' ids; -1 where it has no vector."""
        spellings = self._space.spellings(ids)
        flat = [spelling for one in spellings for spelling in one]
        found = graph.find(flat, self._undashed())
        owners = np.repeat(np.arange(len(ids)), [len(one) for one in spellings])
        positions = np.full(len(ids), -1, np.int64)
        good = np.flatnonzero(found >= 0)[::-1]
        positions[owners[good]] = found[good]
        return positions

    def _check_width(self, queries: Matrix) -> None:
        if queries.shape[1] != self.width:
            raise wrong_width(self._source, queries.shape[1], self._model)


def wrong_width(source: VectorSource, width: int, model: str | None) -> VectorError:
    """The question's vector does not fit; names both models as far as they are known."""
    other = made_by(source.width)
    return VectorError(
        f"the embedding model {model or 'in use'!r} makes vectors of {width} numbers, but {source.name!r} in {source.place!r} holds {source.width}{other}",
        hint="set the embedding model that the index was made with, or build vectors for this one with: graphrag-cli index embed",
    )


def _check(source: VectorSource, space: IdSpace) -> None:
    """Raises ``VectorError`` when the source is empty, has no width, or belongs to other tables."""
    if source.rows == 0 or source.width == 0:
        raise VectorError(
            f"the vector table {source.name!r} in {source.place!r} is empty",
            hint="build it anew with: graphrag-cli index embed",
        )
    if overlap(source, space) == 0:
        raise VectorError(
            f"the vectors {source.name!r} in {source.place!r} belong to other tables: none of its ids is in the index",
            hint="name the folder whose tables and vectors were made together, or build vectors with: graphrag-cli index embed",
        )
