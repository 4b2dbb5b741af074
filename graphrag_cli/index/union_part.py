"""One index of a union: where its rows begin, and how its records are named among those of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from graphrag_cli.index.records import Claim, Document, Entity, Relationship, Report, TextUnit
from graphrag_cli.index.snapshot import Snapshot

COMMUNITIES = 1 << 40
"""Community numbers of one index lie below this; those of the next are shifted by it."""
KINDS: tuple[str, ...] = ("entities", "relationships", "reports", "text_units", "claims", "documents")


@dataclass(frozen=True, slots=True)
class Part:
    """One index of a union: where its rows begin, by table, and what is added to its community numbers."""

    name: str
    snapshot: Snapshot
    begins: Mapping[str, int]
    shift: int

    def own(self, key: str) -> str | None:
        """``key`` without this index's name; None when it names another."""
        return key.removeprefix(f"{self.name}:") if key.startswith(f"{self.name}:") else None

    def named(self, key: object) -> str:
        """``key`` with this index's name."""
        return f"{self.name}:{key}"


NumberedT = TypeVar("NumberedT", Entity, Relationship, TextUnit, Claim)


def renamed(part: Part, record: NumberedT, row: int) -> NumberedT:
    """``record`` of ``part`` as the one at ``row`` of the union."""
    return replace(record, row=row, id=part.named(record.id), cited_as=part.named(record.number))


def renamed_report(part: Part, report: Report, row: int) -> Report:
    """As ``renamed``; its community number is shifted too."""
    return replace(
        report,
        row=row,
        id=part.named(report.id),
        community=report.community + part.shift,
        cited_as=part.named(report.community),
    )


def renamed_document(part: Part, document: Document, row: int) -> Document:
    """As ``renamed``."""
    return replace(document, row=row, id=part.named(document.id))
