"""A follow-up question made to stand alone, as far as names and pronouns allow."""

from __future__ import annotations

import re
from typing import Final

from graphrag_cli.llm.extractive.names import Names, names_in
from graphrag_cli.llm.extractive.words import STOP_WORDS, words_of

SHORT: Final = 3
"""A question with at most so many words of meaning, and no name, leans on what was said before."""

TOPIC_WORDS: Final = 8

_TURN = re.compile(r"^\s*\W*(user|assistant)\W*:\s*(.*)$", re.IGNORECASE)
_SUBJECT = re.compile(r"\b(?:he|she|they|it|him|them)\b", re.IGNORECASE)
_OWNER = re.compile(r"\b(?:his|her|their|its)\b", re.IGNORECASE)
_OBJECT_HER = re.compile(r"\bher(?=\s*(?:$|[?.!,]|(?:do|go|to|in|at|and|or|on|from|with)\b))", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(?:he|she|him|his|her)\b", re.IGNORECASE)


def stand_alone(question: str, history: str) -> str:
    """``question`` with pronouns replaced by what the user asked about last, or with that topic added."""
    asked = users_turns(history)
    if not asked or names_in(question):
        return question
    last = asked[-1]
    name = _antecedent(question, last)
    if name:
        replaced = _OWNER.sub(f"{name}'s", _SUBJECT.sub(name, _OBJECT_HER.sub(name, question)))
        if replaced != question:
            return replaced
    meaning = [word for word in words_of(question) if word not in STOP_WORDS]
    if len(meaning) > SHORT and not _leans(question):
        return question
    topic = topic_of(last)
    return f"{question.rstrip(' ?')} (about: {topic})?" if topic else question


def users_turns(history: str) -> list[str]:
    """What the user said, oldest first."""
    turns: list[list[str]] = []
    for line in history.splitlines():
        turn = _TURN.match(line)
        if turn:
            turns.append([turn.group(1).lower(), turn.group(2)])
        elif turns:
            turns[-1][1] += f" {line.strip()}"
    return [text.strip() for role, text in turns if role == "user" and text.strip()]


def topic_of(question: str) -> str:
    """The words of ``question`` that carry meaning, as they stand in it."""
    words = [word.strip("?.!,;:\"'“”()") for word in question.split()]
    return " ".join([word for word in words if word and word.lower() not in STOP_WORDS][:TOPIC_WORDS])


def _antecedent(question: str, last: str) -> str:
    names = names_in(last)
    kinds = Names(())
    person = _PERSONAL.search(question) is not None
    fitting = [name for name in names if person and kinds.kind(name) == "person"] or names
    return fitting[0] if fitting and _leans(question) else ""


def _leans(question: str) -> bool:
    return _SUBJECT.search(question) is not None or _OWNER.search(question) is not None
