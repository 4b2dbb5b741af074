"""What to ask next: questions made from records that are near the question and not yet used in its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from graphrag_cli.llm.extractive.names import Kind, kind_among, names_in, with_article
from graphrag_cli.llm.extractive.ranking import NEAR, Candidate, Ranking, Scored
from graphrag_cli.llm.extractive.words import words_of

FOLLOW_UP_FLOOR: Final = NEAR - 0.1
"""A record less near than this suggests no question."""

_ORDER: Final[dict[Kind, int]] = {
    "person": 0,
    "ship": 1,
    "organization": 2,
    "thing": 3,
    "place": 4,
    "event": 5,
}

_PAIRS: Final[dict[tuple[Kind, Kind], str]] = {
    ("person", "person"): "What was the relationship between {a} and {b}?",
    ("person", "ship"): "What did {a} have to do with {b}?",
    ("person", "organization"): "What was the connection between {a} and {b}?",
    ("person", "thing"): "What did {a} have to do with {b}?",
    ("person", "place"): "What did {a} do at {b}?",
    ("person", "event"): "What role did {a} play in {b}?",
    ("ship", "place"): "What brought {a} to {b}?",
    ("ship", "event"): "What part did {a} play in {b}?",
    ("organization", "event"): "How was {a} involved in {b}?",
    ("thing", "event"): "What part did {a} play in {b}?",
    ("thing", "place"): "What is known about {a} at {b}?",
    ("place", "event"): "What happened at {a} during {b}?",
    ("event", "event"): "How are {a} and {b} connected?",
}
_ANY_PAIR: Final = "How are {a} and {b} connected?"

_SINGLE: Final[dict[Kind, str]] = {
    "person": "Who was {a}, and what is recorded of what {a} did?",
    "place": "What happened at {a}?",
    "ship": "What became of {a}?",
    "event": "How did {a} go, and what followed from it?",
    "organization": "What did {a} do, and for whom?",
    "thing": "Why did {a} matter?",
}
_SPACE: Final = re.compile(r"\s+")


def follow_ups(
    ranking: Ranking, used: Sequence[Scored], kinds: Mapping[str, Kind], asked: Sequence[str], count: int
) -> tuple[str, ...]:
    """At most ``count`` questions, most promising first; none is among ``asked``, none comes twice.

    Names that neither the questions nor the answer mention come first: they lead somewhere new.
    """
    cited = {
        (dataset, number)
        for item in used
        for dataset, ids in item.candidate.citations.items()
        for number in ids
    }
    near = [
        item
        for item in ranking.scored
        if item.score >= FOLLOW_UP_FLOOR and item not in used and item.candidate.group not in cited
    ]
    said = " ".join([*asked, *(item.candidate.shown for item in used)])
    questions: dict[str, str] = {_key(question): "" for question in asked}
    spent: set[str] = set()
    for known in (frozenset(words_of(said)), frozenset(words_of(" ".join(asked)))):
        for item in near:
            for question, new in _questions(item.candidate, known, kinds):
                if new not in spent and _key(question) not in questions:
                    questions[_key(question)] = question
                    spent.add(new)
    return tuple(question for question in questions.values() if question)[:count]


def _questions(
    candidate: Candidate, known: frozenset[str], kinds: Mapping[str, Kind]
) -> Iterator[tuple[str, str]]:
    """At most one question from a sentence, with the name that is new in it."""
    names = [*dict.fromkeys((*_own_names(candidate), *names_in(candidate.shown)))]
    new = [name for name in names if not _mentions(known, name)]
    if not new:
        return
    first = new[0]
    other = next((name for name in names if not _share_last_word(name, first)), None)
    if other is None:
        yield single_question(first, kinds), first
    else:
        yield pair_question(first, other, kinds), first


def _own_names(candidate: Candidate) -> tuple[str, ...]:
    """Titles of reports are headlines, not names."""
    return () if candidate.group[0] == "reports" else candidate.names


def pair_question(one: str, other: str, kinds: Mapping[str, Kind]) -> str:
    """A question about two names, put as fits what they name."""
    pair = sorted([one, other], key=lambda name: (_ORDER[kind_among(kinds, name)], name != one))
    first, second = kind_among(kinds, pair[0]), kind_among(kinds, pair[1])
    template = _PAIRS.get((first, second), _ANY_PAIR)
    return template.format(a=with_article(pair[0], first), b=with_article(pair[1], second))


def single_question(name: str, kinds: Mapping[str, Kind]) -> str:
    """A question about one name."""
    kind = kind_among(kinds, name)
    return _SINGLE[kind].format(a=with_article(name, kind))


def _mentions(known: frozenset[str], name: str) -> bool:
    """True when the telling part of ``name``, its last word, is among ``known``."""
    words = words_of(name)
    return bool(words) and words[-1] in known


def _share_last_word(one: str, other: str) -> bool:
    """True when one name may be a form of the other ("Amundsen", "Roald Amundsen")."""
    return _mentions(frozenset(words_of(one)), other) or _mentions(frozenset(words_of(other)), one)


def _key(question: str) -> str:
    return _SPACE.sub(" ", question.lower()).strip(" ?.!")
