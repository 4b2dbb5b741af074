from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.engines.global_.opening import Opening, OpeningPolicy, majority


@dataclass
class Tree:
    """A hierarchy made by hand: children by community, and which have no report."""

    top: Sequence[int]
    below: Mapping[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    bare: frozenset[int] = frozenset()

    def roots(self) -> Sequence[int]:
        return self.top

    def children(self, community: int) -> Sequence[int]:
        return self.below.get(community, [])

    def has_report(self, community: int) -> bool:
        return community not in self.bare


TREE = Tree([0, 1], {0: [2, 3], 1: [4], 2: [5, 6], 4: [7]})


def policy(
    threshold: int = 1, *, keep: bool = False, most: int = 2, deepest: int | None = None
) -> OpeningPolicy:
    return OpeningPolicy(threshold, keep, most, deepest)


def run(
    tree: Tree, rule: OpeningPolicy, ratings: Mapping[int, int | None], arrival: random.Random | None = None
) -> tuple[list[int], list[int]]:
    """What was chosen and what was rated, with replies in an order that ``arrival`` draws."""
    draw = arrival or random.Random(0)
    opening = Opening(tree, rule)
    out = opening.start()
    rated: list[int] = []
    while out:
        community = out.pop(draw.randrange(len(out)))
        rated.append(community)
        out += opening.rated(community, ratings.get(community, 0))
    return opening.chosen(), sorted(rated)


def test_only_the_children_of_relevant_communities_are_rated() -> None:
    chosen, rated = run(TREE, policy(), {0: 3, 2: 0, 3: 4})
    assert rated == [0, 1, 2, 3]
    assert chosen == [3]


def test_a_relevant_community_without_relevant_children_stays() -> None:
    assert run(TREE, policy(), {0: 3})[0] == [0]


def test_a_parent_steps_back_for_its_relevant_children() -> None:
    assert run(TREE, policy(), {0: 3, 2: 3})[0] == [2]


def test_a_parent_can_be_kept() -> None:
    assert run(TREE, policy(keep=True), {0: 3, 2: 3})[0] == [0, 2]


def test_the_threshold_decides() -> None:
    assert run(TREE, policy(4), {0: 3, 1: 4})[0] == [1]


def test_children_are_given_out_as_soon_as_their_parent_is_rated() -> None:
    opening = Opening(TREE, policy())
    assert opening.start() == [0, 1]
    assert opening.rated(0, 5) == [2, 3]


def test_while_nothing_is_relevant_the_next_level_is_rated() -> None:
    chosen, rated = run(TREE, policy(), {6: 2})
    assert rated == [0, 1, 2, 3, 4, 5, 6, 7]
    assert chosen == [6]


def test_the_next_level_is_rated_down_to_the_level_set() -> None:
    assert run(TREE, policy(most=1), {6: 2}) == ([], [0, 1, 2, 3, 4])
    assert run(TREE, policy(most=0), {6: 2}) == ([], [0, 1])


def test_nothing_below_the_level_of_the_question_is_rated() -> None:
    everything = dict.fromkeys(range(8), 5)
    assert run(TREE, policy(deepest=1), everything)[1] == [0, 1, 2, 3, 4]
    assert run(TREE, policy(deepest=0), {})[1] == [0, 1]


def test_a_missing_rating_opens_nothing_and_stops_nothing() -> None:
    assert run(TREE, policy(), {0: None, 1: 4, 4: None})[0] == [1]


def test_a_threshold_of_0_takes_every_rated_report() -> None:
    assert run(TREE, policy(0, keep=True), {})[0] == list(range(8))


def test_children_take_the_place_of_a_community_without_a_report() -> None:
    tree = Tree([0], {0: [1, 2], 1: [3]}, bare=frozenset({0, 1}))
    chosen, rated = run(tree, policy(), {2: 3, 3: 3})
    assert (chosen, rated) == ([2, 3], [2, 3])


def test_a_hierarchy_that_bites_its_tail_comes_to_an_end() -> None:
    tree = Tree([0], {0: [1], 1: [0, 2], 2: [2]}, bare=frozenset({0, 1}))
    assert run(tree, policy(), {2: 3})[0] == [2]


def test_an_index_without_communities_chooses_nothing() -> None:
    assert run(Tree([]), policy(), {}) == ([], [])


def test_most_votes_win() -> None:
    assert majority([3, 1, 3]) == 3


def test_a_tie_goes_to_the_rating_nearest_to_the_mean_then_to_the_higher() -> None:
    assert majority([0, 4, 5]) == 4
    assert majority([2, 4]) == 4
    assert majority([4, 2]) == 4


def test_no_vote_is_no_rating() -> None:
    assert majority([]) is None


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any hierarchy of up to 25 communities."""
    size = draw(st.integers(1, 25))
    parents = [draw(st.integers(-1, number - 1)) if number else -1 for number in range(size)]
    below: dict[int, list[int]] = {}
    for number, parent in enumerate(parents):
        below.setdefault(parent, []).append(number)
    bare = draw(st.frozensets(st.integers(0, size - 1)))
    return Tree(below.pop(-1), below, bare)


@given(
    trees(),
    st.dictionaries(st.integers(0, 24), st.one_of(st.none(), st.integers(0, 5))),
    st.integers(0, 4),
    st.integers(0, 5),
    st.randoms(use_true_random=False),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
def test_the_order_of_replies_changes_nothing(
    tree: Tree,
    ratings: dict[int, int | None],
    most: int,
    threshold: int,
    one: random.Random,
    other: random.Random,
) -> None:
    rule = policy(threshold, most=most)
    assert run(tree, rule, ratings, one) == run(tree, rule, ratings, other)


@given(trees(), st.dictionaries(st.integers(0, 24), st.integers(0, 5)), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_no_report_is_rated_twice_and_only_relevant_ones_are_chosen(
    tree: Tree, ratings: dict[int, int], threshold: int
) -> None:
    chosen, rated = run(tree, policy(threshold), ratings)
    assert len(rated) == len(set(rated))
    assert not set(rated) & tree.bare
    assert set(chosen) <= set(rated)
    assert all(ratings.get(community, 0) >= threshold for community in chosen)
