from __future__ import annotations

import pytest

from graphrag_cli.llm.extractive.clauses import by_first_word, read_clause
from graphrag_cli.llm.extractive.followups import follow_ups, question_about
from graphrag_cli.llm.extractive.names import Names
from graphrag_cli.llm.extractive.parse import cut_tables
from graphrag_cli.llm.extractive.ranking import Candidate, Scored
from graphrag_cli.llm.extractive.verbs import base_of_past, base_of_present, is_participle
from graphrag_cli.llm.extractive.words import stems_of
from tests.llm.extractive_kit import ALL, context


@pytest.mark.parametrize(
    ("past", "base"),
    [
        ("planned", "plan"),
        ("planed", "plane"),
        ("carried", "carry"),
        ("died", "die"),
        ("visited", "visit"),
        ("changed", "change"),
        ("hanged", "hang"),
        ("added", "add"),
        ("passed", "pass"),
        ("rebuked", "rebuke"),
        ("equipped", "equip"),
        ("took", "take"),
        ("lent", "lend"),
        ("hundred", ""),
        ("the", ""),
    ],
)
def test_the_base_of_a_past_form_is_found(past: str, base: str) -> None:
    assert base_of_past(past) == base


@pytest.mark.parametrize(
    ("present", "after", "base"),
    [
        ("carries", "the", "carry"),
        ("watches", "over", "watch"),
        ("lies", "in", "lie"),
        ("leads", "Ada", "lead"),
        ("members", "gathered", ""),
        ("across", "the", ""),
    ],
)
def test_the_base_of_a_present_form_is_found_where_it_is_no_plural(
    present: str, after: str, base: str
) -> None:
    assert base_of_present(present, after) == base


def test_participles_are_told() -> None:
    assert is_participle("built")
    assert is_participle("wrecked")
    assert not is_participle("granite")


KNOWN = by_first_word(["Jens Holm", "Ada Brandt", "Skarv Rock", "Orion", "Peter Vik", "Lund"])


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        ("Jens Holm rescued nine men of the Orion.", ("did", "rescue", "nine men of the Orion")),
        (
            "Jens Holm, the first keeper, rowed out to the Orion in 1889.",
            ("did", "row", "out to the Orion"),
        ),
        ("The Orion was wrecked on the reef of Skarv Rock.", ("was", "wrecked", "on the reef of Skarv Rock")),
        (
            "Ada Brandt was the engineer who built the lighthouse on Skarv Rock.",
            ("did", "build", "the lighthouse on Skarv Rock"),
        ),
        ("Peter Vik had refused to leave his ship.", ("had", "refused", "to leave his ship")),
        ("Lund lies in a bay, which is deep.", ("does", "lie", "in a bay")),
        (
            "Jens Holm and Ada Brandt share a belief in paraffin.",
            ("do", "share", "a belief in paraffin"),
        ),
    ],
)
def test_the_main_clause_of_a_sentence_is_read(sentence: str, read: tuple[str, str, str]) -> None:
    clause = read_clause(sentence, KNOWN)
    assert clause
    assert (clause.auxiliary, clause.verb, clause.rest) == read


@pytest.mark.parametrize(
    "sentence",
    [
        "Bread was baked on Fridays.",  # begins with no name
        "Peter Vik's ship went down.",  # nor does this
        "Jens Holm rescued them.",  # nobody knows whom
        "Ada Brandt was not asked.",
        "Jens Holm told everyone who came.",  # cut off, the rest says nothing
        "The Orion was a fast, modern barque.",
        "Lund.",
        "",
    ],
)
def test_what_would_make_no_question_is_not_read(sentence: str) -> None:
    assert read_clause(sentence, KNOWN) is None


def names() -> Names:
    records, _ = cut_tables(context(**ALL))
    return Names(records)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "Jens Holm rescued nine men of the Orion with an open boat.",
            "How did Jens Holm rescue nine men of the Orion with an open boat?",
        ),
        (
            "Jens Holm bought the oil for the lamp in Lund.",
            "Why did Jens Holm buy the oil for the lamp in Lund?",
        ),
        ("Peter Vik refused to leave the Orion.", "Why did Peter Vik refuse to leave the Orion?"),
        ("The Orion had charge of the mail.", "How did the Orion come to have charge of the mail?"),
        (
            "Peter Vik stayed aboard the Orion because it was his.",
            "What followed when Peter Vik stayed aboard the Orion?",
        ),
        ("Jens Holm was the keeper of Skarv Rock.", "What did Jens Holm do as the keeper of Skarv Rock?"),
        (
            "Jens Holm and Peter Vik were neighbours in Lund.",
            "Why were Jens Holm and Peter Vik neighbours in Lund?",
        ),
        ("Lund is the village by the quarry.", "What happened at Lund, the village by the quarry?"),
        (
            "Peter Vik was far from the reef of Skarv Rock.",
            "Why was Peter Vik far from the reef of Skarv Rock?",
        ),
    ],
)
def test_a_question_takes_over_the_words_of_the_record(sentence: str, question: str) -> None:
    found = question_about(sentence, names())
    assert found
    assert found[1] == question


@pytest.mark.parametrize(
    "sentence", ["Jens Holm was a keeper.", "Skarv Rock is mentioned in the report of Ada Brandt."]
)
def test_what_tells_of_nothing_that_happened_raises_no_question(sentence: str) -> None:
    assert question_about(sentence, names()) is None


def scored(text: str, dataset: str, number: str, row: int) -> Scored:
    candidate = Candidate(
        text, text, stems_of(text), frozenset(), {"relationships": (number,)}, (dataset, number), 0
    )
    return Scored(candidate, 1.0 - row / 10, row)


def test_follow_ups_come_from_records_not_cited_and_ask_nothing_twice() -> None:
    near = [
        scored("Jens Holm rescued nine men of the Orion with an open boat.", "relationships", "0", 0),
        scored("Ada Brandt designed the tower on Skarv Rock.", "relationships", "1", 1),
        scored("Ada Brandt designed the high tower on Skarv Rock.", "relationships", "5", 2),
        scored("Peter Vik went down with the Orion.", "relationships", "2", 3),
        scored("Jens Holm bought the oil for the lamp in Lund.", "relationships", "3", 4),
    ]
    asked = follow_ups(near, near[:1], names(), ["How did Peter Vik go down with the Orion?"], 5)
    assert asked == (
        "How did Ada Brandt design the tower on Skarv Rock?",
        "Why did Jens Holm buy the oil for the lamp in Lund?",
    )
    assert follow_ups(near, near[:1], names(), [], 1) == asked[:1]
