"""The parts of ``docs/`` that are made by running the program. ``python -m tests.docs.pages`` writes them anew,
with ``help`` only the help texts.

Between ``<!-- help: query local -->`` and ``<!-- end -->`` stands that command's help. In a ``console`` block each line that begins with ``$`` is
run, in order, in a project that ``init --sample`` made, and what it prints follows it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COMMANDS = DOCS / "commands"

_HELP = re.compile(r"<!-- help: ([\w -]+) -->\n.*?<!-- end -->", re.DOTALL)
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_MOST_LINES = 24
_SHIM = '#!/bin/sh\nexec "{python}" -m graphrag_cli "$@"\n'


@dataclass(frozen=True)
class Desk:
    """Where the sessions of a page are run: a new project, with ``graphrag-cli`` on the path."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Desk:
        (folder / "bin").mkdir(parents=True)
        shim = folder / "bin" / "graphrag-cli"
        shim.write_text(_SHIM.format(python=sys.executable), encoding="utf-8")
        shim.chmod(0o755)
        desk = cls(folder)
        desk.run(f"graphrag-cli init {folder / 'try'} --sample")
        return desk

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Runs a shell line; stdout and stderr together, as a person sees them."""
        where = self.folder / "try"
        return subprocess.run(
            ["bash", "-c", line],
            cwd=where if where.exists() else self.folder,
            env={
                **os.environ,
                "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
                "PYTHONUTF8": "1",
                "COLUMNS": "100",
                "XDG_DATA_HOME": str(self.folder / "data"),
                "XDG_CACHE_HOME": str(self.folder / "cache"),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )


def help_of(words: str) -> str:
    """The help of a command, 100 columns wide."""
    done = subprocess.run(
        [sys.executable, "-m", "graphrag_cli", *words.split(), "--help"],
        capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ, "COLUMNS": "100", "PYTHONUTF8": "1"},
    )  # fmt: skip
    return done.stdout.rstrip()


def with_help(text: str) -> str:
    """``text`` with every help made anew."""
    return _HELP.sub(
        lambda part: f"<!-- help: {part[1]} -->\n\n```text\n{help_of(part[1])}\n```\n\n<!-- end -->", text
    )


def console_lines(text: str) -> list[str]:
    """The lines to run, in order."""
    return [
        line[2:] for block in _CONSOLE.findall(text) for line in block.splitlines() if line.startswith("$ ")
    ]


def with_output(text: str, desk: Desk) -> str:
    """``text`` with the output of every line made anew; long output is cut."""

    def block(part: re.Match[str]) -> str:
        shown: list[str] = []
        for line in part[1].splitlines():
            if line.startswith("$ "):
                printed = desk.run(line[2:]).stdout.replace(str(desk.folder / "try"), "~/try")
                lines = [printed_line.rstrip() for printed_line in printed.rstrip().splitlines()]
                cut = [*lines[:_MOST_LINES], "…"] if len(lines) > _MOST_LINES else lines
                shown += [line, *cut]
        return "```console\n" + "\n".join(shown) + "\n```"

    return _CONSOLE.sub(block, text)


def pages() -> list[Path]:
    """Every page with such parts."""
    return [
        *sorted(path for path in COMMANDS.glob("*.md") if path.name != "README.md"),
        DOCS / "json.md",
        DOCS / "ci.md",
    ]


def main(only: str = "") -> None:
    """Writes every page anew, or with ``help`` only what is made of help texts."""
    for path in pages():
        if only == "help":
            path.write_text(with_help(path.read_text(encoding="utf-8")), encoding="utf-8")
            continue
        with tempfile.TemporaryDirectory() as folder:
            text = with_output(path.read_text(encoding="utf-8"), Desk.make(Path(folder)))
        path.write_text(with_help(text), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
