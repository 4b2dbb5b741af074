"""From records to sentences that can be quoted on their own, each with its citation."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from typing import Final

from graphrag_cli.llm.extractive.notes import FULL_SCORE, Note
from graphrag_cli.llm.extractive.parse import Record
from graphrag_cli.llm.extractive.ranking import Candidate, Group
from graphrag_cli.llm.extractive.sentences import Sentence, opens_with_pronoun, sentences_of
from graphrag_cli.llm.extractive.words import stems_of, word_set

_ROMAN = re.compile(r"x{0,3}(?:ix|iv|vi{1,3}|i{2,3}|v(?=i))[.,]?|x{2,3}")

MIN_WORDS: Final = 4
"""Shorter sentences of sources are captions and exclamations."""

MAX_LEAD_CHARACTERS: Final = 220
"""A sentence before a pronoun goes in with it up to this length."""

MAX_PASSAGE_CHARACTERS: Final = 380
"""A finding of a report is quoted as a whole, or its first sentences up to this length."""

_CONNECTIVE = re.compile(
    r"(?:additionally|also|besides|furthermore|however|in addition|in summary|in turn|likewise|moreover|overall|similarly), ",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"(?:He|She|It|They)(?= )")
_OF_ONE: Final = {"are": "is", "were": "was", "have": "has"}
_OF_SEVERAL = re.compile(r" (are|were|have)(?= )")
_OWNER = re.compile(r"(?:His|Her|Its|Their)(?= )")

MAX_ABOUT_CHARACTERS: Final = 400
"""Of a report's opening as it is embedded."""

_SMALL_WORDS: Final = word_set("a an and at by for from in of on or the to von van de der la")


def candidates_of(records: Sequence[Record], *, whole: bool = False) -> list[Candidate]:
    """Every quotable sentence of ``records``, in order; with ``whole``, reports are cut into findings instead."""
    return [
        candidate
        for record in records
        for candidate in (_passages(record) if whole and record.dataset == "reports" else _candidates(record))
    ]


@functools.lru_cache(maxsize=1024)
def _passages(report: Record) -> tuple[Candidate, ...]:
    """The opening of a report and each of its findings, as long as they may be quoted."""
    names = names_of(report)
    sentences = sentences_of(report.text)
    about = about_of(report, sentences)
    found: list[Candidate] = []
    for heading, group in itertools.groupby(sentences, key=lambda sentence: sentence.heading):
        kept = _first_sentences([sentence.text for sentence in group])
        shown = standing_alone(" ".join(kept), report, names)
        heading = heading or report.title
        found.append(
            Candidate(
                shown,
                f"{heading}: {shown}",
                stems_of(shown) | stems_of(heading),
                frozenset(),
                {"reports": (report.id,)},
                ("reports", report.id),
                len(found),
                names=names,
                heading=heading,
                about=about,
                sentences=len(kept),
            )
        )
    return tuple(found)


def _first_sentences(texts: Sequence[str]) -> list[str]:
    """The first of ``texts`` and those after it that fit with it in a passage."""
    kept = [texts[0]]
    for text in texts[1:]:
        if len(" ".join([*kept, text])) > MAX_PASSAGE_CHARACTERS:
            break
        kept.append(text)
    return kept


@functools.lru_cache(maxsize=4096)
def _candidates(record: Record) -> tuple[Candidate, ...]:
    """Kept, because the steps of a run are sent the same records again and again."""
    names = names_of(record)
    sentences = sentences_of(record.text)
    about = about_of(record, sentences) if record.dataset == "reports" else ""
    found: list[Candidate] = []
    for place, sentence in enumerate(sentences):
        if len(sentence.text.split()) < MIN_WORDS and sentence.text.isascii():
            continue
        lead = lead_of(sentence) if record.dataset in {"sources", "reports"} else ""
        shown = f"{lead} {sentence.text}" if lead else standing_alone(sentence.text, record, names)
        heading = (sentence.heading or record.title) if record.dataset == "reports" else ""
        found.append(
            Candidate(
                shown,
                f"{heading}: {sentence.text}" if heading else shown,
                stems_of(shown),
                stems_of(heading) | _stems_beside(sentences, place),
                {record.dataset: (record.id,)},
                (record.dataset, record.id),
                place,
                names=names,
                heading=sentence.heading,
                lead=lead,
                about=about,
            )
        )
    return tuple(found)


def _stems_beside(sentences: Sequence[Sentence], place: int) -> frozenset[str]:
    """Stems of the sentences before and after that stand under the same heading."""
    beside = (sentences[at] for at in (place - 1, place + 1) if 0 <= at < len(sentences))
    return frozenset[str]().union(
        *(stems_of(other.text) for other in beside if other.heading == sentences[place].heading)
    )


def about_of(report: Record, sentences: Sequence[Sentence]) -> str:
    """Title and opening paragraph of a report."""
    opening = [sentence.text for sentence in sentences if sentence.heading == sentences[0].heading]
    return f"{report.title}. {' '.join(opening)}"[:MAX_ABOUT_CHARACTERS]


def candidates_of_notes(notes: Sequence[Note]) -> list[Candidate]:
    """Every statement of earlier steps."""
    return [
        Candidate(
            note.text,
            note.text,
            stems_of(note.text),
            frozenset(),
            note.citations,
            cited_first(note, at),
            place=at,
            weight=note.score / FULL_SCORE,
            asked=note.asked,
        )
        for at, note in enumerate(notes)
    ]


def cited_first(note: Note, at: int) -> Group:
    """The record that ``note`` rests on first: statements of one record belong together, whoever made them."""
    return next(((dataset, ids[0]) for dataset, ids in note.citations.items() if ids), ("note", str(at)))


def candidates_of_text(text: str) -> list[Candidate]:
    """Every sentence of a text that is no record."""
    return [
        Candidate(
            sentence.text,
            sentence.text,
            stems_of(sentence.text),
            frozenset(),
            {},
            ("text", ""),
            place,
            heading=sentence.heading,
        )
        for place, sentence in enumerate(sentences_of(text))
    ]


def names_of(record: Record) -> tuple[str, ...]:
    """What ``record`` is about, as one would write it in a sentence."""
    if record.ends:
        return tuple(readable_name(end) for end in record.ends)
    return (readable_name(record.title),) if record.title else ()


def lead_of(sentence: Sentence) -> str:
    """The sentence before, where ``sentence`` opens with a pronoun and there is no title to put in its place."""
    lead = sentence.before
    return lead if opens_with_pronoun(sentence.text) and len(lead) <= MAX_LEAD_CHARACTERS else ""


def standing_alone(text: str, record: Record, names: tuple[str, ...]) -> str:
    """The sentence as it can be quoted: with what it speaks of put first where it would open with a pronoun."""
    text = without_connective(text)
    if not record.certain:
        text = f"{text.rstrip('.')} (a claim, not established)."
    title = " and ".join(names)
    if not title or _names_it(text, names):
        return text
    if record.dataset == "entities" and (renamed := _renamed(text, record, title)):
        return renamed
    if record.dataset == "reports" and not opens_with_pronoun(text):
        return text
    return f"{title}: {text}"


def without_connective(text: str) -> str:
    """``text`` without the "However," that ties it to a sentence that is not quoted."""
    found = _CONNECTIVE.match(text)
    return text[found.end() : found.end() + 1].upper() + text[found.end() + 1 :] if found else text


def _renamed(text: str, entity: Record, name: str) -> str:
    """``text`` with the name in place of the pronoun that opens it; nothing when no pronoun does, or its verb would not fit."""
    one = re.search(rf"\b{re.escape(name)} (?:is|was|has)\b", entity.text, re.IGNORECASE) is not None
    if entity.text.lower().startswith(f"the {name.lower()} "):
        name = f"The {name}"
    if subject := _SUBJECT.match(text):
        return _with_verb(name, text[subject.end() :], one=one and subject.group() == "They")
    if owner := _OWNER.match(text):
        return f"{name}{'’' if name.endswith('s') else '’s'}" + text[owner.end() :]
    return ""


def _with_verb(name: str, rest: str, *, one: bool) -> str:
    """``name`` before ``rest``, whose verb is of several where the record says "they" of ``one``."""
    if not one:
        return name + rest
    verb = _OF_SEVERAL.match(rest)
    return f"{name} {_OF_ONE[verb.group(1)]}{rest[verb.end() :]}" if verb else ""


def readable_name(title: str) -> str:
    """``title`` with the capitals of a name: indexes write entities in capitals throughout."""
    title = " ".join(title.split())
    if not title.isupper():
        return title
    words = title.lower().split(" ")
    return " ".join(word if at and word in _SMALL_WORDS else _capital(word) for at, word in enumerate(words))


def _capital(word: str) -> str:
    if _ROMAN.fullmatch(word):
        return word.upper()
    for joint in "-.'’":
        if joint in word.strip(joint):
            head, _, tail = word.partition(joint)
            if joint in "'’" and len(tail) <= 1:
                return _capital(head) + joint + tail
            return _capital(head) + joint + _capital(tail)
    return word[:1].upper() + word[1:]


def _names_it(text: str, names: tuple[str, ...]) -> bool:
    """True when the sentence itself says what it is about, so that no title is needed before it."""
    if opens_with_pronoun(text):
        return False
    said = stems_of(text)
    return all(not (own := stems_of(name)) or own & said for name in names)
