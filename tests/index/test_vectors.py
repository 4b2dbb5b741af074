"""Searching vectors: exact, complete, read-only, whatever the store looks like."""

from __future__ import annotations

import hashlib
import importlib
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.errors import VectorError
from graphrag_cli.index.vectors import similarity
from graphrag_cli.index.vectors import table as vector_table
from graphrag_cli.index.vectors.names import table_names
from tests.kit.snapshots import vectors_of
from tests.kit.tiny import pa, tables, uid, vector, write_index, write_tables, write_vector_table


def checksum(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)}{path.stat().st_mtime_ns}".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def test_the_nearest_come_first_with_their_cosine(tiny: Path) -> None:
    entities = tables()["entities"]
    query = vector("a question")
    hits = vectors_of(tiny).open("entity_description").search(query[None], 6)[0]

    cosine = {row["id"]: float(vector(row["description"]) @ query) for row in entities}
    assert list(hits.ids) == sorted(cosine, key=lambda key: -cosine[key])
    assert list(hits.similarities) == pytest.approx(sorted(cosine.values(), reverse=True), abs=1e-6)


def test_several_queries_are_answered_each(tiny: Path) -> None:
    entities = tables()["entities"]
    queries = np.stack([vector(row["description"]) for row in entities])
    hits = vectors_of(tiny).open("entity_description").search(queries, 1)

    assert [one.ids[0] for one in hits] == [row["id"] for row in entities]


def test_only_narrows_and_the_order_stays(tiny: Path) -> None:
    entities = tables()["entities"]
    table = vectors_of(tiny).open("entity_description")
    whole = table.search(vector("x")[None], 6)[0].ids
    some = [entities[4]["id"], entities[1]["id"].replace("-", ""), "unknown"]

    assert table.search(vector("x")[None], 6, only=some)[0].ids == tuple(
        key for key in whole if key in {entities[4]["id"], entities[1]["id"]}
    )
    assert table.search(vector("x")[None], 3, only=[])[0].ids == ()


def test_vectors_of_ids_come_in_their_order_and_say_which_were_found(tiny: Path) -> None:
    entities = tables()["entities"]
    ids = [entities[3]["id"], "unknown", entities[0]["id"]]
    found, known = vectors_of(tiny).open("entity_description").vectors_of(ids)

    assert known.tolist() == [True, False, True]
    assert found[0] == pytest.approx(vector(entities[3]["description"]))
    assert not found[1].any()


def test_ties_go_by_position_in_the_table(tmp_path: Path) -> None:
    data = tables()
    for row in data["entities"]:
        row["description"] = "all the same"
    hits = (
        vectors_of(write_index(tmp_path / "output", data))
        .open("entity_description")
        .search(vector("x")[None], 4)
    )

    assert list(hits[0].ids) == [row["id"] for row in data["entities"][:4]]


def test_hits_without_a_record_do_not_crowd_out_those_with_one(tmp_path: Path) -> None:
    data = tables()
    write_tables(tmp_path / "output", data)
    query = vector("x")
    ids = [f"gone{place}" for place in range(300)] + [row["id"] for row in data["entities"]]
    stored = [query.tolist()] * 300 + [vector(row["description"]).tolist() for row in data["entities"]]
    write_vector_table(tmp_path / "output" / "lancedb", "entity_description", ids, stored)
    hits = vectors_of(tmp_path / "output").open("entity_description").search(query[None], 3)[0]

    assert len(hits.ids) == 3
    assert not any(key.startswith("gone") for key in hits.ids)


def test_a_wrong_width_names_the_model_the_table_and_the_command(tiny: Path) -> None:
    table = vectors_of(tiny, "small-model").open("entity_description")
    with pytest.raises(VectorError) as refused:
        table.search(np.ones((1, 3), np.float32), 2)

    assert "small-model" in refused.value.message
    assert "3 numbers" in refused.value.message
    assert "holds 8" in refused.value.message
    assert "index embed" in (refused.value.hint or "")


def test_a_missing_table_is_named_with_what_is_there(tiny: Path) -> None:
    (tiny / "lancedb" / "text_unit_text.lance").rename(tiny / "lancedb" / "something.lance")
    with pytest.raises(VectorError) as refused:
        vectors_of(tiny).open("text_unit_text")

    assert "text_unit_text" in refused.value.message
    assert "default-text_unit-text" in refused.value.message
    assert "something" in refused.value.message


def test_configured_names_and_columns_are_used(tiny: Path) -> None:
    store = tiny / "lancedb"
    lance: Any = importlib.import_module("lance")
    rows = tables()["entities"]
    columns = {
        "other": pa.array([[0.5] * 8] * 6, pa.list_(pa.float32(), 8)),
        "key": pa.array([row["id"] for row in rows]),
        "mine": pa.array([vector(row["description"]).tolist() for row in rows], pa.list_(pa.float32(), 8)),
    }
    lance.write_dataset(pa.table(columns), str(store / "custom.lance"))
    schema = {"entity_description": {"index_name": "custom", "id_field": "key", "vector_field": "mine"}}
    table = vectors_of(tiny, index_schema=schema).open("entity_description")

    assert table.name == "custom"
    assert table.search(vector(rows[2]["description"])[None], 1)[0].ids == (rows[2]["id"],)
    schema["entity_description"]["vector_field"] = "absent"
    with pytest.raises(VectorError, match="no column 'absent'"):
        vectors_of(tiny, index_schema=schema).open("entity_description")


def test_names_are_tried_in_order() -> None:
    assert table_names("entity_description", "mine", None)[:3] == (
        "entity_description",
        "mine-entity-description",
        "default-entity-description",
    )


def test_reading_changes_nothing_and_works_on_a_read_only_folder(tiny: Path) -> None:
    before = checksum(tiny)
    paths = [tiny, *tiny.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(stat.S_IREAD | (stat.S_IEXEC if path.is_dir() else 0))
    try:
        table = vectors_of(tiny).open("text_unit_text")
        table.search(vector("x")[None], 2)
        table.vectors_of(["x"])
    finally:
        for path, mode in modes.items():
            path.chmod(mode)

    assert checksum(tiny) == before


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float64()), pa.list_(pa.float16(), 8), pa.large_list(pa.float32())]
)
def test_any_list_of_floats_is_a_vector(kind: Any, tiny: Path, tmp_path: Path) -> None:
    rows = tables()["entities"]
    vectors = pa.array([vector(row["description"]).tolist() for row in rows], pa.list_(pa.float32())).cast(
        kind
    )
    found = similarity.matrix([vectors], 8)

    assert found == pytest.approx(np.stack([vector(row["description"]) for row in rows]), abs=1e-3)


def test_rows_of_another_length_are_left_out() -> None:
    ragged = pa.chunked_array([pa.array([[1.0, 0.0], [1.0], None, [0.0, 2.0], [], [3.0, 4.0]])])

    assert similarity.width_of(ragged) == 2
    rows = similarity.matrix(ragged.chunks, 2)
    assert similarity.usable(rows).tolist() == [True, False, False, True, False, True]


# -- large tables -------------------------------------------------------------------------------------------------


@pytest.fixture
def never_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_table, "MEMORY_LIMIT", 0)
    monkeypatch.setattr(vector_table, "ANN_BYTES", 0)


@pytest.mark.usefixtures("never_in_memory")
def test_a_large_table_is_searched_block_by_block_with_the_same_result(tiny: Path) -> None:
    query = vector("a question")
    entities = tables()["entities"]
    table = vectors_of(tiny).open("entity_description")
    hits = table.search(query[None], 6)[0]

    cosine = {row["id"]: float(vector(row["description"]) @ query) for row in entities}
    assert list(hits.ids) == sorted(cosine, key=lambda key: -cosine[key])
    assert table.search(query[None], 2, only=list(hits.ids[2:]))[0].ids == hits.ids[2:4]


def many(folder: Path, rows: int, metric: str | None, scale: float = 1.0) -> tuple[Any, Any]:
    """An index of ``rows`` entities with clustered vectors, and an approximate index by ``metric``."""
    data = tables()
    first = data["entities"][5]
    data["entities"] += [
        first | {"id": uid("entity", row), "human_readable_id": row, "title": f"T{row}"}
        for row in range(6, rows)
    ]
    write_tables(folder, data)
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(12, 8))
    made = centres[chance.integers(0, 12, rows)] + 0.3 * chance.normal(size=(rows, 8))
    made = made / np.linalg.norm(made, axis=1, keepdims=True)
    made = (made * np.linspace(1, scale, rows)[:, None]).astype(np.float32)
    write_vector_table(
        folder / "lancedb", "entity_description", [row["id"] for row in data["entities"]], made.tolist()
    )
    if metric:
        lance: Any = importlib.import_module("lance")
        stored = lance.dataset(str(folder / "lancedb" / "entity_description.lance"))
        stored.create_index("vector", "IVF_FLAT", metric=metric, num_partitions=4)
    return data, made


@pytest.mark.usefixtures("never_in_memory")
@pytest.mark.parametrize(("metric", "scale"), [(None, 1.0), ("cosine", 5.0), ("L2", 1.0), ("L2", 5.0)])
def test_an_index_of_neighbours_is_used_only_where_it_gives_the_cosine_order(
    metric: str | None, scale: float, tmp_path: Path
) -> None:
    data, made = many(tmp_path / "output", 400, metric, scale)
    query = made[7]
    scores = made @ query / np.linalg.norm(made, axis=1)
    hits = vectors_of(tmp_path / "output").open("entity_description").search(query[None], 10)[0]

    best = np.argsort(-scores, kind="stable")[:10]
    assert list(hits.ids) == [data["entities"][row]["id"] for row in best.tolist()]


@pytest.mark.usefixtures("never_in_memory")
def test_an_index_of_one_deleted_row_hides_nothing(tmp_path: Path) -> None:
    """GraphRAG makes its index over a dummy row and deletes that; every real row is outside the index."""
    data = tables()
    write_tables(tmp_path / "output", data)
    store = tmp_path / "output" / "lancedb"
    write_vector_table(store, "entity_description", ["dummy"] * 300, [vector("dummy").tolist()] * 300)
    lance: Any = importlib.import_module("lance")
    path = str(store / "entity_description.lance")
    lance.dataset(path).create_index("vector", "IVF_FLAT", num_partitions=1)
    lance.dataset(path).delete("id = 'dummy'")
    rows = data["entities"]
    real = pa.table(
        {
            "id": pa.array([row["id"] for row in rows]),
            "vector": pa.array(
                [vector(row["description"]).tolist() for row in rows], pa.list_(pa.float32(), 8)
            ),
        }
    )
    lance.write_dataset(real, path, mode="append")
    table = vectors_of(tmp_path / "output").open("entity_description")

    assert table.rows == 6
    assert sorted(table.search(vector("x")[None], 6)[0].ids) == sorted(row["id"] for row in rows)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=12),
    st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any),
    st.integers(1, 5),
    st.integers(1, 14),
)
def test_blocks_of_any_size_give_the_order_of_one_block(
    stored: list[list[int]], query: list[int], block: int, k: int
) -> None:
    vectors = similarity.unit(np.array(stored, np.float32))
    queries = np.array([query], np.float32)
    everything = np.arange(len(vectors))
    whole = similarity.nearest(queries, [(everything, vectors)], k)[0]
    parts = [
        (everything[start : start + block], vectors[start : start + block])
        for start in range(0, len(vectors), block)
    ]
    pieces = similarity.nearest(queries, parts, k)[0]

    assert whole.positions.tolist() == pieces.positions.tolist()
    with_direction = [place for place, one in enumerate(stored) if any(one)]
    assert set(whole.positions.tolist()) <= set(with_direction)
    assert len(whole.positions) == min(k, len(with_direction))
