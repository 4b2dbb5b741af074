"""Vectors at a byte per number, and an exact search that reads little else.

Each vector of length 1 is rounded to 255 steps of its own largest number. The length of what rounding took away
bounds the error of any similarity with it (Cauchy and Schwarz), so that a pass over the bytes says for certain which
vectors can be among the nearest: a few hundred of a hundred thousand. Only those are compared as they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index.graph import Rows
from graphrag_cli.index.kept.files import release_array
from graphrag_cli.index.vectors.similarity import Matrix, lengths, unit

STEPS = 127
SLACK = 1e-5
"""Covers the rounding of sums of 32-bit numbers, and ties."""
_BLOCK = 256
"""Rows widened at a time: their 32-bit form stays in the processor's cache."""
_ROUNDED = 64
"""Rows rounded at a time, for the same reason: each is gone over several times."""
_RELEASED = 32 * _BLOCK
"""After so many rows, what was read of a mapped file is given back: otherwise it counts as memory of this process."""


@dataclass(frozen=True, slots=True)
class Compact:
    """``codes`` (rows, width) times ``scales`` (rows) are the vectors, to within ``errors`` (rows) in length.

    A vector without a direction has the error NaN.
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    errors: NDArray[np.float32]


def compress(blocks: Iterable[Matrix]) -> Iterator[Compact]:
    """Vectors as they are stored, block by block, and their form, block by block."""
    for block in blocks:
        rows = len(block)
        made = Compact(np.empty(block.shape, np.int8), np.empty(rows, np.float32), np.empty(rows, np.float32))
        for start in range(0, rows, _ROUNDED):
            part = slice(start, start + _ROUNDED)
            _round(unit(block[part]), made.codes[part], made.scales[part], made.errors[part])
        yield made


def _round(
    vectors: Matrix, codes: NDArray[np.int8], scales: NDArray[np.float32], errors: NDArray[np.float32]
) -> None:
    """Fills the three with the form of ``vectors`` (length 1, or all NaN), which are overwritten."""
    lost = np.isnan(vectors[:, 0])
    if lost.any():
        vectors[lost] = 0
    rounded = np.abs(vectors)
    largest = rounded.max(axis=1, initial=0)
    scales[:] = np.where(largest > 0, largest / STEPS, 1)
    np.divide(vectors, scales[:, None], out=rounded)
    np.rint(rounded, out=rounded)
    codes[:] = rounded
    rounded *= scales[:, None]
    vectors -= rounded
    errors[:] = lengths(vectors)
    errors[lost] = np.nan


def candidates(compact: Compact, queries: Matrix, counts: Sequence[int]) -> list[Rows]:
    """For each query of length 1 the rows, ascending, that hold as many of its nearest as ``counts`` says."""
    scores = _scores(compact, queries)
    return [_near(scores[place], compact.errors, k) for place, k in enumerate(counts)]


def _scores(compact: Compact, queries: Matrix) -> NDArray[np.float32]:
    """Similarities by the rounded vectors: shape ``(queries, rows)``."""
    rows, width = compact.codes.shape
    scores = np.empty((len(queries), rows), np.float32)
    wide = np.empty((_BLOCK, width), np.float32)
    directions = np.ascontiguousarray(queries.T)
    for start in range(0, rows, _BLOCK):
        part = compact.codes[start : start + _BLOCK]
        np.copyto(wide[: len(part)], part, casting="unsafe")
        scores[:, start : start + len(part)] = (wide[: len(part)] @ directions).T
        if start % _RELEASED == 0:
            release_array(compact.codes)
    scores *= compact.scales
    return scores


def _near(scores: NDArray[np.float32], errors: NDArray[np.float32], k: int) -> Rows:
    """Whose best case reaches the ``k``-th of the worst cases."""
    known = ~np.isnan(errors)
    if k <= 0:
        return np.empty(0, np.int64)
    if int(known.sum()) <= k:
        return np.flatnonzero(known)
    worst = np.where(known, scores - errors, np.float32(-2))
    least = np.partition(worst, -k)[-k] - np.float32(SLACK)
    return np.flatnonzero(scores + errors >= least)
