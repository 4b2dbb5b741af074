"""What ``index info`` tells, gathered from an opened index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_cli.documents.report_shapes import INDEX_SCHEMA
from graphrag_cli.errors import VectorError
from graphrag_cli.index.open import open_snapshot, servable
from graphrag_cli.index.tables.adaptations import adaptations
from graphrag_cli.index.tables.schema import VECTORS_SEARCHED
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from graphrag_cli.index.vectors.names import CONTAINER_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphrag_cli.config.settings import Settings, VectorName
    from graphrag_cli.documents.report_shapes import IndexInfoShape, LevelShape, VectorTableShape
    from graphrag_cli.events import Method
    from graphrag_cli.index.snapshot import Snapshot


def index_info(settings: Settings) -> IndexInfoShape:
    """Version, tables, levels, vectors, methods, and what had to be adapted. Raises ``IndexDataError``."""
    snapshot = open_snapshot(settings)
    summary = snapshot.summary
    levels = _levels(snapshot)
    vectors = [
        _vectors(IndexVectors(settings, snapshot, _embedder(settings)), name) for name in CONTAINER_NAMES
    ]
    return {
        "schema": INDEX_SCHEMA,
        "path": summary.path,
        "version": summary.version,
        "tables": [{"name": name, "rows": rows} for name, rows in summary.counts.items()],
        "levels": levels,
        "vectors": vectors,
        "methods": _methods(snapshot, vectors),
        "adapted": [f"{note.table}.{note.column}: {note.how}" for note in adaptations(snapshot.tables)],
    }


def _methods(snapshot: Snapshot, vectors: Sequence[VectorTableShape]) -> list[Method]:
    """What tables and vectors can serve, whatever embedding model is set; DRIFT embeds reports where it must."""
    lacking = {one["name"] for one in vectors if one["problem"]} - {"community_full_content"}
    return [method for method in servable(snapshot.tables) if lacking.isdisjoint(VECTORS_SEARCHED[method])]


def _levels(snapshot: Snapshot) -> list[LevelShape]:
    if not snapshot.tables.has("reports") or not snapshot.tables.has("communities"):
        return []
    return [{"level": level, "reports": len(snapshot.report_rows_at(level))} for level in snapshot.levels()]


def _vectors(tables: IndexVectors, name: VectorName) -> VectorTableShape:
    try:
        table = tables.open(name)
    except VectorError as error:
        return {"name": name, "found_as": None, "width": None, "rows": None, "problem": error.message}
    return {"name": name, "found_as": table.name, "width": table.width, "rows": table.rows, "problem": None}


def _embedder(settings: Settings) -> str | None:
    entry = settings.embedding_models.get(settings.local_search.embedding_model_id)
    return None if entry is None else entry.model
