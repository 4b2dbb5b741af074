"""From the text of an answer to its citations, each checked against what was sent and against the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from graphrag_cli.context.citations import parse_citations, resolve
from graphrag_cli.events import DATASETS, Citation, ContextRecord, Dataset

if TYPE_CHECKING:
    from graphrag_cli.index.snapshot import Snapshot


def cite(snapshot: Snapshot, answer: str, records: Sequence[ContextRecord]) -> tuple[Citation, ...]:
    """Citations of ``answer`` in order of first mention, each once."""
    sent: dict[tuple[Dataset, str], ContextRecord] = {
        (record.dataset, record.id): record for record in records
    }
    return tuple(resolve(snapshot, cited, sent) for cited in parse_citations(answer))


def rows_by_dataset(records: Sequence[ContextRecord]) -> Mapping[Dataset, tuple[ContextRecord, ...]]:
    """``records`` under all five keys, each record once, in the order sent."""
    rows: dict[Dataset, dict[str, ContextRecord]] = {dataset: {} for dataset in DATASETS}
    for record in records:
        rows[record.dataset].setdefault(record.id, record)
    return {dataset: tuple(found.values()) for dataset, found in rows.items()}
