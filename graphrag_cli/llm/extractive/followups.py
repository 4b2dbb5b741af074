"""What to ask next: questions made from records that are near the question and not yet used in its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_cli.llm.extractive.names import Kind, Names, last_word, names_in
from graphrag_cli.llm.extractive.ranking import Candidate, Scored
from graphrag_cli.llm.extractive.words import words_of

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
    ("person", "organization"): "What part did {a} have in {b}?",
    ("person", "thing"): "What did {a} have to do with {b}?",
    ("person", "place"): "What did {a} do {at_b}?",
    ("person", "event"): "What role did {a} play in {b}?",
    ("ship", "place"): "What brought {a} to {b}?",
    ("ship", "event"): "What part did {a} play in {b}?",
    ("organization", "event"): "How was {a} involved in {b}?",
    ("thing", "event"): "What part did {a} play in {b}?",
    ("thing", "place"): "What is known about {a} {at_b}?",
    ("place", "event"): "What happened {at_a} during {b}?",
    ("event", "event"): "How are {a} and {b} connected?",
}
_ANY_PAIR: Final = "How are {a} and {b} connected?"

_SINGLE: Final[dict[Kind, str]] = {
    "person": "Who was {a}, and what is recorded of what {a} did?",
    "place": "What happened {at_a}?",
    "ship": "What became of {a}?",
    "event": "How did {a} go, and what followed from it?",
    "organization": "What did {a} do, and for whom?",
    "thing": "Why did {a} matter?",
}
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question, and the name in it that leads somewhere new."""

    question: str
    new: str


def follow_ups(
    near: Sequence[Scored], used: Sequence[Scored], names: Names, asked: Sequence[str], count: int
) -> tuple[str, ...]:
    """At most ``count`` questions from the sentences ``near`` (most promising first) that are not among ``used``.

    None is among ``asked`` and none comes twice. Names that neither the questions nor the answer mention come first:
    they lead somewhere new.
    """
    cited = {
        (dataset, number)
        for item in used
        for dataset, ids in item.candidate.citations.items()
        for number in ids
    }
    fresh = [item.candidate for item in near if item not in used and item.candidate.group not in cited]
    said = " ".join([*asked, *(item.candidate.shown for item in used)])
    questions: dict[str, str] = {_key(question): "" for question in asked}
    spent: set[str] = set()
    for known in (frozenset(words_of(said)), frozenset(words_of(" ".join(asked)))):
        for candidate in fresh:
            found = suggest(candidate, known, names)
            if found and found.new not in spent and _key(found.question) not in questions:
                questions[_key(found.question)] = found.question
                spent.add(found.new)
    return tuple(question for question in questions.values() if question)[:count]


def suggest(candidate: Candidate, known: frozenset[str], names: Names) -> Suggestion | None:
    """A question about the first name of a sentence that is not ``known``, tied to a known one where there is one."""
    own = () if candidate.group[0] == "reports" else candidate.names  # titles of reports are headlines
    mentioned = [*dict.fromkeys(names.full(name) for name in (*own, *names_in(candidate.shown)))]
    new = next((name for name in mentioned if last_word(name) not in known), None)
    if new is None:
        return None
    others = [name for name in mentioned if not _may_be_one(name, new)]
    other = next((name for name in others if last_word(name) in known), others[0] if others else None)
    if other is None:
        return Suggestion(single_question(new, names), new)
    return Suggestion(pair_question(new, other, names), new)


def pair_question(one: str, other: str, names: Names) -> str:
    """A question about two names, put as fits what they name, and the same in whichever order they come."""
    pair = sorted([one, other], key=lambda name: (_ORDER[names.kind(name)], name))
    template = _PAIRS.get((names.kind(pair[0]), names.kind(pair[1])), _ANY_PAIR)
    return template.format(
        a=names.in_sentence(pair[0]),
        b=names.in_sentence(pair[1]),
        at_a=names.at(pair[0]),
        at_b=names.at(pair[1]),
    )


def single_question(name: str, names: Names) -> str:
    """A question about one name."""
    return _SINGLE[names.kind(name)].format(a=names.in_sentence(name), at_a=names.at(name))


def _may_be_one(one: str, other: str) -> bool:
    """True when one name may be a form of the other ("Amundsen", "Roald Amundsen")."""
    return last_word(one) in words_of(other) or last_word(other) in words_of(one)


def _key(question: str) -> str:
    return _SPACE.sub(" ", question.lower()).strip(" ?.!")
