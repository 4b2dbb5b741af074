"""Ctrl-C: the program ends at once, quietly, with status 130, and keeps what it had."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PLAY = """
import sys
import graphrag_cli.project
from graphrag_cli.cli.boundary import run
from tests.cli.fakes import FakeProject, answer, events
graphrag_cli.project.Project = FakeProject(events(answer()), delay={delay})
print("ready", file=sys.stderr, flush=True)
sys.exit(run({arguments!r}))
"""


def interrupted(delay: float, arguments: list[str], wait_for: Path | None = None) -> tuple[int, str, str]:
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PLAY.format(delay=delay, arguments=arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    if wait_for is None:
        time.sleep(1.5)
    while wait_for is not None and process.poll() is None:
        if wait_for.exists() and wait_for.read_bytes().count(b"\n") >= 3:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_question_ends_at_once(form: str) -> None:
    status, out, err = interrupted(60, ["query", "local", "Who?", "-f", form])
    assert (status, err) == (130, "interrupted\n")
    if form == "json":
        assert json.loads(out)["error"]["code"] == "interrupted"
    else:
        assert out == ""


def test_a_batch_keeps_its_lines_and_says_what_is_left(tmp_path: Path) -> None:
    questions, target = tmp_path / "q.txt", tmp_path / "a.jsonl"
    questions.write_text("".join(f"q{number}\n" for number in range(500)), encoding="utf-8")
    status, _, err = interrupted(
        0.05, ["batch", str(questions), "-o", str(target), "-j", "1", "--fields", "status"], wait_for=target
    )
    assert status == 130
    assert "not asked" in err
    assert err.endswith("interrupted\n")
    lines = target.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [str(number) for number in range(1, len(lines) + 1)]
