"""What a resumed run needs besides its state: vectors of the questions, and the rows that were sent before.

With the rows, citations of answers from the earlier run still resolve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from graphrag_cli.events import ContextRecord, Dataset

if TYPE_CHECKING:
    from graphrag_cli.engines.drift.state import QueryState
    from graphrag_cli.index.snapshot import Rows, Snapshot


def open_questions(state: QueryState) -> list[str]:
    """Texts whose vectors ``Frontier.resume`` needs: each once, in the order in which they were raised."""
    texts: dict[str, None] = {}
    for action in state.actions[1:]:
        if action.state != "merged":
            texts.setdefault(action.query)
    for action in state.actions:
        if action.is_complete and not action.read:
            for child in action.follow_ups:
                texts.setdefault(child.query)
    return list(texts)


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
