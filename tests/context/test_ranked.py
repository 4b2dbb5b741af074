from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.context.ranked import Scored, best_first, fit_ranked
from graphrag_cli.context.text import CUT_MARK
from graphrag_cli.llm.counting.tokens import counter_for

TOKENS = counter_for("gpt-4o")

items = st.lists(
    st.builds(Scored, st.text(st.sampled_from("ab .\n漢\U0001f427"), max_size=200), st.floats(0, 100)),
    max_size=20,
)


@given(items, st.integers(0, 200))
@settings(max_examples=150, deadline=None)
def test_the_budget_is_never_exceeded(found: list[Scored], budget: int) -> None:
    ranked = fit_ranked(best_first(found, 0), "Point", budget, TOKENS)
    assert ranked.tokens == TOKENS.count(ranked.text) <= budget


@given(items, st.integers(0, 400), st.floats(0, 100))
@settings(max_examples=150, deadline=None)
def test_what_goes_in_keeps_its_order(found: list[Scored], budget: int, least: float) -> None:
    ordered = best_first(found, least)
    scores = [item.score for item in ordered]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 and score >= least for score in scores)
    ranked = fit_ranked(ordered, "Point", budget, TOKENS)
    kept = iter(ordered)
    assert all(any(item is other for other in kept) for item in ranked.included)
    assert ranked.left_out == len(ordered) - len(ranked.included)


def test_equal_scores_go_by_place() -> None:
    found = [Scored("b", 5, (2, 0)), Scored("a", 5, (1, 3)), Scored("c", 5, (1, 4))]
    assert [item.text for item in best_first(found, 0)] == ["a", "c", "b"]


def test_a_text_that_does_not_fit_is_skipped_and_a_shorter_one_goes_in() -> None:
    found = [Scored("first", 9), Scored("long " * 100, 8), Scored("last", 7)]
    ranked = fit_ranked(found, "Point", 60, TOKENS)
    assert [item.text for item in ranked.included] == ["first", "last"]
    assert ranked.text.split("\n\n") == [
        "-----Point 1 (score 9)-----\nfirst",
        "-----Point 2 (score 7)-----\nlast",
    ]


def test_a_text_larger_than_the_whole_budget_is_cut_and_marked() -> None:
    ranked = fit_ranked([Scored("A sentence of words. " * 100, 9)], "Answer", 80, TOKENS)
    assert ranked.text.endswith(CUT_MARK)
    assert 40 < ranked.tokens <= 80


def test_a_budget_for_nothing_holds_nothing() -> None:
    assert fit_ranked([Scored("text", 9)], "Point", 3, TOKENS).text == ""


def test_control_characters_are_not_sent() -> None:
    assert "\x00" not in fit_ranked([Scored("a\x00b\ud800c", 9)], "Point", 100, TOKENS).text
