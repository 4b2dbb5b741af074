"""The pictures under ``docs/pictures``: real runs of the embedded models on a real terminal, drawn by Rich.

``python -m tests.docs.pictures`` makes them anew; it needs a platform with pseudo-terminals.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import sys
import tempfile
import termios
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.docs.pages import DOCS, ROOT, Desk

FOLDER = DOCS / "pictures"
_PIECES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+")


@dataclass(frozen=True)
class Picture:
    """One run: ``command`` as typed, ``until`` a part of the output at which the picture is taken before the end."""

    name: str
    command: str
    until: str = ""
    height: int = 40


PICTURES = (
    Picture("query", 'graphrag-cli query local "Who was Oscar Wisting?"'),
    Picture(
        "drift",
        'graphrag-cli query drift "What part did science play in these expeditions?" --followups 8',
        until="level 2",
    ),
    Picture(
        "batch", "graphrag-cli batch sample_index/questions.txt -m basic -o answers.jsonl", until="8 of 20"
    ),
)


def screen(output: str) -> list[str]:
    """The lines on the screen, colours kept, after everything that the program wrote."""
    rows, row, fresh = [""], 0, False
    for piece in _PIECES.findall(output):
        if piece == "\n":
            row, fresh = row + 1, True
            rows += [""] * (row + 1 - len(rows))
        elif piece == "\r":
            fresh = True
        elif piece.startswith("\x1b[") and piece.endswith("A"):
            row = max(row - int(piece[2:-1] or 1), 0)
        elif piece == "\x1b[2K":
            rows[row] = ""
        elif not piece.startswith("\x1b[?"):
            rows[row] = piece if fresh and not piece.startswith("\x1b") else rows[row] + piece
            fresh = False
    return rows


def run_on_terminal(picture: Picture, desk: Desk, width: int) -> str:
    """Everything that the command wrote to its terminal, up to ``until``."""
    child, master = pty.fork()
    if child == 0:
        os.chdir(desk.folder / "try")
        os.environ.update(PYTHONPATH=str(ROOT), TERM="xterm-256color", COLORTERM="truecolor", PYTHONUTF8="1")
        os.execv("/bin/sh", ["sh", "-c", f'PATH="{desk.folder / "bin"}:$PATH" {picture.command}'])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", picture.height, width, 0, 0))
    output = b""
    while not (picture.until and picture.until in output.decode("utf-8", "ignore")):
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
    os.close(master)
    os.waitpid(child, 0)
    return output.decode("utf-8", "replace")


def draw(picture: Picture, desk: Desk, width: int = 100) -> str:
    """The picture as SVG."""
    lines = screen(run_on_terminal(picture, desk, width))
    while lines and not Text.from_ansi(lines[-1]).plain.strip():
        lines.pop()
    console = Console(
        record=True, width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text(f"$ {picture.command}", style="bold"))
    for line in lines:
        console.print(Text.from_ansi(line), soft_wrap=True)
    return console.export_svg(title="graphrag-cli", unique_id=picture.name)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        if len(sys.argv) > 1 and picture.name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            svg = draw(picture, Desk.make(Path(folder)))
        (FOLDER / f"{picture.name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
