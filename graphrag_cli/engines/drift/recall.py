"""Rows that an earlier run sent, found again by the ids in its state, so that a resumed answer's citations resolve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from graphrag_cli.events import ContextRecord, Dataset

if TYPE_CHECKING:
    from graphrag_cli.index.snapshot import Snapshot

Finder: TypeAlias = "Callable[[Snapshot, Sequence[int]], list[ContextRecord]]"


def recall(snapshot: Snapshot, context: Mapping[Dataset, Sequence[str]]) -> list[ContextRecord]:
    """Records of the ids in ``context``; ids that the index does not have are left out."""
    found: list[ContextRecord] = []
    for dataset, ids in context.items():
        numbers = [int(one) for one in ids if one.lstrip("-").isdigit()]
        found += _FINDERS[dataset](snapshot, numbers)
    return found


def _reports(snapshot: Snapshot, numbers: Sequence[int]) -> list[ContextRecord]:
    rows = snapshot.report_rows_by_community(numbers)
    return [
        _record("reports", report.community, report.id, report.title, report.content)
        for report in snapshot.reports(rows[rows >= 0])
    ]


def _entities(snapshot: Snapshot, numbers: Sequence[int]) -> list[ContextRecord]:
    rows = snapshot.entity_rows_by_number(numbers)
    return [
        _record("entities", entity.number, entity.id, entity.title, entity.description)
        for entity in snapshot.entities(rows[rows >= 0])
    ]


def _relationships(snapshot: Snapshot, numbers: Sequence[int]) -> list[ContextRecord]:
    rows = snapshot.relationship_rows_by_number(numbers)
    return [
        _record("relationships", one.number, one.id, f"{one.source} → {one.target}", one.description)
        for one in snapshot.relationships(rows[rows >= 0])
    ]


def _claims(snapshot: Snapshot, numbers: Sequence[int]) -> list[ContextRecord]:
    rows = snapshot.claim_rows_by_number(numbers)
    return [
        _record("claims", claim.number, claim.id, claim.subject, claim.description)
        for claim in snapshot.claims(rows[rows >= 0])
    ]


def _sources(snapshot: Snapshot, numbers: Sequence[int]) -> list[ContextRecord]:
    rows = snapshot.text_unit_rows_by_number(numbers)
    return [
        _record("sources", unit.number, unit.id, "", unit.text)
        for unit in snapshot.text_units(rows[rows >= 0])
    ]


def _record(dataset: Dataset, number: int, record_id: str, title: str, text: str) -> ContextRecord:
    values = {"id": number, "title": title, "text": text}
    return ContextRecord(dataset, str(number), record_id, title, values, why={"recalled": 1})


_FINDERS: dict[Dataset, Finder] = {
    "reports": _reports,
    "entities": _entities,
    "relationships": _relationships,
    "claims": _claims,
    "sources": _sources,
}
