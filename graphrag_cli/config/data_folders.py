"""``--data``: other tables than the settings name, and the vector store that lies among them."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

from graphrag_cli.config.discovery import expanded
from graphrag_cli.config.leaves import Key, Leaf, Leaves, below, put
from graphrag_cli.config.loaded import Origin
from graphrag_cli.errors import SettingsError

FLAG = Origin("flag", "--data")
TABLES: Key = ("output_storage", "base_dir")
VECTORS: Key = ("vector_store", "db_uri")
STORE = "lancedb"


def move_data(leaves: Leaves, data: tuple[str, ...]) -> None:
    """Makes the settings point at ``data``: the first one as the tables, all of them as ``outputs`` when several.

    A vector store that the settings put among the tables moves along; one that lies elsewhere stays, unless the
    new folder has its own. ``leaves`` are normalised. Paths are relative to the working folder. Raises ``SettingsError``.
    """
    if not data:
        return
    places = [_place(text) for text in data]
    old = leaves.get(TABLES)
    old_tables = str(old.value) if old else ""
    for key in below(leaves, ("output_storage",)):
        del leaves[key]
    put(leaves, TABLES, Leaf(places[0], FLAG))
    _move_vectors(leaves, old_tables, places[0])
    if len(places) > 1:
        for key in below(leaves, ("outputs",)):
            del leaves[key]
        for name, place in zip(_names(places), places, strict=True):
            leaves[("outputs", name, "base_dir")] = Leaf(place, FLAG)


def _place(text: str) -> str:
    if "://" in text:
        return text
    path = expanded(Path(text))
    if not path.is_dir():
        raise SettingsError(
            f"--data {text}: no such folder",
            hint="name the folder that holds the tables (*.parquet); it is relative to the working folder",
        )
    return os.path.normpath(path.absolute())


def _move_vectors(leaves: Leaves, old_tables: str, new_tables: str) -> None:
    configured = leaves.get(VECTORS)
    if configured is None or configured.value is None:
        return
    store = str(configured.value)
    if old_tables and _inside(store, old_tables):
        below_tables = os.path.relpath(store, old_tables)
        put(leaves, VECTORS, Leaf(f"{new_tables.rstrip('/')}/{below_tables}", FLAG))
    elif Path(new_tables, STORE).is_dir():
        put(leaves, VECTORS, Leaf(f"{new_tables}/{STORE}", FLAG))


def _inside(place: str, folder: str) -> bool:
    if "://" in place or "://" in folder:
        return place.startswith(folder.rstrip("/") + "/")
    return PurePath(place).is_relative_to(folder)


def _names(places: list[str]) -> list[str]:
    """A short name for each index, each once: the folder's own, or its parent's where that is just ``output``."""
    names: list[str] = []
    for place in places:
        parts = [
            part for part in PurePath(place.rstrip("/")).parts if part not in ("output", "artifacts", "/")
        ]
        name = parts[-1] if parts else "index"
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
    return names
