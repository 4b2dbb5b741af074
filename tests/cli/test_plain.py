"""Foreign text is made safe, however it is cut into pieces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.cli.terminal.plain import PlainStream, plain, plain_line

DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
TEXTS = st.text(
    alphabet=st.sampled_from(list("ab1;m[]\\PX\n\t\r \x1b\x07\x9b\x9c\x9d\x00é中\u202e\ud800?")), max_size=60
)


@given(TEXTS)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert not DANGEROUS.search(plain(text))


@given(TEXTS, st.lists(st.integers(0, 60), max_size=6))
def test_how_text_is_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    stream, got, start = PlainStream(), "", 0
    for cut in [*sorted(cuts), len(text)]:
        got += stream.feed(text[start:cut])
        start = max(start, cut)
    assert got + stream.close() == plain(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Cf"])))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[1;31mb\x1b[0m", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\b", "ab"),
        ("a\x1b]52;c;aGk=\x07b", "ab"),
        ("a\x1bPq#0\x1b\\b", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x9b2Jb", "ab"),
        ("line\r\nline", "line\nline"),
        ("over\rwritten", "overwritten"),
        ("a\x1b]never ends", "a]never ends"),
        ("a\x1b", "a"),
        ("\udc80", "\ufffd"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_an_endless_escape_string_is_shown_in_the_end() -> None:
    stream = PlainStream()
    assert "tail" in stream.feed("\x1b]" + "x" * 2000 + "tail")


def test_a_line_is_one_line() -> None:
    assert plain_line(" a\n\n b\tc\x1b[0m ") == "a b c"
