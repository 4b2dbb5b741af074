from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.llm.extractive.sentences import (
    MAX_SENTENCE_CHARACTERS,
    opens_with_pronoun,
    plain,
    sentences_of,
    split_sentences,
)
from graphrag_cli.llm.extractive.words import stem, stems_of, words_of


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        (
            "Lt. Evans met Mr. Kinsey and Dr. Wilson. They left.",
            ["Lt. Evans met Mr. Kinsey and Dr. Wilson.", "They left."],
        ),
        (
            "A letter to J. M. Barrie was found. It was long.",
            ["A letter to J. M. Barrie was found.", "It was long."],
        ),
        ("It was −60.8 °C. The oil froze.", ["It was −60.8 °C.", "The oil froze."]),
        ("They stood at 88°23′ S. Food was short.", ["They stood at 88°23′ S.", "Food was short."]),
        ("He said “It is over.” Then he left.", ["He said “It is over.”", "Then he left."]),
        ("No. 7 was lost on 3 Feb. 1889 at sea.", ["No. 7 was lost on 3 Feb. 1889 at sea."]),
        ("The U.S. Navy came. All went home.", ["The U.S. Navy came.", "All went home."]),
        ("See e.g. the log, i.e. the book.", ["See e.g. the log, i.e. the book."]),
        ("南极点很远。他们走了！真的吗？是的", ["南极点很远。", "他们走了！", "真的吗？", "是的"]),
        ("¿Quién llegó primero? Amundsen.", ["¿Quién llegó primero?", "Amundsen."]),
        ("Wait … and see. Done.", ["Wait … and see.", "Done."]),
        ("", []),
        ("   ", []),
    ],
)
def test_sentences_end_where_a_reader_sees_their_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(max_size=2000))
def test_splitting_loses_nothing_but_blanks(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@given(st.text(alphabet="ab ,.;\n#*|-[]()", max_size=1500))
def test_any_markup_is_survived(text: str) -> None:
    assert all(0 < len(sentence.text) <= MAX_SENTENCE_CHARACTERS for sentence in sentences_of(text))


def test_text_without_stops_is_cut_to_a_readable_length() -> None:
    parts = split_sentences("word, " * 400)
    assert len(parts) > 3
    assert all(len(part) <= MAX_SENTENCE_CHARACTERS for part in parts)


def test_headings_head_sentences_and_are_none() -> None:
    text = "# Title\n\nFirst one. Second one.\n\n## Part\n- a point\n- another point\n"
    found = sentences_of(text)
    assert [(sentence.text, sentence.heading) for sentence in found] == [
        ("First one.", "Title"),
        ("Second one.", "Title"),
        ("a point", "Part"),
        ("another point", "Part"),
    ]
    assert found[1].before == "First one."


def test_table_rows_are_sentences_without_bars() -> None:
    text = "| ship | year |\n|---|---|\n| Fram | 1910 |"
    assert [sentence.text for sentence in sentences_of(text)] == ["ship, year", "Fram, 1910"]


def test_a_line_break_inside_a_paragraph_is_a_blank() -> None:
    assert [sentence.text for sentence in sentences_of("They went\nsouth.")] == ["They went south."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Fram** sailed [Data: Entities (5, +more); Sources (2)].", "Fram sailed."),
        ("See [the log](http://example.org/a) and `code`.", "See the log and code."),
        ("<b>bold</b> text", " bold  text"),
        ("2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"),
    ],
)
def test_markup_and_the_citations_of_reports_are_dropped(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    "text", ["He left.", "They were cold.", "“It is far,” he said.", "This ended it.", "The two parted."]
)
def test_pronouns_that_need_what_came_before(text: str) -> None:
    assert opens_with_pronoun(text)


@pytest.mark.parametrize(
    "text", ["Hepburn left.", "Thistle grew.", "Scott left.", "The twofold end.", "Itinerant men."]
)
def test_words_that_only_begin_like_pronouns(text: str) -> None:
    assert not opens_with_pronoun(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("reached", "reaches"),
        ("ponies", "pony"),
        ("sledge", "sledges"),
        ("stopped", "stopping"),
        ("Scott's", "scott"),
        ("dying", "dying"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one.lower()) == stem(other.lower())


def test_ideographs_are_read_in_pairs() -> None:
    assert words_of("南极点 far") == ["南极", "极点", "far"]


def test_words_without_meaning_are_not_counted() -> None:
    assert stems_of("Who was the first of them?") == {"first"}


@pytest.mark.parametrize(
    ("sentence", "leans"),
    [
        ("Thorvald Nilsen commanded her, and others helped.", True),
        ("Helmer Hanssen was one of them, and went on.", True),
        ("The last five were killed in December.", True),
        ("Leon Amundsen took her letters ashore.", False),
        ("The first keeper was Jens Holm.", False),
    ],
)
def test_a_sentence_that_leans_on_the_one_before_is_seen(sentence: str, leans: bool) -> None:
    assert opens_with_pronoun(sentence) is leans
