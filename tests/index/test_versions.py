"""One index, written as each release writes it, says the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphrag_cli.index.tables.adaptations import adaptations
from tests.kit.snapshots import facts, opened, vectors_of
from tests.kit.tiny import tables, vector, write_index, write_tables, write_vectors
from tests.kit.versions import VERSIONS, Version, as_version


@pytest.mark.parametrize("version", VERSIONS)
def test_every_release_reads_as_the_newest(version: Version, tmp_path: Path) -> None:
    newest = opened(write_index(tmp_path / "newest"))
    write_tables(tmp_path / "older", as_version(tables(), version))

    assert facts(opened(tmp_path / "older")) == facts(newest)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_release_reads_from_csv_as_the_newest(version: Version, tmp_path: Path) -> None:
    newest = opened(write_index(tmp_path / "newest"))
    write_tables(tmp_path / "older", as_version(tables(), version), "csv")

    assert facts(opened(tmp_path / "older")) == facts(newest)


@pytest.mark.parametrize(
    ("version", "label"),
    [("0.3", "0.3-0.4"), ("0.4", "0.3-0.4"), ("0.5", "0.5"), ("1.x", "1.x"), ("2.x", "2.x"), ("3.x", "3.x")],
)
def test_the_release_is_told_by_its_columns(version: Version, label: str, tmp_path: Path) -> None:
    write_tables(tmp_path / "index", as_version(tables(), version))

    assert opened(tmp_path / "index").summary.version == label


def test_text_units_lead_to_their_documents_in_every_release(tmp_path: Path) -> None:
    for version in VERSIONS:
        write_tables(tmp_path / version, as_version(tables(), version))
        snapshot = opened(tmp_path / version)
        rows = snapshot.document_rows_of(np.arange(3))
        assert [one.title for one in snapshot.documents(rows)] == ["storm.txt", "storm.txt", "inquiry.txt"]


def test_documents_that_text_units_do_not_name_are_found_by_what_they_list(tmp_path: Path) -> None:
    data = tables()
    for row in data["text_units"]:
        del row["document_id"]
    write_tables(tmp_path / "index", data)

    assert opened(tmp_path / "index").document_rows_of(np.arange(3)).tolist() == [0, 0, 1]


def test_sources_are_numbered_by_position_whatever_number_the_table_has(tmp_path: Path) -> None:
    data = tables()
    for row in data["text_units"]:
        row["human_readable_id"] += 1
    write_tables(tmp_path / "index", data)
    snapshot = opened(tmp_path / "index")

    assert [one.number for one in snapshot.text_units(np.arange(3))] == [0, 1, 2]
    assert snapshot.rows_by_label("sources", ["0", "2", "3", "-1"]).tolist() == [0, 2, -1, -1]


def test_what_was_adapted_is_told(tmp_path: Path) -> None:
    write_tables(tmp_path / "index", as_version(tables(), "0.4"))
    snapshot = opened(tmp_path / "index")

    told = {(one.table, one.column) for one in adaptations(snapshot.tables)}
    assert {("entities", "title"), ("entities", "degree"), ("communities", "entity_ids")} <= told


def test_relationships_repeated_under_one_id_count_once(tmp_path: Path) -> None:
    data = as_version(tables(), "0.3")
    rows = data["create_final_relationships"]
    data["create_final_relationships"] = [row for row in rows for _ in range(4)]
    write_tables(tmp_path / "index", data)
    snapshot = opened(tmp_path / "index")

    assert snapshot.summary.counts["relationships"] == len(rows)
    assert snapshot.relationship_rows_of(np.array([3])).tolist() == [2, 5 - 1]


@pytest.mark.parametrize("version", ["0.3", "0.4"])
def test_vectors_in_the_tables_are_found(version: Version, tmp_path: Path) -> None:
    data = tables()
    write_tables(tmp_path / "index", as_version(data, version))
    vectors = vectors_of(tmp_path / "index")

    entity = data["entities"][2]
    hits = vectors.open("entity_description").search(vector(entity["description"])[None], 2)[0]
    assert hits.ids[0] == entity["id"]
    report = data["community_reports"][1]
    hits = vectors.open("community_full_content").search(vector(report["full_content"])[None], 1)[0]
    assert hits.ids == (report["id"],)


def test_a_store_with_a_prefix_is_found(tmp_path: Path) -> None:
    data = tables()
    write_tables(tmp_path / "index", as_version(data, "2.x"))
    write_vectors(tmp_path / "index" / "lancedb", data, prefix="mine")

    for container in ("mine", "default"):
        table = vectors_of(tmp_path / "index", container_name=container).open("text_unit_text")
        assert (table.name, table.rows) == ("mine-text_unit-text", 3)
