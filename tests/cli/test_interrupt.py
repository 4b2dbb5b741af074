"""Ctrl-C and SIGTERM: the program ends at once, quietly, with a status of its own, and keeps what it had."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from graphrag_cli.cli.terminal.termination import ends_on_sigterm

PROJECT = Path(__file__).parents[2]
STATUS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}
PLAY = """
import builtins
import signal
import sys
import graphrag_cli.project
from graphrag_cli.cli.boundary import run
from graphrag_cli.events import StateChanged
from tests.cli.fakes import FakeProject, answer, events

def telling(work):
    def told(*arguments):
        print("ready", file=sys.stderr, flush=True)
        return work(*arguments)
    return told

class Project(FakeProject):
    stream = telling(FakeProject.stream)

script = [StateChanged({{"nodes": [1, 2]}}), 60.0] if "drift" in {arguments!r} else events(answer())
graphrag_cli.project.Project = Project(script, delay={delay})
builtins.input = telling(input)
if {deaf}:  # as shells start what runs in the background of a script
    signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.exit(run({arguments!r}))
"""
"""Says that it is ready when it asks a question, or waits for one."""


@dataclass
class Stop:
    """How the program is stopped."""

    signal: signal.Signals = signal.SIGINT
    deaf: bool = False
    """Ctrl-C is ignored."""
    wait_for: Path | None = None
    """Three lines must be there first, after the first question was asked."""


STOPS = [Stop(), Stop(signal.SIGTERM), Stop(signal.SIGTERM, deaf=True)]


def stopped(delay: float, arguments: list[str], stop: Stop) -> tuple[int, str, str]:
    wait_for = stop.wait_for
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PLAY.format(delay=delay, arguments=arguments, deaf=stop.deaf)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    while wait_for is not None and process.poll() is None:
        if wait_for.exists() and wait_for.read_bytes().count(b"\n") >= 3:
            break
        time.sleep(0.01)
    process.send_signal(stop.signal)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_question_ends_at_once(form: str, stop: Stop) -> None:
    expected, word = STATUS[stop.signal]
    status, out, err = stopped(60, ["query", "local", "Who?", "-f", form], stop)
    assert (status, err) == (expected, f"{word}\n")
    if form == "json":
        assert json.loads(out)["error"] == {
            "code": word,
            "message": word,
            "hint": None,
            "exit_status": expected,
        }
    else:
        assert out == ""


@pytest.mark.parametrize("stop", STOPS)
def test_a_batch_keeps_its_lines_and_says_what_is_left(tmp_path: Path, stop: Stop) -> None:
    questions, target = tmp_path / "q.txt", tmp_path / "a.jsonl"
    questions.write_text("".join(f"q{number}\n" for number in range(500)), encoding="utf-8")
    arguments = ["batch", str(questions), "-o", str(target), "-j", "1", "--fields", "status"]
    status, _, err = stopped(0.05, arguments, replace(stop, wait_for=target))
    expected, word = STATUS[stop.signal]
    assert status == expected
    assert "not asked" in err
    assert err.endswith(f"{word}\n")
    lines = target.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [str(number) for number in range(1, len(lines) + 1)]


@pytest.mark.parametrize("stop", STOPS)
def test_a_drift_run_keeps_its_state(tmp_path: Path, stop: Stop) -> None:
    state = tmp_path / "state.json"
    status, _, _ = stopped(
        0, ["query", "drift", "Why?", "--state", str(state)], replace(stop, wait_for=state)
    )
    assert status == STATUS[stop.signal][0]
    assert json.loads(state.read_text(encoding="utf-8")) == {"nodes": [1, 2]}
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_sigterm_ends_a_conversation_where_ctrl_c_ends_a_line() -> None:
    status, out, err = stopped(60, ["chat", "local"], Stop(signal.SIGTERM))
    assert (status, out, err) == (143, "", "terminated\n")


def test_whoever_ignores_sigterm_is_not_overruled() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with ends_on_sigterm():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
