from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.engines.drift.action import clean_questions, question_key, valid_text
from graphrag_cli.engines.drift.selection import (
    Candidate,
    QuestionSpace,
    Standing,
    choose_followups,
    is_promising,
    questions_to_ask_for,
    share_of_places,
    tie_break,
)
from graphrag_cli.llm.in_process.scripted import hash_vector

WIDTH = 32


def space_of(*texts: str) -> QuestionSpace:
    space = QuestionSpace(hash_vector(texts[0], WIDTH))
    for text in texts[1:]:
        space.add(hash_vector(text, WIDTH))
    return space


def chosen(
    waiting: list[Candidate], places: int, asked: list[int], space: QuestionSpace, seed: int = 1
) -> list[str]:
    return [choice.id for choice in choose_followups(waiting, places, asked, space, seed)]


def test_a_better_parent_comes_first() -> None:
    space = space_of("pole", "ice", "ice")
    waiting = [Candidate("weak", 1, 20), Candidate("strong", 2, 80)]
    assert chosen(waiting, 1, [0], space) == ["strong"]


def test_closeness_to_the_question_counts() -> None:
    space = space_of("who reached the pole", "tents and food", "who reached the pole first")
    waiting = [Candidate("far", 1, 50), Candidate("near", 2, 50)]
    assert chosen(waiting, 1, [], space) == ["near"]


def test_what_was_asked_makes_its_neighbours_less_new() -> None:
    space = space_of("pole", "ship ice", "ship ice dog", "tent food map")
    waiting = [Candidate("stale", 2, 50), Candidate("new", 3, 50)]
    assert chosen(waiting, 1, [1], space) == ["new"]


def test_each_choice_is_made_in_view_of_those_before_it() -> None:
    space = space_of("pole", "ship ice", "ship ice dog", "tent food map")
    waiting = [Candidate("one", 1, 60), Candidate("like it", 2, 60), Candidate("other", 3, 55)]
    assert chosen(waiting, 2, [], space)[1] == "other" or chosen(waiting, 2, [], space)[0] == "other"


def test_equals_are_ordered_by_the_seed() -> None:
    space = space_of("pole", *["ice"] * 6)
    waiting = [Candidate(f"a{row}", row, 50) for row in range(1, 7)]
    orders = {tuple(chosen(waiting, 6, [0], space, seed)) for seed in range(8)}
    assert len(orders) > 1
    assert chosen(waiting, 6, [0], space, 3) == chosen(list(reversed(waiting)), 6, [0], space, 3)


@given(
    st.lists(
        st.tuples(st.text(st.sampled_from("abc "), min_size=1, max_size=6), st.floats(0, 100)), max_size=12
    ),
    st.integers(0, 8),
    st.integers(0, 9),
)
@settings(max_examples=100, deadline=None)
def test_the_choice_is_a_part_of_what_waits_and_does_not_depend_on_its_order(
    questions: list[tuple[str, float]], places: int, seed: int
) -> None:
    space = space_of("pole", *(text for text, _ in questions))
    waiting = [Candidate(f"a{row}", row, score) for row, (_, score) in enumerate(questions, start=1)]
    choice = choose_followups(waiting, places, [0], space, seed)
    assert len({one.id for one in choice}) == len(choice) == min(places, len(waiting))
    assert [one.id for one in choose_followups(waiting[::-1], places, [0], space, seed)] == [
        c.id for c in choice
    ]
    assert all(0 <= one.priority <= 1 for one in choice)


def test_a_similarity_does_not_depend_on_what_it_is_computed_with() -> None:
    texts = [f"word{number} ice" for number in range(200)]
    vectors = np.stack([hash_vector(text, WIDTH) for text in texts])
    at_once = QuestionSpace(hash_vector("pole", WIDTH))
    at_once.add(vectors)
    one_by_one = QuestionSpace(hash_vector("pole", WIDTH))
    for vector in vectors:
        one_by_one.add(vector)
    rows = range(201)
    assert np.array_equal(at_once.between(rows, rows), one_by_one.between(rows, rows))
    assert len(at_once) == 201


def test_a_zero_vector_is_near_nothing() -> None:
    space = QuestionSpace(np.zeros(4))
    space.add(np.ones((1, 4)))
    assert space.between([0], [1])[0, 0] == 0


def test_the_same_words_are_the_same_question() -> None:
    space = space_of("pole")
    standing = Standing(space, 2.0)
    standing.add("a0", "Who reached  the Pole?", 0)
    found = standing.find("who reached the pole", None)
    assert found is not None
    assert (found.id, found.similarity) == ("a0", 1.0)
    assert standing.find("who reached the ship", None) is None


@pytest.mark.parametrize(("threshold", "merged"), [(0.5, True), (1.0, False)])
def test_near_questions_are_one_at_the_threshold(threshold: float, merged: bool) -> None:
    space = space_of("ice ship dog sled", "ice ship dog tent")
    standing = Standing(space, threshold)
    standing.add("a0", "ice ship dog sled", 0)
    assert (standing.find("ice ship dog tent", 1) is not None) == merged


def test_the_nearest_of_several_stands() -> None:
    space = space_of("ice ship dog", "ice ship tent", "ice ship dog sled")
    standing = Standing(space, 0.3)
    standing.add("far", "ice ship tent", 1)
    standing.add("near", "ice ship dog", 0)
    found = standing.find("ice ship dog sled", 2)
    assert found is not None
    assert found.id == "near"


def test_shares_are_even_and_leave_the_rest() -> None:
    assert [share_of_places(20, unread) for unread in (20, 7, 3, 1)] == [1, 2, 6, 20]
    assert share_of_places(2, 5) == 0


def test_promising_is_what_scored_no_less_than_the_mean_so_far() -> None:
    assert is_promising(10, [])
    assert is_promising(50, [40, 60])
    assert not is_promising(40, [50, 60])
    assert not is_promising(None, [])


def test_ties_depend_on_seed_and_id_alone() -> None:
    assert tie_break(1, "a1") == tie_break(1, "a1")
    assert len({tie_break(seed, f"a{number}") for seed in range(3) for number in range(3)}) == 9


@given(st.integers(1, 100), st.integers(1, 100))
def test_enough_questions_are_asked_for_and_never_more_than_places(places: int, replies: int) -> None:
    each = questions_to_ask_for(places, replies)
    assert 1 <= each <= places
    assert each * replies >= min(places, 2 * places)


def test_questions_are_cleaned() -> None:
    raised = ["  Who\n went? ", "", "who went", "Why? ", "  ", "bad \ud800 text"]
    assert clean_questions(raised) == ["Who went?", "Why?", "bad � text"]


@pytest.mark.parametrize(("one", "other"), [("Who?", "who"), ("A  b", "a b."), ("Straße", "STRASSE")])
def test_keys_ignore_case_spaces_and_closing_marks(one: str, other: str) -> None:
    assert question_key(one) == question_key(other)


@given(st.text(st.characters(), max_size=40))
def test_valid_text_can_be_written(text: str) -> None:
    valid_text(text).encode("utf-8")
