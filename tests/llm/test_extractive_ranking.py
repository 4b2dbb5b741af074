from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.errors import ModelError
from graphrag_cli.llm.extractive.candidates import candidates_of, candidates_of_notes, readable_name
from graphrag_cli.llm.extractive.choosing import choose
from graphrag_cli.llm.extractive.notes import Note
from graphrag_cli.llm.extractive.parse import cut_tables
from graphrag_cli.llm.extractive.query import parts_of, read_query
from graphrag_cli.llm.extractive.ranking import (
    DIRECT,
    NEAR,
    POOL,
    direct_from,
    near_from,
    percent,
    rank,
    term_weights,
    with_records,
)
from graphrag_cli.llm.extractive.vectors import VectorCache
from graphrag_cli.llm.extractive.words import akin
from graphrag_cli.llm.extractive.writing import Form, citation, form_of, paragraphs
from graphrag_cli.llm.in_process.scripted import HashEmbedder
from tests.llm.extractive_kit import ALL, SOURCES, context

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SlowEmbedder(HashEmbedder):
    """Lets others run before it answers, and fails while told to."""

    failing = False

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        await asyncio.sleep(0)
        if self.failing:
            raise ModelError("down")
        return await super().embed(texts)


async def test_calls_side_by_side_embed_a_sentence_once() -> None:
    embedder = SlowEmbedder(16)
    cache = VectorCache(embedder)
    first, second = await asyncio.gather(cache.vectors(["a", "b"]), cache.vectors(["b", "c", "b"]))
    assert sorted(text for batch in embedder.calls for text in batch) == ["a", "b", "c"]
    assert (first[1] == second[0]).all()
    assert (second[0] == second[2]).all()


async def test_a_failed_call_does_not_hold_up_the_others() -> None:
    embedder = SlowEmbedder(16)
    cache = VectorCache(embedder)
    embedder.failing = True
    outcomes = await asyncio.gather(cache.vectors(["a"]), cache.vectors(["a"]), return_exceptions=True)
    assert all(isinstance(outcome, ModelError) for outcome in outcomes)
    embedder.failing = False
    assert (await cache.vectors(["a"])).shape == (1, 16)


async def test_the_cache_forgets_the_oldest_and_still_answers() -> None:
    embedder = HashEmbedder(16)
    cache = VectorCache(embedder, size=2)
    assert (await cache.vectors(["a", "b", "c", "d"])).shape == (4, 16)
    await cache.vectors(["a"])
    assert embedder.calls == [("a", "b", "c", "d"), ("a",)]


async def test_no_more_sentences_are_embedded_than_the_pool_holds() -> None:
    rows = [
        (number, f"Sentence {number} tells of the lighthouse. Another one of keeper {number}.")
        for number in range(200)
    ]
    records, _ = cut_tables(context(sources=rows))
    embedder = HashEmbedder(16)
    ranking = await rank(
        read_query("Which keeper kept the lighthouse?"), candidates_of(records), VectorCache(embedder)
    )
    assert len(ranking.vectors) == POOL
    assert sum(map(len, embedder.calls)) <= POOL + 2


async def test_nothing_to_rank_gives_nothing() -> None:
    ranking = await rank(read_query("Who?"), [], VectorCache(HashEmbedder(16)))
    assert (ranking.scored, ranking.best) == ((), 0.0)
    assert choose(ranking, 5, 0.0) == []


async def test_chosen_sentences_are_few_near_and_different() -> None:
    records, _ = cut_tables(context(**ALL))
    ranking = await rank(
        read_query("Jens Holm saved nine sailors"), candidates_of(records), VectorCache(HashEmbedder(64))
    )
    chosen = choose(ranking, 4, NEAR)
    assert 0 < len(chosen) <= 4
    assert chosen[0] is ranking.scored[0]
    assert all(item.score >= NEAR for item in chosen)
    assert len({item.candidate.shown for item in chosen}) == len(chosen)


async def test_a_higher_score_of_an_earlier_step_comes_first_among_equals() -> None:
    notes = [
        Note("The lamp burned oil in 1880.", {"sources": ("1",)}, 20),
        Note("The lamp burned oil in 1890.", {"sources": ("2",)}, 100),
    ]
    ranking = await rank(
        read_query("What did the lamp burn?"), candidates_of_notes(notes), VectorCache(HashEmbedder(64))
    )
    assert ranking.scored[0].candidate.citations == {"sources": ("2",)}


def test_rarer_words_of_the_question_weigh_more() -> None:
    records, _ = cut_tables(context(sources=SOURCES))
    weights = term_weights(read_query("Which keeper had a wooden stamp?"), candidates_of(records))
    assert weights["stamp"] > weights["keeper"]
    assert sum(weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("question", "wanted", "is_open", "broad"),
    [
        ("When was it built?", "date", False, False),
        ("How many sailors were saved?", "number", False, False),
        ("Who was Jens Holm?", None, False, False),
        ("Why did the ship sink?", "cause", True, False),
        ("How did the ship sink?", "means", True, False),
        ("What are the main themes of the documents?", None, True, True),
        ("Summarize the story", None, True, True),
        ("", None, True, True),
    ],
)
def test_questions_are_told_apart(question: str, wanted: str | None, is_open: bool, broad: bool) -> None:
    query = read_query(question)
    assert (query.wanted, query.open, query.broad) == (wanted, is_open, broad)


@given(st.floats(min_value=-1, max_value=1.3), st.floats(min_value=-1, max_value=1.3), st.booleans())
def test_percent_rises_with_the_score_between_0_and_100(one: float, other: float, is_open: bool) -> None:
    query = read_query("Why did it sink?" if is_open else "Who was it?")
    low, high = sorted((one, other))
    assert 0 <= percent(query, low) <= percent(query, high) <= 100
    assert percent(query, direct_from(query)) == 50
    assert 0 < percent(query, near_from(query)) < 30


def test_open_questions_are_answered_from_a_lower_score() -> None:
    assert direct_from(read_query("Why did it sink?")) < DIRECT == direct_from(read_query("Who was it?"))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("JENS HOLM", "Jens Holm"),
        ("J. M. BARRIE", "J. M. Barrie"),
        ("APSLEY CHERRY-GARRARD", "Apsley Cherry-Garrard"),
        ("KING EDWARD VII LAND", "King Edward VII Land"),
        ("SCOTT'S HUT", "Scott's Hut"),
        ("O'BRIEN", "O'Brien"),
        ("BAY OF WHALES", "Bay of Whales"),
        ("The Fram", "The Fram"),
        ("南极", "南极"),
    ],
)
def test_titles_in_capitals_are_written_as_names(title: str, name: str) -> None:
    assert readable_name(title) == name


@pytest.mark.parametrize(
    ("response_type", "form"),
    [
        ("List of 3-7 Points", Form(7, "list", 1)),
        ("5 bullet points", Form(5, "list", 1)),
        ("single sentence", Form(1, "paragraphs", 1)),
        ("Single Page", Form(15, "paragraphs", 5)),
        ("multi-page report", Form(24, "paragraphs", 8)),
        ("multiple paragraphs", Form(8, "paragraphs", 3)),
        ("whatever", Form(8, "paragraphs", 3)),
    ],
)
def test_forms_are_read_from_what_was_asked_for(response_type: str, form: Form) -> None:
    assert form_of(response_type) == form


async def test_paragraphs_open_with_the_best_and_keep_records_together() -> None:
    records, _ = cut_tables(context(**ALL))
    ranking = await rank(
        read_query("Jens Holm keeper of the lighthouse"),
        candidates_of(records),
        VectorCache(HashEmbedder(64)),
    )
    chosen = choose(ranking, 8, -1.0)
    laid_out = paragraphs(chosen, Form(8, "paragraphs", 3))
    flat = [item for paragraph in laid_out for item in paragraph]
    assert flat[0] is chosen[0]
    assert sorted(item.row for item in flat) == sorted(item.row for item in chosen)
    assert len(laid_out) <= 3


def test_citations_name_at_most_five_ids_of_a_table() -> None:
    cited = citation({"sources": tuple("1234567"), "reports": ("9",)})
    assert cited == "[Data: Reports (9); Sources (1, 2, 3, 4, 5, +more)]"
    assert citation({}) == ""


@pytest.mark.parametrize(
    ("question", "focus"),
    [
        ("What stories of rescue and survival run through the documents?", "rescue and survival"),
        ("What part did music play in the festival?", "music in the festival"),
        ("Why did the ship sink?", ""),
        ("What are the main themes?", ""),
        ("What part did Jens Holm have in the rescue of the Orion in 1889?", ""),
    ],
)
def test_a_theme_is_what_is_left_of_a_question_without_its_generic_words(question: str, focus: str) -> None:
    assert read_query(question).focus == focus


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who built the tower, and how high is it?", ("Who built the tower", "how high is it?")),
        ("Why did one live while the other one died?", ()),
        ("Who built the tower and the house?", ()),
        ("Why, and how?", ()),
    ],
)
def test_a_question_made_of_several_is_cut(question: str, parts: tuple[str, ...]) -> None:
    assert parts_of(question) == parts


@pytest.mark.parametrize(
    ("one", "other", "kin"),
    [
        ("scienc", "scientific", True),
        ("surviv", "survivor", True),
        ("press", "pressur", False),
        ("cat", "cats", False),
    ],
)
def test_forms_of_a_word_are_akin(one: str, other: str, kin: bool) -> None:
    assert akin(one, other) is akin(other, one) is kin


def test_a_sentence_counts_for_what_its_record_is_about() -> None:
    records, _ = cut_tables(context(sources=SOURCES[:2]))
    candidates = candidates_of(records)
    cosines = [0.8 if candidate.group[1] == "0" else 0.2 for candidate in candidates]
    cosines[0] = 0.2
    drawn = with_records(candidates, cosines, {})
    alone = next(at for at, candidate in enumerate(candidates) if candidate.group[1] == "1")
    assert 0.2 < drawn[0] < 0.8
    assert drawn[alone] == pytest.approx(0.2)


def test_a_report_is_quoted_by_findings_where_asked_for() -> None:
    records, _ = cut_tables(context(**ALL))
    passages = [item for item in candidates_of(records, whole=True) if item.group == ("reports", "0")]
    assert [item.heading for item in passages] == [
        "The wreck of the Orion",
        "Nine men saved",
        "A captain lost",
    ]
    assert all(item.shown and item.embedded.startswith(item.heading) for item in passages)


@pytest.mark.parametrize(
    ("asked", "broad"),
    [
        ("What is this all about?", True),
        ("What are the main themes?", True),
        ("Summarise the documents.", True),
        ("What happened?", True),
        ("Who is he?", False),
        ("What is a sledge?", False),
    ],
)
def test_a_question_that_names_nothing_asks_for_an_overview(asked: str, broad: bool) -> None:
    assert read_query(asked).broad is broad
