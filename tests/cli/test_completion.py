"""Shell completion, asked the way that the shells ask."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


def completions(words: str, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "graphrag_cli"],
        capture_output=True,
        text=True,
        check=False,
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(PROJECT),
            "_GRAPHRAG_CLI_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
            **environment,
        },
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("graphrag-cli que", ["query"]),
        ("graphrag-cli query d", ["drift"]),
        ("graphrag-cli query local --form", ["--format"]),
        ("graphrag-cli query local --format js", ["json", "jsonl"]),
        ("graphrag-cli query local --set drift_search.n_d", ["drift_search.n_depth="]),
        ("graphrag-cli query basic --document 02", ["02-framheim.txt"]),
        ("graphrag-cli query local --entity-type SH", ["SHIP"]),
        ("graphrag-cli config show drift_search.n_d", ["drift_search.n_depth"]),
        ("graphrag-cli index embed --table text", ["text_unit_text"]),
        ("graphrag-cli batch --method g", ["global"]),
        ("graphrag-cli chat dr", ["drift"]),
        ("graphrag-cli schema sta", ["state"]),
    ],
)
def test_what_is_completed(words: str, expected: list[str]) -> None:
    assert completions(words) == expected


def test_what_cannot_be_read_completes_to_nothing(tmp_path: Path) -> None:
    assert completions(f"graphrag-cli query local --root {tmp_path} --document a") == []


def test_sessions_are_completed(tmp_path: Path) -> None:
    folder = tmp_path / "graphrag-cli" / "sessions"
    folder.mkdir(parents=True)
    (folder / "pole.jsonl").write_text("", encoding="utf-8")
    assert completions("graphrag-cli sessions show p", XDG_DATA_HOME=str(tmp_path)) == ["pole"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "graphrag_cli", "completion", shell],
        capture_output=True, text=True, check=True, cwd=PROJECT,
    )  # fmt: skip
    assert "_GRAPHRAG_CLI_COMPLETE" in done.stdout
    if interpreter := shutil.which(shell):
        assert subprocess.run([interpreter, "-n"], input=done.stdout, text=True, check=False).returncode == 0
