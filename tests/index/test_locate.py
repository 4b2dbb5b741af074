"""Finding the tables of an index, and saying what is wrong when they are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_cli.config.settings import Settings
from graphrag_cli.errors import IndexDataError
from graphrag_cli.index.open import open_folder, open_snapshot, servable
from graphrag_cli.index.tables.locate import locate
from tests.kit.tiny import tables, write_index, write_tables
from tests.kit.versions import as_version


def test_the_newest_complete_run_is_taken_and_told(tmp_path: Path) -> None:
    for name in ("20240101-000000", "20240202-000000"):
        write_index(tmp_path / name / "artifacts")
    write_tables(tmp_path / "20240303-000000" / "artifacts", {"text_units": tables()["text_units"]})
    located = locate(tmp_path)

    assert located.folder == tmp_path / "20240202-000000" / "artifacts"
    assert "20240202-000000/artifacts" in located.notes[0]
    assert "20240303-000000/artifacts" in located.notes[0]


def test_an_incomplete_run_is_taken_when_there_is_no_other(tmp_path: Path) -> None:
    write_tables(tmp_path / "20240303-000000" / "artifacts", {"text_units": tables()["text_units"]})

    assert open_folder(tmp_path, "basic").summary.counts == {"text_units": 3}


@pytest.mark.parametrize(
    "place", ["", "artifacts", "20240101-000000", "output", "output/20240101-000000/artifacts"]
)
def test_tables_are_found_where_releases_put_them(place: str, tmp_path: Path) -> None:
    write_index(tmp_path / "project" / place)

    assert locate(tmp_path / "project").folder == tmp_path / "project" / place


def test_new_names_go_before_old_ones_and_parquet_before_csv(tmp_path: Path) -> None:
    write_tables(tmp_path, as_version(tables(), "1.x"))
    write_tables(tmp_path, tables(), "csv")
    assert locate(tmp_path).files["entities"].name == "create_final_entities.parquet"
    write_tables(tmp_path, tables())
    assert locate(tmp_path).files["entities"].name == "entities.parquet"
    assert locate(tmp_path, "csv").files["entities"].name == "entities.csv"


def test_other_files_are_ignored(tmp_path: Path) -> None:
    write_index(tmp_path)
    for name in ("stats.json", "context.json", ".DS_Store", "graph.graphml", "create_base_x.parquet"):
        (tmp_path / name).write_bytes(b"\0")

    assert servable(open_folder(tmp_path).tables) == ("local", "global", "drift", "basic")


def test_a_path_with_spaces_and_chinese_is_a_path(tmp_path: Path) -> None:
    folder = write_index(tmp_path / "my index 知识库")

    assert open_folder(folder).summary.path == str(folder)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(IndexDataError) as refused:
        locate(tmp_path / "nowhere")
    assert str(tmp_path / "nowhere") in refused.value.message
    assert "--data" in (refused.value.hint or "")


def test_a_folder_without_tables_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(IndexDataError, match=r"notes\.txt"):
        locate(tmp_path)


def test_a_run_that_was_stopped_is_recognised(tmp_path: Path) -> None:
    write_tables(tmp_path, {"create_base_entity_graph": tables()["entities"]})
    with pytest.raises(IndexDataError, match="half finished"):
        locate(tmp_path)


def test_an_index_that_an_update_run_left_beside_is_told(tmp_path: Path) -> None:
    write_index(tmp_path / "output")
    write_tables(tmp_path / "update_output" / "20240101-000000", tables())
    write_tables(tmp_path / "update_output" / "20240202-000000" / "delta", tables())
    located = locate(tmp_path / "output")

    assert located.folder == tmp_path / "output"
    assert "20240101-000000" in located.notes[0]


def test_increments_alone_are_no_index(tmp_path: Path) -> None:
    write_tables(tmp_path / "20240202-000000" / "delta", tables())
    with pytest.raises(IndexDataError, match="increments") as refused:
        locate(tmp_path)
    assert "output" in (refused.value.hint or "")


def test_a_missing_table_names_the_file_the_folder_and_what_still_works(tmp_path: Path) -> None:
    write_index(tmp_path)
    (tmp_path / "community_reports.parquet").unlink()
    with pytest.raises(IndexDataError) as refused:
        open_folder(tmp_path, "global")

    assert "community_reports.parquet" in refused.value.message
    assert str(tmp_path) in refused.value.message
    assert "entities.parquet" in refused.value.message
    assert "local, basic" in (refused.value.hint or "")


def test_the_old_name_of_a_missing_table_is_given_for_an_old_index(tmp_path: Path) -> None:
    write_tables(tmp_path, as_version(tables(), "1.x"))
    (tmp_path / "create_final_text_units.parquet").unlink()
    with pytest.raises(IndexDataError, match=r"create_final_text_units\.parquet"):
        open_folder(tmp_path, "basic")


def test_settings_name_the_folder_relative_to_themselves(tmp_path: Path) -> None:
    write_index(tmp_path / "elsewhere" / "tables")
    settings = Settings.model_validate({"root": tmp_path, "output_storage": {"base_dir": "elsewhere/tables"}})

    assert open_snapshot(settings, "local").summary.counts["entities"] == 6
    absolute = {"root": "/", "output_storage": {"base_dir": str(tmp_path / "elsewhere" / "tables")}}
    assert open_snapshot(Settings.model_validate(absolute), "local").summary.counts["entities"] == 6


def test_a_damaged_file_is_named_with_the_reason(tmp_path: Path) -> None:
    write_index(tmp_path)
    (tmp_path / "entities.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(IndexDataError, match=r"entities\.parquet.* cannot be read"):
        open_folder(tmp_path, "local")


def test_a_method_reads_only_the_columns_it_needs(tmp_path: Path) -> None:
    snapshot = open_folder(write_index(tmp_path), "basic")
    snapshot.text_units(snapshot.rows_by_label("sources", ["0"]))

    read = {name: source.columns_read() for name, source in snapshot.tables.sources.items()}
    assert set(read.pop("text_units")) == {"id", "text", "document_id"}
    assert not any(read.values())
