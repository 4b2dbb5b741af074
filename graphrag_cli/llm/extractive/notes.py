"""Notes of earlier steps, as a reduce prompt holds them: statements with citations of their own, under scores."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from graphrag_cli.events import DATASETS, Dataset
from graphrag_cli.llm.extractive.sentences import opens_with_pronoun, split_sentences

Citations = dict[Dataset, tuple[str, ...]]

FULL_SCORE: Final = 100.0

MAX_STATEMENT_CHARACTERS: Final = 420
"""What stands before one citation stays together up to this length: its sentences may lean on each other."""

_SCORE = re.compile(r"\b(?:score|importance)\b\W{0,14}(\d+(?:\.\d+)?)", re.IGNORECASE)
_ASKED = re.compile(r"^\W*(?:follow-up )?question\W*:\W*(\S.*)$", re.IGNORECASE)
_SCORE_LINE_CHARACTERS: Final = 160
_CITED = re.compile(r"\[\s*Data\s*:\s*([^\[\]]*)\]", re.IGNORECASE)
_LABEL = re.compile(r"(Reports?|Entit(?:y|ies)|Relationships?|Claims?|Sources?)\s*\(([^)]*)\)", re.IGNORECASE)
_NUMBER = re.compile(r"[\w.-]+:\d+|\d+")
_END = re.compile(
    r"^(?:#{1,3}\s+End\b[^\n]*|-{3}(?!-*\s*(?:analyst|step|answer|reader))\s*\w[^\n]*---\s*)$",
    re.IGNORECASE | re.MULTILINE,
)
_START = re.compile(
    r"^#{1,3}\s+(?:key points|answers|notes|analyst reports|data|points)\b[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Note:
    """One statement of an earlier step, its citations cut off, and the score it was given (0 to 100)."""

    text: str
    citations: Citations
    score: float
    asked: str = ""
    """The question that the step answered, where it stands above."""


def cut_notes(text: str) -> tuple[tuple[Note, ...], str]:
    """The notes in ``text`` and ``text`` without them. They begin with a heading or the first score, and end with a heading."""
    starts = [match.end() for match in _START.finditer(text)] or [
        match.start() for match in _SCORE.finditer(text) if _is_score_line(_line_at(text, match.start()))
    ]
    if not starts:
        return (), text
    start = starts[-1] if _START.search(text) else starts[0]
    ends = (found.start() for found in _END.finditer(text, start + 1) if not _SCORE.search(found.group()))
    stop = next(ends, len(text))
    return read_notes(text[start:stop]), text[:start] + text[stop:]


def read_notes(text: str) -> tuple[Note, ...]:
    """The cited statements in ``text``, in order."""
    notes: list[Note] = []
    score, asked = FULL_SCORE, ""
    for line in text.splitlines():
        found = _SCORE.search(line)
        if found and _is_score_line(line):
            score = min(float(found.group(1)), FULL_SCORE)
            line = line[: found.start()] if _CITED.search(line[: found.start()]) else line[found.end() :]
            asked = ""
        if question := _ASKED.match(line):
            asked = question.group(1)
        notes += _statements(line, score, asked)
    return tuple(notes)


def citations_in(text: str) -> Citations:
    """The records that ``text`` cites in the form that prompts ask for."""
    cited: Citations = {}
    for bracket in _CITED.finditer(text):
        for label in _LABEL.finditer(bracket.group(1)):
            dataset = _dataset(label.group(1))
            numbers = dict.fromkeys((*cited.get(dataset, ()), *_NUMBER.findall(label.group(2))))
            cited[dataset] = tuple(numbers)
    return cited


def merged(first: Citations, second: Citations) -> Citations:
    """The citations of both, each once, those of ``first`` first."""
    return {
        dataset: tuple(dict.fromkeys((*first.get(dataset, ()), *second.get(dataset, ()))))
        for dataset in DATASETS
        if dataset in first or dataset in second
    }


def _statements(line: str, score: float, asked: str) -> list[Note]:
    """A citation belongs to the sentences since the one before it."""
    notes: list[Note] = []
    at = 0
    for match in _CITED.finditer(line):
        cited = citations_in(match.group())
        statement = line[at : match.start()].strip(" \t-*•.;")
        at = match.end()
        if not cited or not statement:
            continue
        whole = len(statement) <= MAX_STATEMENT_CHARACTERS
        said = [statement] if whole else _parts(statement)
        notes += [Note(_closed(part), cited, score, asked) for part in said]
    return notes


def _parts(statement: str) -> list[str]:
    """The sentences of ``statement``, each with those after it that lean on it."""
    parts: list[str] = []
    for sentence in split_sentences(statement):
        fits = bool(parts) and len(parts[-1]) + len(sentence) < MAX_STATEMENT_CHARACTERS
        if fits and opens_with_pronoun(sentence):
            parts[-1] += f" {sentence}"
        else:
            parts.append(sentence)
    return parts


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…", "”", '"', "。", "！", "？")) else f"{sentence}."


def _dataset(label: str) -> Dataset:
    return next(dataset for dataset in DATASETS if dataset[:5] == label.lower()[:5])


def _is_score_line(line: str) -> bool:
    return len(line) <= _SCORE_LINE_CHARACTERS or _CITED.search(line) is not None


def _line_at(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : end if end >= 0 else len(text)]
