"""Good tables beside vector stores that are missing, empty, foreign, or laid out in other ways."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag_cli.events import METHODS, Method
from tests.kit.tiny import Rows, Tables, pa, tables, vector, write_tables, write_vector_table, write_vectors

ALL: tuple[Method, ...] = METHODS
_NO_ENTITY_VECTORS: tuple[Method, ...] = ("global", "basic")


@dataclass(frozen=True, slots=True)
class Doctored:
    """One damaged index: how to build it in a folder, and which methods tables and vectors still serve."""

    name: str
    build: Callable[[Path], None]
    tables_serve: tuple[Method, ...]
    vectors_serve: tuple[Method, ...]
    """Methods for which tables and vectors are good enough to answer."""


def good(name: str, build: Callable[[Path], None]) -> Doctored:
    return Doctored(name, build, ALL, ALL)


def _vectors(name: str, build: Callable[[Path], None], serve: tuple[Method, ...]) -> Doctored:
    return Doctored(name, build, ALL, serve)


def _store(change: Callable[[Path, Tables], None]) -> Callable[[Path], None]:
    """Good tables, and a store made by ``change``."""

    def build(folder: Path) -> None:
        data = tables()
        write_tables(folder, data)
        change(folder / "lancedb", data)

    return build


def _many_tables(store: Path, data: Tables) -> None:
    for number in range(12):
        write_vector_table(store, f"a_{number:02d}", ["x"], [[1.0] * 8])
    write_vectors(store, data)


def _titles(store: Path, data: Tables) -> None:
    data["entities"][0]["title"] = 'MIRA\'S "LIGHT"'
    write_tables(store.parent, data)
    write_vectors(store, data)
    shutil.rmtree(store / "entity_description.lance")
    rows = data["entities"]
    write_vector_table(
        store,
        "entity_description",
        [row["title"] for row in rows],
        [vector(row["description"]).tolist() for row in rows],
    )


def _replaced(
    name: str, ids: Callable[[Rows], list[str]], vectors: Callable[[Rows], list[Any]], kind: Any = None
) -> Callable[[Path], None]:
    """One table of the store made otherwise; ``ids`` and ``vectors`` are worked out from the entities."""

    def change(store: Path, data: Tables) -> None:
        write_vectors(store, data)
        shutil.rmtree(store / f"{name}.lance")
        rows = data["entities"]
        write_vector_table(store, name, ids(rows), vectors(rows), kind)

    return _store(change)


def _entity_ids(rows: Rows) -> list[str]:
    return [row["id"] for row in rows]


def _entity_vectors(rows: Rows) -> list[Any]:
    return [vector(row["description"]).tolist() for row in rows]


def _without(name: str) -> Callable[[Path], None]:
    """A store that lacks one table."""

    def change(store: Path, data: Tables) -> None:
        write_vectors(store, data)
        shutil.rmtree(store / f"{name}.lance")

    return _store(change)


def _cut_off(store: Path, data: Tables) -> None:
    """A table whose data files are gone."""
    write_vectors(store, data)
    shutil.rmtree(store / "entity_description.lance" / "data")


def _other_column(store: Path, data: Tables) -> None:
    write_vectors(store, data)
    path = store / "entity_description.lance"
    shutil.rmtree(path)
    rows = data["entities"]
    table = pa.table(
        {
            "key": pa.array(_entity_ids(rows)),
            "embedding": pa.array(_entity_vectors(rows), pa.list_(pa.float64())),
        }
    )
    importlib.import_module("lance").write_dataset(table, str(path))


STORES: tuple[Doctored, ...] = (
    _vectors("DT13 no store", _store(lambda store, data: None), ("global",)),
    _vectors("DT13 empty store", _store(lambda store, data: store.mkdir()), ("global",)),
    good("DT13 other prefix", _store(lambda store, data: write_vectors(store, data, prefix="other-name"))),
    good("DT13 many tables", _store(_many_tables)),
    _vectors("DT13 other width", _store(lambda store, data: write_vectors(store, data, 5)), ("global",)),
    good("DT13 ids that are titles", _store(_titles)),
    _vectors(
        "DT13 empty table",
        _replaced("entity_description", lambda rows: [], lambda rows: []),
        _NO_ENTITY_VECTORS,
    ),
    good(
        "DT13 variable length",
        _replaced("entity_description", _entity_ids, _entity_vectors, pa.list_(pa.float64())),
    ),
    _vectors(
        "DT13 other ids",
        _replaced(
            "entity_description",
            lambda rows: [f"other{place}" for place in range(len(rows))],
            _entity_vectors,
        ),
        _NO_ENTITY_VECTORS,
    ),
    _vectors(
        "DT13 all NaN",
        _replaced("entity_description", _entity_ids, lambda rows: [[float("nan")] * 8] * len(rows)),
        _NO_ENTITY_VECTORS,
    ),
    good(
        "DT13 some null",
        _replaced(
            "entity_description", _entity_ids, lambda rows: [*_entity_vectors(rows)[:4], [0.0] * 8, None]
        ),
    ),
    _vectors("DT13 no entity table", _without("entity_description"), _NO_ENTITY_VECTORS),
    _vectors("DT13 no report table", _without("community_full_content"), ("local", "global", "basic")),
    _vectors("DT13 no text unit table", _without("text_unit_text"), ("local", "global", "drift")),
    _vectors("DT13 cut off", _store(_cut_off), _NO_ENTITY_VECTORS),
    good("DT13 other columns", _store(_other_column)),
)
