"""Exact cosine search over blocks of vectors, and reading vector columns of any layout into numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index import arrow
from graphrag_cli.index.arrow import Array, Chunked, DataType, pa, pc
from graphrag_cli.index.graph import Rows

Matrix = NDArray[np.float32]

_SHORT, _LONG = 1e-12, 1e12
TIE_DECIMALS = 6
"""Similarities that agree to so many decimals are a tie: sums in another order differ by less."""
_ODD = 0.2915026221291811
"""Similarities are compared in steps of that size. This moves the edges between steps away from simple fractions such as
4/9, which sums in two orders may come out on both sides of."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Positions and cosine similarities of the nearest vectors of one query, most similar first."""

    positions: Rows
    similarities: NDArray[np.float64]


def is_vector(kind: DataType) -> bool:
    """Whether a column of this type can hold vectors."""
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return bool(lists and pa.types.is_floating(arrow.value_type(kind)))


def is_id(kind: DataType) -> bool:
    """Whether a column of this type can hold ids."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind))


def matrix(chunks: Sequence[Array], width: int) -> Matrix:
    """A vector column as ``(rows, width)``; a row that is null or of another length is all NaN.

    Takes fixed-size and variable-length lists of any float or integer type.
    """
    parts = [_chunk_matrix(chunk, width) for chunk in chunks]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty((0, width), np.float32)


def _chunk_matrix(chunk: Array, width: int) -> Matrix:
    if pa.types.is_fixed_size_list(chunk.type):
        if chunk.type.list_size == width and not chunk.null_count:
            return _flat(arrow.items(chunk)).reshape(len(chunk), width)
        chunk = pc.cast(chunk, pa.list_(arrow.value_type(chunk.type)))
    lengths = arrow.vector(pc.fill_null(pc.list_value_length(chunk), -1))
    flat = _flat(arrow.items(chunk))
    if (lengths == width).all():
        return flat.reshape(len(chunk), width)
    made = np.full((len(chunk), width), np.nan, np.float32)
    fitting = lengths == width
    wanted = np.repeat(fitting, np.maximum(lengths, 0))
    made[fitting] = flat[wanted].reshape(-1, width)
    return made


def _flat(values: Array) -> NDArray[np.float32]:
    """Null is NaN. What needs no change is not copied."""
    if values.type != pa.float32():
        values = pc.cast(values, pa.float32())
    return arrow.vector(pc.fill_null(values, np.nan) if values.null_count else values)


def width_of(column: Chunked) -> int:
    """The length that most vectors have; 0 when there is none."""
    lengths = arrow.vector(pc.drop_null(pc.list_value_length(column)).combine_chunks()).astype(np.int64)
    return int(np.bincount(lengths).argmax()) if len(lengths) else 0


def usable(vectors: Matrix) -> NDArray[np.bool_]:
    """Rows that have a direction: finite, and not all zero."""
    return np.isfinite(vectors).all(axis=1) & (np.abs(vectors).max(axis=1, initial=0) > 0)


def all_unit(vectors: Matrix) -> bool:
    """Whether all vectors are of length 1, so that order by distance and by angle is the same."""
    return bool(len(vectors) and np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3))


def lengths(vectors: Matrix) -> NDArray[np.float32]:
    """Length of each row; 0 or infinite where its square leaves the range of 32 bits."""
    with np.errstate(over="ignore", under="ignore"):
        return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))


def unit(vectors: Matrix) -> Matrix:
    """Each row scaled to length 1; rows without a direction become NaN."""
    norms = lengths(vectors)
    # Squares of very long and very short vectors leave the range of 32 bits.
    odd = np.flatnonzero(~((norms > _SHORT) & (norms < _LONG)))
    if not len(odd):
        return vectors / norms[:, None]
    norms[odd] = 1
    scaled = vectors / norms[:, None]
    scaled[odd] = _unit_slowly(vectors[odd])
    return scaled


def _unit_slowly(vectors: Matrix) -> Matrix:
    good = usable(vectors)
    made = np.full(vectors.shape, np.nan, np.float32)
    exact = vectors[good].astype(np.float64)
    made[good] = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return made


def ordered(similarities: NDArray[np.float64], positions: Rows, k: int) -> Nearest:
    """The ``k`` most similar; ties by position. NaN is never among them."""
    known = ~np.isnan(similarities)
    similarities, positions = similarities[known], positions[known]
    if 0 < k < len(similarities):
        least = np.partition(similarities, -k)[-k] - 10.0**-TIE_DECIMALS
        close = similarities >= least
        similarities, positions = similarities[close], positions[close]
    steps = np.floor(similarities * 10.0**TIE_DECIMALS + _ODD)
    order = np.lexsort((positions, -steps))[: max(k, 0)]
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
