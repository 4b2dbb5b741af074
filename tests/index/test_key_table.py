"""Rows by id: what numpy finds is what arrow finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.index import graph, key_table
from graphrag_cli.index.arrow import Array, Chunked, encoded, pa
from graphrag_cli.index.graph import Lookup
from graphrag_cli.index.key_table import KeyTable


def strings(values: list[str | None]) -> Array:
    return pa.array(values, pa.string())


def chunked(*chunks: list[str]) -> Chunked:
    return pa.chunked_array([strings([*chunk]) for chunk in chunks], type=pa.string())


@given(
    width=st.sampled_from([1, 7, 8, 9, 36, 128]),
    known=st.lists(st.integers(0, 40), min_size=1, max_size=60),
    asked=st.lists(st.integers(0, 60), min_size=1, max_size=60),
    cut=st.integers(0, 60),
)
def test_ids_of_one_length_are_found_as_arrow_finds_them(
    width: int, known: list[int], asked: list[int], cut: int
) -> None:
    def spelt(numbers: list[int]) -> list[str]:
        return [chr(ord("0") + number).rjust(width, "x")[-width:] for number in numbers]

    keys = chunked(spelt(known[:cut]), spelt(known[cut:]))
    values = strings([*spelt(asked)]).slice(len(asked) // 3)
    found = KeyTable(keys).rows(values)
    assert found is not None
    assert found.tolist() == graph.resolve(values, keys).tolist()


def test_a_hundred_thousand_ids_find_their_rows() -> None:
    ids = [f"{number:036x}" for number in range(0, 300_000, 3)]
    table = KeyTable(chunked(ids))
    found = table.rows(strings([*ids]))
    unknown = table.rows(strings([f"{number:036x}" for number in range(1, 300_000, 3)]))
    assert found is not None
    assert unknown is not None
    assert np.array_equal(found, np.arange(len(ids)))
    assert (unknown == -1).all()


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        (["a", "bb"], ["a", "bb", "c"]),
        (["aa", "bb"], ["bb", "a", "c"]),
        (["aa", "bb"], ["bb", None]),
        ([], ["a"]),
        (["", ""], [""]),
        (["aa"], []),
    ],
)
def test_everything_else_is_left_to_arrow(keys: list[str], values: list[str | None]) -> None:
    assert KeyTable(chunked(keys)).rows(strings(values)) is None
    expected = [keys.index(value) if value in keys else -1 for value in values]
    assert Lookup(chunked(keys)).rows(strings(values)).tolist() == expected


def test_different_keys_of_one_hash_are_left_to_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_alike(data: key_table.Bytes) -> key_table.Hashes:
        return np.ones(len(data), np.uint64)

    monkeypatch.setattr(key_table, "hashes", all_alike)
    lookup = Lookup(chunked(["aa", "bb", "aa"]))
    assert lookup.rows(strings(["bb", "aa", "cc"])).tolist() == [1, 0, -1]


def test_encoded_values_are_resolved_by_what_they_stand_for() -> None:
    values = encoded(strings(["bb", "cc", None, "aa"]))
    assert Lookup(chunked(["aa", "bb"])).rows(values).tolist() == [1, -1, -1, 0]


def test_lists_become_runs_of_rows_without_what_is_unknown() -> None:
    chunks = [pa.array([["aa", "xx", "bb"], []]), pa.array([["bb"], ["xx"], ["aa", "aa"]])]
    made = graph.csr_of_lists(chunks, Lookup(chunked(["aa", "bb"])))
    assert [made.of(row).tolist() for row in range(5)] == [[0, 1], [], [1], [], [0, 0]]
    assert graph.csr_of_lists([], Lookup(chunked(["aa"]))).offsets.tolist() == [0]
