"""On a terminal: rendered Markdown, progress that leaves no trace, foreign text that steers nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphrag_cli.cli.terminal.console import make_console, print_prose
from graphrag_cli.errors import IndexDataError
from tests.cli.conftest import Shell, Terminal, run_in_process
from tests.cli.fakes import answer, events

REPOSITORY = Path(__file__).parents[2]
LONG = "\n\n".join(f"## Part {n}\n\nText of part {n}, " + "word " * 30 for n in range(40))


def screen(text: str) -> str:
    """What stays on the screen: a small terminal that knows the moves that Rich makes."""
    rows: list[str] = [""]
    row = column = 0
    for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
        if piece == "\r":
            column = 0
        elif piece == "\n":
            row, column = row + 1, 0
            if row == len(rows):
                rows.append("")
        elif piece.startswith("\x1b["):
            count = int(re.findall(r"\d+", piece)[0]) if re.search(r"\d", piece) else 1
            if piece.endswith("A"):
                row = max(row - count, 0)
            elif piece == "\x1b[2K":
                rows[row] = ""
        else:
            rows[row] = rows[row][:column].ljust(column) + piece + rows[row][column + len(piece) :]
            column += len(piece)
    return "\n".join(line.rstrip() for line in rows)


def test_the_answer_is_rendered_and_the_sources_follow(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", terminal=True)
    shown = screen(done.out)
    assert "Amundsen led the party" in shown
    assert "*cold*" not in shown
    assert "1  Entities (5)" in screen(done.err)
    assert "reading the index" not in screen(done.err)


@pytest.mark.parametrize("pieces", [1, 7, 1000])
@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_long_answer_stays_whole_and_in_order(shell: Shell, pieces: int, width: int) -> None:
    shell.play(*events(answer(text=LONG), pieces=pieces))
    shown = screen(shell.run("query", "local", "Who led?", terminal=True, width=width).out)
    headings = re.findall(r"^Part (\d+)$", shown, re.M)
    assert headings == [str(n) for n in range(40)]
    assert len(re.findall(r"Text of part \d+,", shown)) == 40
    assert shown.count("word") == 40 * 30
    assert max(len(line) for line in shown.splitlines()) <= min(width, 110)


def test_streamed_and_whole_look_the_same(shell: Shell) -> None:
    text = "# Title\n\n1. one\n2. two\n\n   more of two\n3. three\n\n```\ncode\n\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nlast"
    shell.play(*events(answer(text=text), pieces=1))
    streamed = screen(shell.run("query", "local", "Who?", terminal=True).out)
    whole = screen(shell.run("query", "local", "Who?", "--no-stream", terminal=True).out)
    assert streamed.strip().splitlines() == whole.strip().splitlines()


NASTY = "a\x1b[31mred\x1b]0;title\x07 [/b] [red] :smile: \x1b]8;;http://x\x07link\x1b]8;;\x07 [x](javascript:y) \x9b2J"


@pytest.mark.parametrize("terminal", [True, False])
def test_foreign_text_steers_nothing(shell: Shell, terminal: bool) -> None:
    shell.play(*events(answer(text=NASTY), pieces=3))
    done = shell.run("query", "local", "Who?", terminal=terminal)
    assert "\x1b]" not in done.out
    assert "\x07" not in done.out
    assert "\x9b" not in done.out
    assert "\x1b[31m" not in done.out
    for kept in ("[/b]", "[red]", ":smile:", "link"):
        assert kept in done.out


def test_no_color_is_obeyed(shell: Shell) -> None:
    shell.monkeypatch.setenv("NO_COLOR", "1")
    done = shell.run("query", "local", "Who led?", terminal=True)
    colours = re.findall(r"\x1b\[[\d;]*m", done.out + done.err)
    assert not [code for code in colours if re.search(r"\b[34][0-7]\b", code)]


def test_a_dumb_terminal_gets_no_live_display(shell: Shell) -> None:
    shell.monkeypatch.setenv("TERM", "dumb")
    done = shell.run("query", "local", "Who led?", terminal=False)
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("arguments", [("doctor",), ("index", "check")])
def test_findings_are_broken_between_words(arguments: tuple[str, ...]) -> None:
    place = ("--root", str(REPOSITORY))
    piped = run_in_process(*arguments, *place).out
    lines = screen(run_in_process(*arguments, *place, terminal=True, width=60).out).splitlines()
    told = [line for line in piped.splitlines() if "find themselves" in line]
    assert told
    # A path is left whole, however long, to be copied.
    assert max(len(line) for line in lines if len(line.split()) > 1) <= 60
    assert {word for line in told for word in line.split()} <= {
        word for line in lines for word in line.split()
    }


def test_errors_and_hints_are_broken_between_words_and_indented_as_they_began(shell: Shell) -> None:
    place = "/" + "folder/" * 12 + "settings.yaml"
    shell.play(IndexDataError(f"a table is missing from {place} and cannot be read", hint="word " * 30))
    lines = screen(shell.run("query", "local", "Who?", terminal=True, width=60).err).splitlines()
    assert place in {line.strip() for line in lines}
    assert max(len(line) for line in lines if place not in line) <= 60
    assert "".join(lines).count("word") == 30
    piped = shell.run("query", "local", "Who?", width=60).err
    assert len(piped.splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "hang", "expected"),
    [
        ("  one two three", 0, ["  one", "  two", "  three"]),
        ("+ one two three", 2, ["+ one", "  two", "  three"]),
        ("longerthanthescreen", 2, ["longerthanthescreen"]),
        ("12345678 12345678", 0, ["12345678", "12345678"]),
    ],
)
def test_prose_hangs(monkeypatch: pytest.MonkeyPatch, text: str, hang: int, expected: list[str]) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    file = Terminal()
    print_prose(make_console(file, width=8), text, hang=hang)
    assert re.sub(r"\x1b\[[\d;]*m", "", file.getvalue()).splitlines() == expected
