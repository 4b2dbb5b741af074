"""The two streams, built once per process: stdout is data, stderr is conversation.

Neither parses markup, emoji codes or numbers in what it prints; both replace what their encoding lacks.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, TextIO

from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.errors import CliError, InterruptedRunError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


_WORD = re.compile(r"\s*\S+\s*")


@dataclass(frozen=True, slots=True)
class Symbols:
    """The few signs of our own that are not letters."""

    done: str
    failed: str
    empty: str
    skipped: str
    running: str
    bullet: str
    dash: str
    full: str
    half: str


UNICODE = Symbols("✓", "✗", "○", "·", "…", "•", "—", "█", "░")
ASCII = Symbols("+", "x", "o", ".", "...", "*", "-", "#", ".")


@dataclass(frozen=True, slots=True)
class Consoles:
    """Where a command writes."""

    out: Console
    err: Console
    symbols: Symbols
    quiet: bool = False
    verbose: bool = False

    @property
    def live_out(self) -> bool:
        """True when a person reads stdout as it is written."""
        return is_live(self.out)

    @property
    def live_err(self) -> bool:
        """True when progress may be drawn on stderr."""
        return is_live(self.err) and not self.quiet

    @property
    def share_a_place(self) -> bool:
        """True when both streams end up on one terminal, in one pipe or in one file (``2>&1``)."""
        return (self.out.file.isatty() and self.err.file.isatty()) or _same_file(self.out.file, self.err.file)

    def say(self, text: str, *, style: str = "", asked_for: bool = False) -> None:
        """A line of conversation; foreign text in it is made safe.

        Silent with ``--quiet``, unless a flag asked for it.
        """
        if asked_for or not self.quiet:
            print_prose(self.err, plain_line(text), style=style)

    def show_error(self, error: CliError) -> None:
        """The message and the hint on stderr, also with ``--quiet``."""
        label = "" if isinstance(error, InterruptedRunError) else "error: "
        print_prose(self.err, f"{label}{plain_line(error.message)}", style="red")
        if error.hint:
            print_prose(self.err, f"hint: {plain_line(error.hint)}", style="dim")

    def lines(self, lines: Sequence[str], *, asked_for: bool = False) -> None:
        """Lines of conversation that stay as they are, already safe. Silent as ``say`` is."""
        if asked_for or not self.quiet:
            for line in lines:
                self.err.print(line, soft_wrap=True)


def print_prose(console: Console, text: str | Text, *, style: str = "", hang: int = 0) -> None:
    """A line of prose, already safe. The one rule for all of it: in a pipe it stays a line, however long.

    On a terminal it is broken between words, and lines after the first begin ``hang`` columns further in than it does. A
    word wider than the screen stays whole, so that a path can be copied.
    """
    from rich.text import Text

    prose = Text(text, style=style) if isinstance(text, str) else text
    if is_live(console):
        indent = len(prose.plain) - len(prose.plain.lstrip(" ")) + hang
        first, *rest = prose.divide(_breaks(prose.plain, console.width, indent))
        lines = [first, *(Text(" " * indent).append_text(line) for line in rest)]
        for line in lines:
            line.rstrip()
        prose = Text("\n").join(lines)
    console.print(prose, soft_wrap=True)


def _breaks(text: str, width: int, indent: int) -> list[int]:
    """Where lines after the first begin, when they begin ``indent`` columns in. Rich would cut long words in two."""
    from rich.cells import cell_len

    breaks: list[int] = []
    filled = 0
    for word in _WORD.finditer(text):
        if filled and filled + cell_len(word.group().rstrip()) > width:
            breaks.append(word.start())
            filled = indent
        filled += cell_len(word.group())
    return breaks


def is_live(console: Console) -> bool:
    """True on a terminal that can move its cursor."""
    return console.file.isatty() and console.is_terminal and not console.is_dumb_terminal


def open_consoles(*, quiet: bool = False, verbose: bool = False) -> Consoles:
    """The consoles of this process over ``sys.stdout`` and ``sys.stderr``."""
    out, err = make_console(sys.stdout), make_console(sys.stderr)
    spoken = [console for console in (out, err) if console.file.isatty()] or [err]
    symbols = UNICODE if all(speaks_unicode(console.file) for console in spoken) else ASCII
    return Consoles(out=out, err=err, symbols=symbols, quiet=quiet, verbose=verbose)


def make_console(file: TextIO, *, width: int | None = None) -> Console:
    """A console that takes text as it is and never fails on a character."""
    from graphrag_cli.cli.terminal.rich_console import QuietPipeConsole

    reconfigure = getattr(file, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return QuietPipeConsole(
        file=file, width=width, markup=False, emoji=False, highlight=False, soft_wrap=False
    )


def _same_file(one: IO[str], other: IO[str]) -> bool:
    try:
        return os.path.sameopenfile(one.fileno(), other.fileno())
    except (OSError, ValueError):  # closed, or no file at all
        return False


def speaks_unicode(file: object) -> bool:
    """True when the stream's encoding holds every character."""
    encoding = getattr(file, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").replace("_", "").startswith("utf")
