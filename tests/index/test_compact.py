"""Rounded vectors must never lose one of the nearest."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.index.vectors.compact import Compact, candidates, compress
from graphrag_cli.index.vectors.similarity import Matrix, nearest, unit


def drawn(rows: int, width: int, seed: int, spread: float) -> Matrix:
    """Vectors around one direction: the smaller ``spread``, the closer they lie."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=width) + spread * rng.normal(size=(rows, width))).astype(np.float32)


def pressed(vectors: Matrix) -> Compact:
    parts = list(compress([vectors[:7], vectors[7:]]))
    return Compact(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.scales for part in parts]),
        np.concatenate([part.errors for part in parts]),
    )


@given(
    rows=st.integers(8, 300),
    width=st.integers(1, 64),
    k=st.integers(1, 40),
    spread=st.sampled_from([0.001, 0.1, 10.0]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None)
def test_the_nearest_are_always_among_the_candidates(
    rows: int, width: int, k: int, spread: float, seed: int
) -> None:
    vectors = drawn(rows, width, seed, spread)
    queries = drawn(3, width, seed + 1, spread)
    exact = nearest(queries, [(np.arange(rows), unit(vectors))], k)
    for found, near in zip(candidates(pressed(vectors), unit(queries), [k] * 3), exact, strict=True):
        assert set(near.positions) <= set(found)
        assert (np.diff(found) > 0).all()


def test_few_rows_of_many_are_candidates() -> None:
    vectors = drawn(20_000, 64, 1, 10.0)
    (found,) = candidates(pressed(vectors), unit(drawn(1, 64, 2, 10.0)), [20])
    assert 20 <= len(found) < 400


def test_a_vector_without_direction_is_never_near() -> None:
    vectors = drawn(20, 8, 3, 1.0)
    vectors[3], vectors[9] = 0.0, np.nan
    for k in (5, 50):
        (found,) = candidates(pressed(vectors), unit(vectors[:1]), [k])
        assert not {3, 9} & set(found)
    assert np.isnan(pressed(vectors).errors[[3, 9]]).all()


def test_no_more_is_asked_than_there_is() -> None:
    vectors = drawn(10, 4, 4, 1.0)
    assert list(candidates(pressed(vectors), unit(vectors[:1]), [10])[0]) == list(range(10))
    assert list(candidates(pressed(vectors), unit(vectors[:1]), [0])[0]) == []


def test_vectors_of_any_length_get_a_direction() -> None:
    base = drawn(4, 16, 5, 1.0)
    for scale in (1e-30, 1e-12, 1.0, 1e15, 1e25):
        np.testing.assert_allclose(unit(base * np.float32(scale)), unit(base), atol=1e-5)
