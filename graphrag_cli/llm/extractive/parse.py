r"""What a request says: the question, the records, and how the answer should be.

Nothing but the messages is read. Records stand in tables (``-----Sources-----``, a header row, rows of cells parted
by ``|`` with ``\|``, ``\n`` and ``\\`` escaped) or, for a reduce, in notes that carry citations of their own. Tables
are cut out before the instructions are looked at, so that a text in a record cannot pass for one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graphrag_cli.events import DATASETS, Dataset
from graphrag_cli.llm.extractive.notes import Note, cut_notes

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatRequest, Message

DEFAULT_FOLLOW_UPS: Final = 5

_TABLE = re.compile(
    r"^-{3,}\s*(?P<name>Reports|Entities|Relationships|Claims|Sources)\s*-{3,}[ \t]*\n(?P<rows>(?:[^\n]*\S[^\n]*(?:\n|$))*)",
    re.MULTILINE | re.IGNORECASE,
)
_NEXT_TABLE = re.compile(r"^-{3,}\s*\w+\s*-{3,}\s*$")
_CELL = re.compile(r"(?:[^\\|]|\\.)*\\?", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t"}

_TAGGED_QUESTION = re.compile(r"<question>\s*(.*?)\s*</question>", re.IGNORECASE | re.DOTALL)
_OVERALL_QUESTION = re.compile(
    r"(?:overall|global|original|whole)[^:\n]{0,40}(?:question|query)[^:\n]{0,20}:\s*(\S[^\n]*)",
    re.IGNORECASE,
)
_LABELLED_QUESTION = re.compile(
    r"^\W*(?:user'?s? )?(?:question|query)\W*:\s*(\S[^\n]*)", re.IGNORECASE | re.MULTILINE
)
_HEADING = re.compile(
    r"^(?:#{1,4}\s+(?P<hash>[^\n]*?)\s*#*|-{2,}\s*(?P<dash>[A-Za-z][^\n]*?)\s*-{2,})\s*$", re.MULTILINE
)
_RESPONSE_TYPE = re.compile(
    r"(?:length and form(?:at)?|response (?:type|format))(?:[^:\n]*:|[^\n]*\n+)[ \t]*([A-Za-z0-9][^\n]*)",
    re.IGNORECASE,
)
_MAX_WORDS = re.compile(
    r"(?:at most|limit[^\n]{0,60}?to|up to|no more than)\s+(?:about\s+)?(\d[\d,]*)\s+words", re.IGNORECASE
)
_FOLLOW_UPS = (
    re.compile(r"follow_?up_?queries\W{0,6}(?:up to |at most |exactly |about )?(\d+)", re.IGNORECASE),
    re.compile(r"(\d+)\s+(?:\w+\s+){0,2}follow[- ]?up", re.IGNORECASE),
)
_MAX_FOLLOW_UPS: Final = 40
_LONG_QUESTION: Final = 1500
"""A user's message longer than this is a prompt that holds the question, not the question."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a context table. ``title`` is what the record is about, if the table says."""

    dataset: Dataset
    id: str
    title: str
    text: str
    ends: tuple[str, str] | None = None
    """Relationships: source and target."""
    certain: bool = True
    """Claims: False when the status is other than TRUE."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A request as understood."""

    question: str
    records: tuple[Record, ...]
    notes: tuple[Note, ...]
    instructions: str
    """The prompt without tables and notes."""
    overall: str | None
    """DRIFT steps: the question on the whole."""
    response_type: str
    max_words: int | None
    follow_ups: int


def read_request(request: ChatRequest) -> Reading:
    """Question, records and wishes of ``request``."""
    system = "\n\n".join(message.content for message in request.messages if message.role == "system")
    asked = _last_of(request.messages, "user")
    inside = not system or len(asked) > _LONG_QUESTION or _TABLE.search(asked) is not None
    prompt = f"{system}\n\n{asked}" if inside else system
    records, rest = cut_tables(prompt)
    notes, rest = cut_notes(rest) if request.stage == "reduce" and not records else ((), rest)
    outer = without_enclosed(rest)
    return Reading(
        question=_question(outer, None if inside else asked, request.stage),
        records=records,
        notes=notes,
        instructions=rest,
        overall=_overall(outer) if request.stage == "step" else None,
        response_type=_first(_RESPONSE_TYPE, outer) or "",
        max_words=_number(_first(_MAX_WORDS, outer)),
        follow_ups=_follow_ups(outer),
    )


def cut_tables(text: str) -> tuple[tuple[Record, ...], str]:
    """The records of the tables in ``text``, each once, and ``text`` without the tables."""
    records: dict[tuple[str, str], Record] = {}
    rest: list[str] = []
    at = 0
    for match in _TABLE.finditer(text):
        rest.append(text[at : match.start()])
        at = match.end()
        rows = match.group("rows").split("\n")
        until = next((number for number, row in enumerate(rows) if _NEXT_TABLE.match(row)), len(rows))
        if until < len(rows):
            # Tables that follow each other without a blank line: the next match starts there.
            at = match.start("rows") + len("\n".join(rows[:until])) + 1
            tail, more = cut_tables(text[at:])
            _add(records, match.group("name"), rows[:until])
            records.update({key: record for record in tail if (key := _key(record)) not in records})
            return tuple(records.values()), "".join([*rest, more])
        _add(records, match.group("name"), rows)
    rest.append(text[at:])
    return tuple(records.values()), "".join(rest)


def _key(record: Record) -> tuple[str, str]:
    return record.dataset, record.id


def _add(records: dict[tuple[str, str], Record], name: str, lines: list[str]) -> None:
    dataset: Dataset = next(dataset for dataset in DATASETS if dataset == name.lower())
    header, *rows = [read_cells(line) for line in lines if line.strip()] or [()]
    columns = [column.strip().lower() for column in header]
    for row in rows:
        record = _record(dataset, dict(zip(columns, row, strict=False)))
        if record.text.strip():
            records.setdefault(_key(record), record)


def _record(dataset: Dataset, cells: Mapping[str, str]) -> Record:
    number = cells.get("id", "")
    match dataset:
        case "reports":
            return Record(
                dataset, number, cells.get("title", ""), cells.get("content") or cells.get("summary", "")
            )
        case "entities":
            return Record(dataset, number, cells.get("entity", ""), cells.get("description", ""))
        case "relationships":
            ends = (cells.get("source", ""), cells.get("target", ""))
            return Record(dataset, number, " – ".join(ends), cells.get("description", ""), ends=ends)
        case "claims":
            certain = cells.get("status", "TRUE").strip().upper() in {"TRUE", ""}
            return Record(
                dataset, number, cells.get("entity", ""), cells.get("description", ""), certain=certain
            )
        case "sources":
            return Record(dataset, number, "", cells.get("text", ""))


def read_cells(line: str) -> tuple[str, ...]:
    """The cells of a table row, unescaped."""
    cells: list[str] = []
    at = 0
    while True:
        match = _CELL.match(line, at)
        written = match.group() if match else ""
        cells.append(_ESCAPE.sub(lambda found: _ESCAPED.get(found.group(1), found.group(1)), written))
        at += len(written)
        if at >= len(line):
            return tuple(cells)
        at += 1


def section(text: str, title: str) -> str:
    """What stands under the last heading of ``text`` that matches the pattern ``title``.

    It ends at the last ``# End of …`` that belongs to it, else at the next heading, else with the text.
    """
    headings = _headings(text)
    found = [at for at, heading in enumerate(headings) if re.fullmatch(title, heading.name, re.IGNORECASE)]
    if not found:
        return ""
    start = found[0] if _closing(headings, found[0]) else found[-1]
    end = _closing(headings, start) or start + 1
    stop = headings[end].start if end < len(headings) else len(text)
    return text[headings[start].end : stop].strip()


def without_enclosed(text: str) -> str:
    """``text`` without what stands between a heading and its ``# End of …``: material, where nothing is an instruction."""
    headings = _headings(text)
    for start in range(len(headings)):
        end = _closing(headings, start)
        if end:
            return text[: headings[start].end] + without_enclosed(text[headings[end].start :])
    return text


@dataclass(frozen=True, slots=True)
class _Heading:
    name: str
    start: int
    end: int


def _headings(text: str) -> list[_Heading]:
    return [
        _Heading((found.group("hash") or found.group("dash") or "").strip(" :"), found.start(), found.end())
        for found in _HEADING.finditer(text)
    ]


def _closing(headings: list[_Heading], start: int) -> int | None:
    """Number of the last heading that says that the one at ``start`` ends."""
    closing = re.compile(r"end of (?:the )?" + re.escape(headings[start].name) + r"\b", re.IGNORECASE)
    ends = [at for at in range(start + 1, len(headings)) if closing.match(headings[at].name)]
    return ends[-1] if ends else None


def _question(rest: str, asked: str | None, stage: str) -> str:
    """The question: the user's message, or where the prompt holds it, what the prompt marks as such."""
    marked = (
        section(rest, r"(?:the |user'?s? )?(?:question|query)(?: to rewrite)?")
        or _first(_LABELLED_QUESTION, rest)
        or (_first(_TAGGED_QUESTION, rest) if stage != "step" else None)
    )
    if stage in {"hyde", "primer", "rate", "rewrite"} and marked:
        return marked.strip()
    return (asked or marked or _last_question(rest)).strip()


def _last_question(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    asked = [line for line in lines if line.endswith(("?", "？"))]
    return (asked or lines or [""])[-1]


def _overall(rest: str) -> str | None:
    return _first(_TAGGED_QUESTION, rest) or _first(_OVERALL_QUESTION, rest)


def _follow_ups(rest: str) -> int:
    for pattern in _FOLLOW_UPS:
        number = _number(_first(pattern, rest))
        if number is not None:
            return min(number, _MAX_FOLLOW_UPS)
    return DEFAULT_FOLLOW_UPS


def _last_of(messages: tuple[Message, ...], role: str) -> str:
    return next((message.content for message in reversed(messages) if message.role == role), "")


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match.group(1).strip() if match else None


def _number(text: str | None) -> int | None:
    return int(text.replace(",", "")) if text else None
