"""The text that stands for a record when it is embedded: as GraphRAG chooses it, so that vectors are comparable."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.index.graph import Rows
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.schema import OWNERS, TableName

if TYPE_CHECKING:
    from graphrag_cli.config.settings import VectorName

SLICE = 10_000
"""Rows made into Python strings at a time."""


def texts(snapshot: Snapshot, name: VectorName, rows: Rows) -> list[str]:
    """The text of each of ``rows``; empty where there is nothing to embed."""

    def column(table: TableName, which: str) -> list[str]:
        return convert.strings(convert.take(snapshot.tables.column(table, which), rows))

    match name:
        case "entity_description":
            pairs = zip(column("entities", "title"), column("entities", "description"), strict=True)
            return [f"{title}:{text}" if title.strip() or text.strip() else "" for title, text in pairs]
        case "community_full_content":
            parts = zip(*(column("reports", which) for which in ("content", "title", "summary")), strict=True)
            return [
                content if content.strip() else f"{title}\n{brief}".strip() for content, title, brief in parts
            ]
        case "text_unit_text":
            return column("text_units", "text")


def slices(snapshot: Snapshot, name: VectorName) -> Iterator[tuple[Rows, list[str]]]:
    """All rows with their texts, some thousands at a time."""
    count = snapshot.tables.rows(OWNERS[name])
    for start in range(0, count, SLICE):
        rows = np.arange(start, min(start + SLICE, count))
        yield rows, texts(snapshot, name, rows)


def embeddable(snapshot: Snapshot, name: VectorName) -> tuple[Rows, str]:
    """Rows that have a text, and a fingerprint of all ids and texts together."""
    digest = hashlib.sha256()
    kept: list[Rows] = []
    ids = snapshot.tables.column(OWNERS[name], "id")
    for rows, written in slices(snapshot, name):
        kept.append(rows[[bool(text.strip()) for text in written]])
        for key, text in zip(convert.strings(convert.take(ids, rows)), written, strict=True):
            digest.update(f"{key}\x1f{text}\x1e".encode("utf-8", "replace"))
    return np.concatenate(kept) if kept else np.empty(0, np.int64), digest.hexdigest()
