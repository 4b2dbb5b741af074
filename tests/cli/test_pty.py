"""Golden screens: what a person sees on a real terminal, line by line."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.cli.test_terminal import screen

PROJECT = Path(__file__).parents[2]
PLAY = """
import sys
import graphrag_cli.project
from graphrag_cli.cli.boundary import run
from graphrag_cli.errors import AuthError
from graphrag_cli.events import Reasoning
from tests.cli.fakes import FakeProject, answer, events
graphrag_cli.project.Project = FakeProject({script}, delay=0.3)
sys.exit(run({arguments!r}))
"""
LONG = "The party reached the pole and turned back at once, because the sledges were light and the dogs were strong [Data: Entities (5)]."


def on_terminal(
    *arguments: str, script: str = "events(answer())", width: int = 80, **environment: str
) -> tuple[int, str, str]:
    """Exit status, the screen at the end, and everything that was written."""
    # Not pty.fork(): libraries with threads, loaded by other tests, warn when their process is forked.
    master, terminal = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    # An environment of its own: line editing in this process may have put its width into the one of C.
    plain = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    wanted = {"PYTHONPATH": str(PROJECT), "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment}
    child = subprocess.Popen(
        [sys.executable, "-c", PLAY.format(script=script, arguments=list(arguments))],
        cwd=PROJECT,
        env={**plain, **wanted},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    written = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # Linux reports the other end's closing so
            break
        if not piece:
            break
        written += piece
    os.close(master)
    status = child.wait()
    text = written.decode("utf-8", "replace")
    return status, screen(text.replace("\r\n", "\n")).strip("\n"), text


def test_reasoning_stays_above_the_answer_and_is_dim() -> None:
    thinks = "[Reasoning('Let me '), Reasoning('see.\\nSo'), *events(answer())[4:]]"
    status, seen, written = on_terminal("query", "local", "Who led?", "--show-reasoning", script=thinks)
    assert status == 0
    assert seen.startswith("--- reasoning ---\nLet me see.\nSo\n--- end ---\nAmundsen led the party")
    assert "\x1b[2mLet me see.\x1b[0m" in written


def test_an_answer_with_its_sources_is_all_that_stays() -> None:
    status, seen, written = on_terminal("query", "local", "Who led?")
    assert status == 0
    assert seen == (
        "Amundsen led the party [Data: Entities (5); Sources (2, 99)].\n"
        "\n"
        "It was cold.\n"
        "note: the server asked us to wait 2 s\n"
        "\n"
        "Sources\n"
        "1  Entities (5)  ROALD AMUNDSEN — The race\n"
        "2  Sources (2)   The race\n"
        "3  Sources (99)  no such record in the index"
    ).replace("It was cold.\nnote: the server asked us to wait 2 s\n", "It was cold.\n").replace(
        "Amundsen led", "note: the server asked us to wait 2 s\nAmundsen led", 1
    )
    assert "reading the index" in written


@pytest.mark.parametrize("width", [60, 200])
def test_lines_fit_the_terminal_and_are_never_too_long_to_read(width: int) -> None:
    _, seen, _ = on_terminal(
        "query", "local", "Who led?", script=f"events(answer(text={LONG!r} * 3))", width=width
    )
    lines = seen.splitlines()
    assert max(len(line) for line in lines) <= min(width, 110)
    assert " ".join(" ".join(lines).split()).count("the dogs were strong [Data: Entities (5)].") == 3


def test_an_error_is_two_lines_and_no_status_line_is_left() -> None:
    status, seen, _ = on_terminal(
        "query", "local", "Who led?", script="[AuthError('401 from the server', hint='check the key')]"
    )
    assert (status, seen) == (5, "error: 401 from the server\nhint: check the key")


def test_json_is_indented_for_a_person() -> None:
    _, seen, _ = on_terminal("query", "local", "Who led?", "-f", "json", "--fields", "status", "-q")
    assert seen == '{\n  "status": "answered"\n}'


def test_no_color_leaves_no_colour() -> None:
    _, _, written = on_terminal("query", "local", "Who led?", NO_COLOR="1")
    assert not [
        code for code in re.findall(r"\x1b\[([\d;]*)m", written) if re.search(r"(^|;)(3|4|9)\d(;|$)", code)
    ]


def test_a_terminal_that_is_not_utf8_gets_plain_signs() -> None:
    status, seen, _ = on_terminal(
        "query", "local", "Who led?", PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C"
    )
    assert status == 0
    assert "ROALD AMUNDSEN - The race" in seen


def test_a_batch_leaves_its_summary(tmp_path: Path) -> None:
    questions = tmp_path / "q.txt"
    questions.write_text("a\nb\nc\n", encoding="utf-8")
    status, seen, written = on_terminal(
        "batch", str(questions), "-j", "1", "-o", str(tmp_path / "a.jsonl"), "--fields", "status"
    )
    assert status == 0
    assert re.fullmatch(
        r"3 questions: 3 answered; 3 calls, 13 530 tokens, \$0\.0369; \d+ s, [\d.]+ a second", seen
    )
    assert "of 3" in written
