"""What to ask next: questions made from what records say that are near the question and not yet used in its answer.

A question takes over the words of its record ("Amundsen built his whole plan on sledge dogs": "Why did Roald Amundsen
build …?"), so that nobody is asked about anything that they would not do. A sentence whose clause cannot be read
raises none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphrag_cli.llm.extractive.clauses import Clause, read_clause
from graphrag_cli.llm.extractive.names import Kind, Names, names_in
from graphrag_cli.llm.extractive.ranking import Candidate, Scored
from graphrag_cli.llm.extractive.sentences import split_sentences
from graphrag_cli.llm.extractive.verbs import base_of_past
from graphrag_cli.llm.extractive.words import stems_of, word_set

KNOWN_SHARE: Final = 0.75
"""A sentence of whose words so many were said or asked already leads nowhere new."""

LIKE_SHARE: Final = 0.6
"""Questions that share so many of their words ask the same."""

MOST_ABOUT_ONE: Final = 2
"""Questions about one subject at most."""

ENOUGH_TIED: Final = 3
"""When so many sentences speak of what the question names, those that do not are passed over."""

_DECIDED: Final = word_set(
    """
    abandon accept adopt agree allow appoint approve ask assign avoid ban believe blame build buy call cancel change choose claim
    close decide declare defend demand deny depend destroy dismiss divide doubt drop exclude fear fire forbid forgive give go
    hand hide hire hope insist invite join keep kill leave lend let name oppose order organise organize pay plan postpone prefer
    promise protest put quit rebuke refuse reject rely remain remove replace resign resist resolve reveal sacrifice sell send set
    share shoot split start stay stop support suspect take tell threaten trust turn urge use wait want warn wish withdraw worry
    """
)
"""Verbs of what is done for a reason: "why" is asked, where for others it is "how"."""
_STATES: Final = word_set(
    "be belong contain have hold include know lie mean need own remain share stand weigh"
)
"""Verbs of what is so: asked is how it came to be."""
_MENTIONED: Final = word_set(
    """
    act associate centre center characterise characterize cite connect consider define describe depict emphasise emphasize highlight
    identify illustrate indicate link mark mention note portray recognise recognize refer reference regard represent show tie underscore
    """
)
"""Verbs of what a text does with somebody or something: asking on leads to nothing that happened."""
_REASON: Final = re.compile(
    r"\b(?:because|so that|in order to|out of|owing to|due to|for fear|as a result|therefore)\b", re.I
)
_TITLE = re.compile(r"(?:a|an|the|one of)\b|\S+(?: \S+){0,3}?[’']s? ")
_ORDINAL = re.compile(r"(?:the (?:first|last|only|best|strongest|other|one)|one of)\b")
_TELLING = re.compile(r" (?:of|at|in|on|for|to|by|with|from|under|between)\b|[’']s?\b")
"""What makes a title tell more than a trade."""
_SPACE: Final = re.compile(r"\s+")

_BEING: Final[dict[Kind, str]] = {
    "person": "What {did} {a} do as {title}?",
    "organization": "What {did} {a} do as {title}?",
    "place": "What happened {at_a}, {title}?",
    "event": "How did {a} go, and what followed from it?",
    "ship": "What became of {a}, {title}?",
    "thing": "What part {did} {a} play as {title}?",
}


def follow_ups(
    near: Sequence[Scored], used: Sequence[Scored], names: Names, asked: Sequence[str], count: int
) -> tuple[str, ...]:
    """At most ``count`` questions from the sentences ``near`` (most promising first) of records not cited by ``used``.

    None is among ``asked``, none is like another, and none is about what was said or asked already.
    """
    cited = {
        (dataset, number)
        for item in used
        for dataset, ids in item.candidate.citations.items()
        for number in ids
    }
    said = stems_of(" ".join([*asked, *(item.candidate.shown for item in used)]))
    ranked = [item.candidate for item in near if item not in used]
    fresh = [
        candidate for candidate in ranked if candidate.group not in cited or candidate.group[0] == "reports"
    ]
    named = stems_of(" ".join(name for question in asked for name in names_in(question)))
    tied = [candidate for candidate in fresh if candidate.stems & named]
    fresh = tied if len(tied) >= ENOUGH_TIED else fresh
    fresh.sort(key=lambda candidate: candidate.group[0] == "sources")  # what the index made out comes first
    return _chosen(_questions(fresh, said, names), asked, count)


def _chosen(raised: Iterable[tuple[str, str]], asked: Sequence[str], count: int) -> tuple[str, ...]:
    """The first ``count`` of the questions ``raised`` that are not like each other or one of ``asked``."""
    chosen: dict[str, frozenset[str]] = {}
    subjects: list[str] = []
    before = [stems_of(question) for question in asked]
    for subject, question in raised:
        words = stems_of(question)
        repeats = any(len(words & other) >= LIKE_SHARE * len(words) for other in before)
        repeats = repeats or any(_alike(words, other) for other in chosen.values())
        if not repeats and subjects.count(subject) < MOST_ABOUT_ONE:
            chosen[question] = words
            subjects.append(subject)
        if len(chosen) == count:
            break
    return tuple(chosen)


def _questions(
    candidates: Sequence[Candidate], said: frozenset[str], names: Names
) -> Iterator[tuple[str, str]]:
    """The questions that sentences raise, each with its subject; reports are read sentence by sentence."""
    for candidate in candidates:
        for sentence in split_sentences(candidate.shown):
            words = stems_of(sentence)
            if not words or len(words & said) >= KNOWN_SHARE * len(words):
                continue
            question = question_about(sentence, names)
            if question:
                yield question


def question_about(sentence: str, names: Names) -> tuple[str, str] | None:
    """Subject and question; None where the sentence does not begin with a name, or its verb cannot be told."""
    clause = read_clause(sentence, names.known)
    if clause is None:
        return None
    asked = _of_being(clause, names) if not clause.verb else _of_doing(clause, sentence, names)
    return (names.full(clause.names[0]), asked) if asked else None


def _of_being(clause: Clause, names: Names) -> str:
    """ "What did Pedro Christophersen do as …?": about what somebody or something is."""
    subject = subject_of(clause, names)
    present = clause.auxiliary in {"is", "are"}
    if not _TITLE.match(clause.rest):
        return f"Why {clause.auxiliary} {subject} {clause.rest}?"
    if clause.plural or _ORDINAL.match(clause.rest):
        return f"How {'do' if present else 'did'} {subject} come to be {clause.rest}?"
    if not _TELLING.search(clause.rest):
        return ""
    name = clause.names[0]
    return _BEING[names.kind(names.full(name))].format(
        a=subject, at_a=names.at(names.full(name)), title=clause.rest, did="does" if present else "did"
    )


def _of_doing(clause: Clause, sentence: str, names: Names) -> str:
    """ "Why did Roald Amundsen build …?": about what somebody or something did, or what was done to it."""
    subject = subject_of(clause, names)
    verb = base_of_past(clause.verb) or clause.verb
    if verb in _MENTIONED or clause.rest.startswith("not "):
        return ""
    told = _REASON.search(sentence) is not None
    if told and clause.auxiliary in {"did", "had"} and len(stems_of(clause.rest)) > 1:
        return f"What followed when {subject} {clause.said} {clause.rest}?"
    if clause.verb in _STATES:
        return f"How {clause.auxiliary} {subject} come to {clause.verb} {clause.rest}?"
    asking = "Why" if verb in _DECIDED and not told else "How"
    return f"{asking} {clause.auxiliary} {subject} {clause.verb} {clause.rest}?"


def subject_of(clause: Clause, names: Names) -> str:
    """The subject of ``clause`` with whole names in place of last names."""
    subject = clause.subject
    for name in clause.names:
        subject = subject.replace(name, names.full(name))
    return _SPACE.sub(" ", subject)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= LIKE_SHARE * min(len(one), len(other))
