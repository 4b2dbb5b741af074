"""A key index finds what a pass over the column finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.index.arrow import pa
from graphrag_cli.index.graph import KeyIndex, find, sorted_order

KEYS = st.text(st.characters(codec="utf-8"), max_size=3)


@given(parts=st.lists(st.lists(KEYS, max_size=8), max_size=4), wanted=st.lists(KEYS, max_size=8))
def test_a_key_index_finds_what_a_pass_finds(parts: list[list[str]], wanted: list[str]) -> None:
    column = pa.chunked_array(parts, type=pa.string())
    wanted += [key for part in parts for key in part]
    index = KeyIndex(column, sorted_order(column))
    np.testing.assert_array_equal(index.rows(wanted), find(wanted, column))
