"""Rows that an earlier run sent, found again by the ids in its state, so that a resumed answer's citations resolve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from graphrag_cli.events import ContextRecord, Dataset

if TYPE_CHECKING:
    from graphrag_cli.index.snapshot import Rows, Snapshot


def recall(snapshot: Snapshot, context: Mapping[Dataset, Sequence[str]]) -> list[ContextRecord]:
    """Records of the ids in ``context``; ids that the index does not have are left out."""
    found: list[ContextRecord] = []
    for dataset, ids in context.items():
        rows = snapshot.rows_by_label(dataset, ids)
        found += _records(snapshot, dataset, rows[rows >= 0])
    return found


def _records(snapshot: Snapshot, dataset: Dataset, rows: Rows) -> list[ContextRecord]:
    match dataset:
        case "reports":
            reports = snapshot.reports(rows)
            return [_record(dataset, one.label, one.id, one.title, one.content) for one in reports]
        case "entities":
            entities = snapshot.entities(rows)
            return [_record(dataset, one.label, one.id, one.title, one.description) for one in entities]
        case "relationships":
            return [
                _record(dataset, one.label, one.id, f"{one.source} → {one.target}", one.description)
                for one in snapshot.relationships(rows)
            ]
        case "claims":
            claims = snapshot.claims(rows)
            return [_record(dataset, one.label, one.id, one.subject, one.description) for one in claims]
        case "sources":
            return [_record(dataset, one.label, one.id, "", one.text) for one in snapshot.text_units(rows)]


def _record(dataset: Dataset, label: int | str, record_id: str, title: str, text: str) -> ContextRecord:
    values = {"id": label, "title": title, "text": text}
    return ContextRecord(dataset, str(label), record_id, title, values, why={"recalled": 1})
