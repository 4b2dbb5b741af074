"""How vector tables are called, release by release, and where those of our own making lie."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_cli.index.places import Place

if TYPE_CHECKING:
    from graphrag_cli.config.settings import IndexSchema, Settings, VectorName

CONTAINER_NAMES: dict[VectorName, str] = {
    "entity_description": "entity-description",
    "community_full_content": "community-full_content",
    "text_unit_text": "text_unit-text",
}
_OLD_NAMES: dict[VectorName, tuple[str, ...]] = {
    "entity_description": ("entity_description_embeddings", "description_embedding"),
    "community_full_content": ("final_community_reports_full_content_embedding",),
    "text_unit_text": ("text_units_embedding",),
}
COLUMNS: dict[VectorName, tuple[str, ...]] = {
    "entity_description": ("description_embedding",),
    "community_full_content": ("full_content_embedding",),
    "text_unit_text": ("text_embedding",),
}
BUILT = "vectors"
"""Folder beside the settings where ``index embed`` puts what it builds, one folder per model."""


def model_slug(model: str) -> str:
    """Folder name for an embedding model."""
    return re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.") or "model"


def built_folder(settings: Settings, model: str) -> Path:
    """Where ``index embed`` puts the vectors of ``model``, and where a query with that model looks first.

    Beside the settings: ``vectors/<model>``, and under it ``<folder of the tables>`` for tables that are not in ``output``.
    """
    tables = settings.output_storage.base_dir
    if "://" not in tables:
        tables = os.path.relpath(settings.root / tables, settings.root)
    folder = settings.root / BUILT / model_slug(model)
    return folder if tables == "output" else folder / model_slug(tables)


def table_names(name: VectorName, container: str, schema: IndexSchema | None) -> tuple[str, ...]:
    """Names under which a release may have stored the table, best first."""
    configured = (schema.index_name,) if schema and schema.index_name else ()
    plain = CONTAINER_NAMES[name]
    prefixed = tuple(f"{prefix}-{plain}" for prefix in dict.fromkeys((container, "default")))
    return tuple(dict.fromkeys((*configured, name, *prefixed, *_OLD_NAMES[name])))


def find_table(store: Place, names: Sequence[str], suffixes: Sequence[str]) -> Place | None:
    """Folder of the first table of ``names`` that is there, else of the first whose name ends as one of ``suffixes``.

    Looks at the folders; LanceDB's own listing of tables stops at ten of them.
    """
    if not store.is_dir():
        return None
    there = {path.stem: path for path in sorted(store.iterdir(), key=str) if path.suffix == ".lance"}
    ends = (name for name in there if name.endswith(tuple(suffixes)))
    chosen = next((name for name in names if name in there), None) or next(ends, None)
    return there[chosen] if chosen is not None else None
