"""A large index is prepared once, tells of it, and then holds everything that a question needs."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from graphrag_cli.events import METHODS, Method
from graphrag_cli.index.kept import cache
from graphrag_cli.index.prepare import TABLES, Preparation, Tell
from graphrag_cli.index.tables import adapt
from graphrag_cli.index.vectors import table as vector_table
from tests.cli.conftest import Outcome, run_in_process
from tests.kit.snapshots import opened, vectors_of
from tests.sample import ROOT, SAMPLE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what is made is kept: of every index, as if it were large."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(cache, "WORTH", 0)
    monkeypatch.setattr(adapt, "CACHED_ROWS", 0)
    monkeypatch.setattr(vector_table, "MEMORY_LIMIT", 0)
    return tmp_path / "index"


def files(folder: Path) -> set[str]:
    """What is kept. Which community an entity counts for depends on the level that a question asks for."""
    return {path.name for path in folder.glob("*/*") if not path.name.startswith("deepest.")}


def asked(method: str, *more: str) -> Outcome:
    done = run_in_process("query", method, "Who was Oscar Wisting?", "--root", str(ROOT), *more)
    assert done.status == 0, done.err
    return done


def stages(done: Outcome) -> list[tuple[int, int, str]]:
    events = [json.loads(line) for line in done.out.splitlines()]
    return [
        (event["done"], event["total"], event["detail"])
        for event in events
        if event.get("stage") == "prepare"
    ]


@pytest.mark.parametrize("method", METHODS)
def test_a_question_makes_nothing_that_was_not_prepared(
    folder: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    prepared: list[set[str]] = []
    real = Preparation.run

    def run(self: Preparation, tell: Tell) -> None:
        real(self, tell)
        prepared.append(files(folder))

    monkeypatch.setattr(Preparation, "run", run)
    first = stages(asked(method, "--format", "jsonl"))
    assert len(prepared) == 1
    assert len(prepared[0]) > 10
    assert files(folder) == prepared[0]
    total = len(first)
    assert sorted(what for _, _, what in first if what != "vectors") == sorted(
        table.replace("_", " ") for table in TABLES[method]
    )
    assert all(of == total for _, of, _ in first)
    assert [done for done, _, _ in first] == sorted(done for done, _, _ in first)

    assert stages(asked(method, "--format", "jsonl")) == []
    assert len(prepared) == 1


def test_it_is_told_in_words_with_verbose_and_not_in_a_pipe(folder: Path) -> None:
    assert "preparing" not in asked("basic").err
    told = asked("local", "--verbose").err
    assert "preparing the index (once): " in told
    assert "preparing" not in asked("local", "--verbose").err


def test_a_small_index_is_not_prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    assert stages(asked("basic", "--format", "jsonl")) == []


def test_questions_that_come_at_once_prepare_once(folder: Path) -> None:
    told: list[str] = []
    output = SAMPLE / "output"
    preparation = Preparation([(opened(output), vectors_of(output))], "local")

    def tell(_done: int, _total: int, what: str) -> None:
        told.append(what)

    threads = [threading.Thread(target=preparation.run, args=(tell,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == len(set(told)) == len(TABLES["local"]) + 1
    assert not preparation.needed


def test_a_folder_that_cannot_be_written_leaves_the_question_as_it_was(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    assert asked("local").out
