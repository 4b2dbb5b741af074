"""``cache``: what is kept, and getting rid of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphrag_cli.cli.upkeep.caches import shown_bytes
from tests.cli.conftest import run_in_process


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GRAPHRAG_CLI_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "graphrag-cli"


def test_nothing_is_kept_at_first(folder: Path) -> None:
    assert json.loads(run_in_process("cache", "info", "-f", "json").out) == []
    told = run_in_process("cache", "info")
    assert (told.out, told.err) == ("", "none kept\n")
    assert run_in_process("cache", "clear").err == "freed 0 B\n"


def test_what_is_kept_is_listed_and_cleared_and_nothing_else(folder: Path) -> None:
    entry = folder / "index" / "abc"
    entry.mkdir(parents=True)
    (entry / "about.json").write_text('{"index": "/somewhere/output"}', encoding="utf-8")
    (folder / "replies.sqlite").write_bytes(b"x" * 1500)
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    listed = run_in_process("cache", "info").out
    assert "/somewhere/output" in listed
    assert "1.5 kB" in listed
    assert run_in_process("cache", "clear").err == "freed 1.5 kB\n"
    assert sorted(path.name for path in folder.iterdir()) == ["index", "mine.txt"]
    assert run_in_process("cache", "info", "-f", "json").out == "[]\n"


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (2_300_000, "2.3 MB"), (5 * 10**12, "5000.0 GB")],
)
def test_sizes(size: int, shown: str) -> None:
    assert shown_bytes(size) == shown
