"""The vectors of a small table are read with ``lance`` once, and only for that state of the table."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphrag_cli.index.kept import cache
from graphrag_cli.index.kept.cache import entries
from graphrag_cli.index.vectors import kept as kept_vectors
from graphrag_cli.index.vectors.base import Hits, VectorTables
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from graphrag_cli.index.vectors.lance import LanceSource
from graphrag_cli.index.vectors.union import UnionVectors
from tests.kit.snapshots import opened, settings_for, vectors_of
from tests.kit.tiny import tables, vector, write_index, write_vector_table


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "user"))
    return tmp_path / "user" / "index"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the tables that were opened with ``lance``."""
    names: list[str] = []

    def opening(path: Path, schema: Any) -> LanceSource:
        names.append(path.stem)
        return LanceSource(path, schema)

    monkeypatch.setattr(kept_vectors, "LanceSource", opening)
    return names


def search(vectors: VectorTables, k: int = 6) -> Hits:
    return vectors.open("entity_description").search(vector("a question")[None], k)[0]


def test_the_second_search_finds_the_same_without_the_table(tiny: Path, root: Path, read: list[str]) -> None:
    first = search(vectors_of(tiny))
    second = vectors_of(tiny)
    assert search(second) == first
    assert read == ["entity_description"]
    ids = [row["id"] for row in tables()["entities"]]
    made, there = second.open("entity_description").vectors_of([*ids, "unknown"])
    assert there.tolist() == [True] * len(ids) + [False]
    np.testing.assert_array_equal(made[0], vector(tables()["entities"][0]["description"]))
    assert [entry.index for entry in entries(root)] == [str(tiny / "lancedb" / "entity_description.lance")]


def test_a_table_that_changed_is_read_again(tiny: Path, root: Path, read: list[str]) -> None:
    search(vectors_of(tiny))
    store = tiny / "lancedb"
    shutil.rmtree(store / "entity_description.lance")
    ids = [row["id"] for row in tables()["entities"][:2]]
    write_vector_table(store, "entity_description", ids, [vector("one").tolist(), vector("other").tolist()])
    assert len(search(vectors_of(tiny)).ids) == 2
    assert read == ["entity_description"] * 2
    assert len(entries(root)) == 1


def test_a_new_version_of_a_table_is_read(tiny: Path, root: Path, read: list[str]) -> None:
    before = search(vectors_of(tiny))
    lance: Any = __import__("lance")
    lance.dataset(str(tiny / "lancedb" / "entity_description.lance")).delete(f"id = '{before.ids[0]}'")
    assert search(vectors_of(tiny)).ids == before.ids[1:]
    assert read == ["entity_description"] * 2


def test_a_file_that_was_only_touched_is_read_again(tiny: Path, root: Path, read: list[str]) -> None:
    before = search(vectors_of(tiny))
    (data,) = (tiny / "lancedb" / "entity_description.lance" / "data").iterdir()
    os.utime(data, (1.0, 1.0))
    assert search(vectors_of(tiny)) == before
    assert read == ["entity_description"] * 2


def test_what_is_kept_of_one_column_is_not_that_of_another(tiny: Path, root: Path, read: list[str]) -> None:
    lance: Any = __import__("lance")
    path = str(tiny / "lancedb" / "entity_description.lance")
    table = lance.dataset(path).to_table()
    reverse = table.column("vector").take(list(range(len(table)))[::-1])
    lance.write_dataset(table.append_column("turned", reverse), path, mode="overwrite")

    def found(field: str) -> Hits:
        return search(vectors_of(tiny, index_schema={"entity_description": {"vector_field": field}}))

    first = [found("vector"), found("turned")]
    assert first[0].ids != first[1].ids
    assert [found("vector"), found("turned")] == first
    assert len(read) == 2


def test_a_large_table_stays_where_it_is(
    tiny: Path, root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_vectors, "SMALL", 100)
    assert search(vectors_of(tiny)) == search(vectors_of(tiny))
    assert read == ["entity_description"] * 2
    assert not root.exists()


@pytest.mark.parametrize("where", ["off", "file"])
def test_nothing_is_lost_where_nothing_can_be_kept(
    tiny: Path, tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv(cache.VARIABLE, where if where == "off" else str(tmp_path / "file"))
    assert len(search(vectors_of(tiny)).ids) == 6
    assert len(search(vectors_of(tiny)).ids) == 6
    assert read == ["entity_description"] * 2


def test_searches_that_come_first_together_agree(tiny: Path, root: Path) -> None:
    alone = search(vectors_of(tiny))
    shutil.rmtree(root)
    with ThreadPoolExecutor(8) as pool:
        found = [task.result() for task in [pool.submit(search, vectors_of(tiny)) for _ in range(8)]]
    assert found == [alone] * 8
    assert not [path for path in root.glob("*/.*") if path.is_file()]


def test_several_indexes_are_searched_without_their_tables(
    tmp_path: Path, root: Path, read: list[str]
) -> None:
    folders = {name: write_index(tmp_path / name / "output") for name in ("a", "b")}

    def union() -> UnionVectors:
        return UnionVectors(
            {name: IndexVectors(settings_for(one), opened(one)) for name, one in folders.items()}
        )

    first = search(union(), 12)
    assert search(union(), 12) == first
    assert len(first.ids) == 12
    assert read == ["entity_description"] * 2
    assert len(entries(root)) == 2


def test_vectors_that_cannot_be_used_stay_so(tiny: Path, root: Path, read: list[str]) -> None:
    store = tiny / "lancedb"
    shutil.rmtree(store / "entity_description.lance")
    rows = tables()["entities"]
    vectors = np.stack([vector(row["description"]) for row in rows])
    vectors[0], vectors[1] = 0.0, np.nan
    write_vector_table(store, "entity_description", [row["id"] for row in rows], vectors.tolist())
    first = search(vectors_of(tiny))
    assert len(first.ids) == 4
    assert search(vectors_of(tiny)) == first
    assert read == ["entity_description"]
