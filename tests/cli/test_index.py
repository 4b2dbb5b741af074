"""``index info``: what an index holds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.kit.tiny import tables, write_tables

REPOSITORY = Path(__file__).parents[2]


def test_info_tells_tables_levels_vectors_and_methods(shell: Shell) -> None:
    done = shell.run("index", "info", "--root", str(REPOSITORY))
    assert (done.status, done.err) == (0, "")
    assert "methods: local, global, drift, basic" in done.out
    assert "entity_description" in done.out
    assert "community level  reports read" in done.out


def test_info_as_json(shell: Shell) -> None:
    document = json.loads(shell.run("index", "info", "--root", str(REPOSITORY), "-f", "json").out)
    assert document["schema"] == "graphrag-cli/index/1"
    assert {table["name"] for table in document["tables"]} >= {"entities", "text_units"}
    assert [vector["width"] for vector in document["vectors"]] == [384, 384, 384]
    assert document["levels"][0] == {"level": 0, "reports": document["levels"][0]["reports"]}


def test_missing_vectors_are_told_not_raised(shell: Shell, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "sample_index" / "output", tmp_path / "output")
    shutil.rmtree(tmp_path / "output" / "lancedb")
    done = shell.run("index", "info", "--root", str(REPOSITORY), "--data", str(tmp_path / "output"))
    assert done.status == 0
    assert "no vectors for entity_description" in done.out


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_folder_without_an_index_is_an_index_error(shell: Shell, tmp_path: Path, form: str) -> None:
    done = shell.run("index", "info", "--root", str(REPOSITORY), "--data", str(tmp_path), "-f", form)
    assert done.status == 4
    assert (done.out == "") is (form == "text")
    assert "hint:" in done.err


def test_info_claims_no_method_whose_vectors_are_missing(shell: Shell, tmp_path: Path) -> None:
    write_tables(tmp_path / "index", tables())
    done = shell.run("index", "info", "--data", str(tmp_path / "index"))
    assert "methods: global\n" in done.out
