"""Reads the hand-written sources: documents in `input/`, the graph in `graph/`.

Every reader returns frozen values and raises `SourceError` with the file and the offending record, so that
a mistake in a source is found by the build and not by somebody who asks a question months later.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

HERE = Path(__file__).resolve().parent
INPUT = HERE / "input"
GRAPH = HERE / "graph"


class SourceError(Exception):
    """A source file says something that the index cannot hold."""


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """One file of `input/`; each paragraph is one text unit."""

    title: str
    text: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntitySource:
    """One line of `entities.tsv`; `aliases` are the spellings to look for in the text units."""

    title: str
    type: str
    aliases: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True)
class RelationshipSource:
    """One line of `relationships.tsv`; the ends are entity titles."""

    source: str
    target: str
    weight: float
    description: str


@dataclass(frozen=True, slots=True)
class ClaimSource:
    """One entry of `claims.yaml`; `text` is quoted word for word from the text unit that supports it."""

    key: str
    subject: str
    object: str
    type: str
    status: str
    start: str
    end: str
    description: str
    text: str


@dataclass(frozen=True, slots=True)
class CommunitySource:
    """One entry of `communities.yaml`, found by `_communities.detect` and then kept."""

    number: int
    level: int
    parent: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindingSource:
    """A finding of a report; `explanation` may hold `{{…}}` citations."""

    summary: str
    explanation: str


@dataclass(frozen=True, slots=True)
class ReportSource:
    """One file of `reports/`; `central` names the community's most connected entities and so identifies it."""

    file: str
    community: int
    central: tuple[str, ...]
    title: str
    rank: float
    rating_explanation: str
    summary: str
    findings: tuple[FindingSource, ...]


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """One entry of `questions.yaml`; `expect` names records by title, phrase or central entities."""

    id: str
    method: str
    question: str
    strings: tuple[str, ...]
    sources: tuple[str, ...]
    entities: tuple[str, ...]
    relationships: tuple[tuple[str, ...], ...] | None
    """Pairs of titles; unset, every relationship between ``entities``."""
    reports: tuple[tuple[str, ...], ...]

    @property
    def answerable(self) -> bool:
        """Whether the index holds an answer."""
        return bool(self.sources or self.entities or self.reports)


def read_documents() -> list[DocumentSource]:
    """Read `input/*.txt` in name order."""
    return [_document(path) for path in sorted(INPUT.glob("*.txt"))]


def _document(path: Path) -> DocumentSource:
    text = path.read_text(encoding="utf-8").strip()
    return DocumentSource(path.name, text, tuple(part.strip() for part in text.split("\n\n")))


def read_entities() -> list[EntitySource]:
    """Read `graph/entities.tsv`."""
    rows = _tsv(GRAPH / "entities.tsv")
    return [
        EntitySource(r["title"], r["type"], tuple(r["aliases"].split("; ")), r["description"]) for r in rows
    ]


def read_relationships() -> list[RelationshipSource]:
    """Read `graph/relationships.tsv`."""
    rows = _tsv(GRAPH / "relationships.tsv")
    return [RelationshipSource(r["source"], r["target"], float(r["weight"]), r["description"]) for r in rows]


def read_token_counts() -> dict[str, int]:
    """Read `graph/token_counts.tsv`: first 16 hex digits of a text unit's id → cl100k_base tokens."""
    return {r["text_unit"]: int(r["tokens"]) for r in _tsv(GRAPH / "token_counts.tsv")}


def read_claims() -> list[ClaimSource]:
    """Read `graph/claims.yaml`."""
    return [_claim(entry) for entry in _yaml_list(GRAPH / "claims.yaml")]


def _claim(entry: dict[str, object]) -> ClaimSource:
    return ClaimSource(
        key=_text(entry, "key"),
        subject=_text(entry, "subject"),
        object=_text(entry, "object"),
        type=_text(entry, "type"),
        status=_text(entry, "status"),
        start=_text(entry, "start"),
        end=_text(entry, "end"),
        description=_text(entry, "description"),
        text=_text(entry, "text"),
    )


def read_communities() -> list[CommunitySource]:
    """Read `graph/communities.yaml`."""
    return [
        CommunitySource(
            _number(entry, "community"),
            _number(entry, "level"),
            _number(entry, "parent"),
            _texts(entry, "members"),
        )
        for entry in _yaml_list(GRAPH / "communities.yaml")
    ]


def read_reports() -> list[ReportSource]:
    """Read `graph/reports/*.yaml` in name order."""
    return [_report(path) for path in sorted((GRAPH / "reports").glob("*.yaml"))]


def _report(path: Path) -> ReportSource:
    entry = cast("dict[str, object]", yaml.safe_load(path.read_text(encoding="utf-8")))
    findings = cast("list[dict[str, object]]", entry["findings"])
    return ReportSource(
        file=path.name,
        community=_number(entry, "community"),
        central=_texts(entry, "central"),
        title=_text(entry, "title"),
        rank=float(cast("float", entry["rank"])),
        rating_explanation=_text(entry, "rating_explanation"),
        summary=_text(entry, "summary"),
        findings=tuple(FindingSource(_text(f, "summary"), _text(f, "explanation")) for f in findings),
    )


def read_questions() -> list[QuestionSource]:
    """Read `graph/questions.yaml`."""
    return [_question(entry) for entry in _yaml_list(GRAPH / "questions.yaml")]


def _question(entry: dict[str, object]) -> QuestionSource:
    reports = cast("list[Sequence[str]]", entry.get("reports", []))
    pairs = cast("list[Sequence[str]] | None", entry.get("relationships"))
    return QuestionSource(
        id=_text(entry, "id"),
        method=_text(entry, "method"),
        question=_text(entry, "question"),
        strings=_texts(entry, "strings"),
        sources=_texts(entry, "sources"),
        entities=_texts(entry, "entities"),
        relationships=None if pairs is None else tuple(tuple(pair) for pair in pairs),
        reports=tuple(tuple(central) for central in reports),
    )


def _tsv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))


def _yaml_list(path: Path) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", yaml.safe_load(path.read_text(encoding="utf-8")))


def _text(entry: dict[str, object], key: str) -> str:
    if key not in entry:
        raise SourceError(f"no {key!r} in {entry!r}")
    return str(entry[key]).strip()


def _number(entry: dict[str, object], key: str) -> int:
    return int(_text(entry, key))


def _texts(entry: dict[str, object], key: str) -> tuple[str, ...]:
    return tuple(str(item) for item in cast("Sequence[object]", entry.get(key, [])))
