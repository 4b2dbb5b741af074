"""Settings as flat values: turning them flat and back loses nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.config.leaves import Leaf, Leaves, dotted, flatten, nest, put, undotted
from graphrag_cli.config.loaded import Origin

NAMES = st.from_regex(r"[a-z_.-]{1,6}", fullmatch=True).filter(lambda name: name.strip(".") != "")
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
)
TREES = st.dictionaries(
    NAMES, st.recursive(SCALARS, lambda inner: st.dictionaries(NAMES, inner, max_size=3), max_leaves=6)
)

FILE, FLAG = Origin("file", "settings.yaml:1"), Origin("flag", "--data")


@given(TREES)
def test_flat_and_nested_again_is_the_same(tree: dict[str, object]) -> None:
    leaves = dict(flatten(tree, FILE)) if tree else {}

    assert nest(leaves) == tree


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_a_key_survives_being_written(names: list[str]) -> None:
    assert undotted(dotted(tuple(names))) == tuple(names)


def test_a_value_removes_the_section_it_stands_for() -> None:
    leaves: Leaves = {("a", "b"): Leaf(1, FILE), ("a", "c"): Leaf(2, FILE), ("d",): Leaf(3, FILE)}
    put(leaves, ("a",), Leaf(None, FLAG))

    assert nest(leaves) == {"a": None, "d": 3}


def test_a_value_below_removes_the_value_above() -> None:
    leaves: Leaves = {("a",): Leaf(None, FLAG)}
    put(leaves, ("a", "b"), Leaf(1, FILE))

    assert nest(leaves) == {"a": {"b": 1}}
