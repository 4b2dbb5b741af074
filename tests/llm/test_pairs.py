"""Counts in plain Python are tiktoken's counts."""

from __future__ import annotations

from typing import get_args

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.llm.counting import tokens
from graphrag_cli.llm.counting.pairs import CHARACTERS, LONGEST, PairCounter
from graphrag_cli.llm.counting.ranks import RankFile, ranks
from graphrag_cli.llm.counting.tokens import TiktokenCounter
from tests.sample import SAMPLE

NAMES: tuple[RankFile, ...] = get_args(RankFile)
COUNTERS = {name: PairCounter(name) for name in NAMES}
ENCODINGS: dict[RankFile, tiktoken.Encoding] = {}

WORDS = st.sampled_from(
    [
        "The",
        "polar",
        "café",
        "Ærø",
        "naïve",
        "it's",
        "WE'LL",
        "don’t",
        "x1234567",
        "3.14",
        "\r\n",
        "//\n",
        "ŠKODA",
        "½",
        "ª",
    ]
)
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=80),
    st.text("aAé'sSdD 1\n\t/-\u00a0\u2019", max_size=60),
    st.lists(st.one_of(WORDS, st.sampled_from([" ", "  ", "\n", "|"])), max_size=40).map("".join),
)


def theirs(name: RankFile, text: str) -> int:
    if name not in ENCODINGS:
        read = ranks(name)
        ENCODINGS[name] = tiktoken.Encoding(
            name, pat_str=read.pattern, mergeable_ranks=read.by_token, special_tokens={}
        )
    return len(ENCODINGS[name].encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS)
@settings(max_examples=600, deadline=None)
def test_a_count_is_that_of_tiktoken(name: RankFile, text: str) -> None:
    assert COUNTERS[name].count(text) == theirs(name, text)


@pytest.mark.parametrize("name", NAMES)
def test_every_character_alone_and_between_others(name: RankFile) -> None:
    for character in CHARACTERS:
        for text in (
            character,
            f"a{character}b",
            f" {character}{character}",
            f"A{character} 1{character}\n",
            f"'{character}",
        ):
            assert COUNTERS[name].count(text) == theirs(name, text), repr(text)


@pytest.mark.parametrize("name", NAMES)
def test_prose_counts_the_same(name: RankFile) -> None:
    for path in sorted((SAMPLE / "input").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        assert COUNTERS[name].count(text) == theirs(name, text)


@pytest.mark.parametrize("text", ["南極", "ok\u2028", "\x1c", "\ud800", "'\u017f", "é\u0301", "🐧"])
def test_other_characters_are_left_to_tiktoken(text: str) -> None:
    assert COUNTERS["o200k_base"].count(text) is None


def test_what_is_no_word_is_left_to_tiktoken() -> None:
    assert COUNTERS["o200k_base"].count("q" * (LONGEST + 1)) is None


def test_a_long_run_goes_over_to_tiktoken_and_counts_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "PLAIN_LIMIT", 10_000)
    counter = TiktokenCounter("cl100k_base")
    text = "Nine words that are counted again and again, always. "
    each = theirs("cl100k_base", text)
    assert [counter.count(text) for _ in range(3)] == [each] * 3
    long = text * (10_000 // len(text) + 1)
    assert counter.count(long) == theirs("cl100k_base", long)
    assert counter.count(text) == each
