"""The program as a process: what it loads, pipes that break, consoles of other encodings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "pandas",
    "lancedb",
    "lance",
    "openai",
    "networkx",
    "pyarrow",
    "numpy",
    "pydantic",
    "asyncio",
    "rich",
)
PROJECT = Path(__file__).parents[2]
PLAY = """
import sys
import graphrag_cli.project
from graphrag_cli.cli.boundary import run
from tests.cli.fakes import FakeProject, answer, events
graphrag_cli.project.Project = FakeProject(events(answer(text={text})))
sys.exit(run({arguments!r}))
"""


def python(code: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        check=False,
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **environment},
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--help"], set[str]()),
        (["--version"], set[str]()),
        # Typer itself reads the flags of a group by pydantic.
        (["query", "local", "--help"], {"pydantic"}),
    ],
)
def test_help_loads_nothing_heavy(arguments: list[str], allowed: set[str]) -> None:
    done = python(
        "import sys\nfrom graphrag_cli.cli.boundary import run\n"
        f"status = run({arguments!r})\n"
        "print(*sorted(sys.modules), file=sys.stderr)\nsys.exit(status)"
    )
    assert done.returncode == 0
    assert set(done.stderr.decode().split()) & set(HEAVY) <= allowed


@pytest.mark.parametrize("form", ["text", "markdown", "json", "jsonl"])
def test_a_reader_that_goes_away_ends_the_run_quietly(form: str) -> None:
    code = PLAY.format(text="'word ' * 200_000", arguments=["query", "local", "Who?", "-q", "-f", form])
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk", "cp932", "utf-8"])
def test_a_console_that_lacks_a_character_gets_a_replacement(encoding: str) -> None:
    code = PLAY.format(text=repr("Roald — 中文 ✓ é \ud800"), arguments=["query", "local", "Who?"])
    done = python(code, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert done.stdout.startswith(b"Roald ")
    assert b"Entities (5)" in done.stderr
    if encoding == "ascii":
        assert b"ROALD AMUNDSEN - The race" in done.stderr


def test_an_unexpected_error_is_one_line_and_a_traceback_only_on_demand() -> None:
    code = (
        "import sys, graphrag_cli.project\nfrom graphrag_cli.cli.boundary import run\n"
        "graphrag_cli.project.Project = None\nsys.exit(run({arguments!r}))"
    )
    plain = python(code.format(arguments=["query", "local", "Who?"]))
    assert plain.returncode == 1
    assert plain.stdout == b""
    assert plain.stderr.decode().splitlines() == [
        "error: unexpected AttributeError: 'NoneType' object has no attribute 'open'",
        "hint: run again with --debug for a traceback, and report it",
    ]
    debug = python(code.format(arguments=["query", "local", "Who?", "--debug"]))
    assert "Traceback" in debug.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["query", "local", "--bogus"], "No such option: --bogus"),
        (["qury"], "Did you mean 'query'?"),
        (["query", "local", "a", "b"], "unexpected extra argument"),
        (["query", "local", "a", "--format", "xml"], "xml"),
        (["query", "local", "a", "--max-calls", "0"], "--max-calls"),
    ],
)
def test_a_usage_error_says_what_and_where_to_look(arguments: list[str], told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "graphrag_cli", *arguments],
        capture_output=True, text=True, check=False, cwd=PROJECT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "--help shows what it takes" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("form", ["text", "markdown", "json", "jsonl"])
def test_a_full_disk_is_told_and_not_a_traceback(form: str) -> None:
    code = PLAY.format(text="'word ' * 20_000", arguments=["query", "local", "Who?", "-q", "-f", form])
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == (
        "error: cannot write to standard output: No space left on device\nhint: is the disk full?\n"
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_streams_that_the_shell_closed_are_no_trouble(closed: str, tmp_path: Path) -> None:
    script = tmp_path / "play.py"
    script.write_text(PLAY.format(text="'word'", arguments=["query", "local", "Who?"]), encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} {script} {closed}"],
        capture_output=True, text=True, check=False, cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout in {"", "word\n"}
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_help_onto_a_full_disk_is_no_fault_of_the_program() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "graphrag_cli", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=PROJECT,
        )
    assert done.returncode == 1
    assert b"cannot write: No space left on device" in done.stderr


def test_what_is_said_never_stands_on_a_line_of_the_answer() -> None:
    """``2>&1 | cat``: a notice that comes amid the text, and one right behind a cut answer."""
    code = """
import sys
import graphrag_cli.project
from graphrag_cli.cli.boundary import run
from graphrag_cli.events import Notice, RunFinished, TextDelta
from tests.cli.fakes import FakeProject, answer
script = [TextDelta("Amundsen "), Notice("retry", "once more"), TextDelta("led"), Notice("answer.cut", "cut short")]
graphrag_cli.project.Project = FakeProject([*script, RunFinished(answer(text="Amundsen led"))])
sys.exit(run(["query", "local", "Who?", "--sources", "none"]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=True,
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert done.stdout == "Amundsen led\nnote: once more\nnote: cut short\n"
