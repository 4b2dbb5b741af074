"""Exact cosine search over blocks of vectors, and reading vector columns of any layout into numpy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

TIE_DECIMALS = 6
"""Similarities that agree to so many decimals are a tie: sums in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Positions and cosine similarities of the nearest vectors of one query, most similar first."""

    positions: Rows
    similarities: NDArray[np.float64]


def matrix(column: pa.ChunkedArray | pa.Array, width: int) -> Matrix:
    """A vector column as ``(rows, width)``; a row that is null or of another length is all NaN.

    Takes fixed-size and variable-length lists of any float or integer type.
    """
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [_chunk_matrix(chunk, width) for chunk in chunks]
    return np.concatenate(parts) if parts else np.empty((0, width), np.float32)


def _chunk_matrix(chunk: pa.Array, width: int) -> Matrix:
    if pa.types.is_fixed_size_list(chunk.type):
        chunk = pc.cast(chunk, pa.list_(chunk.type.value_type))
    lengths = pc.fill_null(pc.list_value_length(chunk), -1).to_numpy(zero_copy_only=False)
    flat = pc.fill_null(pc.cast(chunk.flatten(), pa.float32()), np.nan).to_numpy(zero_copy_only=False)
    if (lengths == width).all():
        return flat.reshape(len(chunk), width)
    made = np.full((len(chunk), width), np.nan, np.float32)
    fitting = lengths == width
    wanted = np.repeat(fitting, np.maximum(lengths, 0))
    made[fitting] = flat[wanted].reshape(-1, width)
    return made


def width_of(column: pa.ChunkedArray | pa.Array) -> int:
    """The length that most vectors have; 0 when there is none."""
    if pa.types.is_fixed_size_list(column.type):
        return int(column.type.list_size)
    lengths = pc.drop_null(pc.list_value_length(column)).to_numpy().astype(np.int64)
    return int(np.bincount(lengths).argmax()) if len(lengths) else 0


def usable(vectors: Matrix) -> NDArray[np.bool_]:
    """Rows that have a direction: finite, and not all zero."""
    return np.isfinite(vectors).all(axis=1) & (np.abs(vectors).max(axis=1, initial=0) > 0)


def unit(vectors: Matrix) -> Matrix:
    """Each row scaled to length 1; rows without a direction become NaN."""
    norms = np.linalg.norm(vectors.astype(np.float64, copy=False), axis=1, keepdims=True)
    good = usable(vectors)[:, None]
    scaled = np.divide(vectors, norms, where=good, out=np.full(vectors.shape, np.nan, np.float64))
    return scaled.astype(np.float32)


def ordered(similarities: NDArray[np.float64], positions: Rows, k: int) -> Nearest:
    """The ``k`` most similar; ties by position. NaN is never among them."""
    known = ~np.isnan(similarities)
    similarities, positions = similarities[known], positions[known]
    if 0 < k < len(similarities):
        least = np.partition(similarities, -k)[-k] - 10.0**-TIE_DECIMALS
        close = similarities >= least
        similarities, positions = similarities[close], positions[close]
    order = np.lexsort((positions, -np.round(similarities, TIE_DECIMALS)))[: max(k, 0)]
    return Nearest(positions[order], similarities[order])


def nearest(queries: Matrix, blocks: Iterable[tuple[Rows, Matrix]], k: int) -> list[Nearest]:
    """The ``k`` nearest of each query over blocks of (positions, vectors of length 1)."""
    directions = unit(queries)
    best = [Nearest(np.empty(0, np.int64), np.empty(0, np.float64)) for _ in range(len(queries))]
    for positions, block in blocks:
        scores = np.clip((block @ directions.T).astype(np.float64), -1.0, 1.0)
        for place, so_far in enumerate(best):
            best[place] = ordered(
                np.concatenate([so_far.similarities, scores[:, place]]),
                np.concatenate([so_far.positions, positions]),
                k,
            )
    return best
