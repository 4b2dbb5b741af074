"""The two streams, built once per process: stdout is data, stderr is conversation.

Neither parses markup, emoji codes or numbers in what it prints; both replace what their encoding lacks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.errors import CliError, InterruptedRunError

if TYPE_CHECKING:
    from rich.console import Console


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

    def say(self, text: str, *, style: str = "") -> None:
        """A line of conversation, broken between words on a terminal; foreign text in it is made safe.

        Silent with ``--quiet``.
        """
        if not self.quiet:
            self.err.print(plain_line(text), style=style or None, soft_wrap=not is_live(self.err))

    def show_error(self, error: CliError) -> None:
        """The message and the hint on stderr, also with ``--quiet``."""
        label = "" if isinstance(error, InterruptedRunError) else "error: "
        self.err.print(f"{label}{plain_line(error.message)}", style="red", soft_wrap=True)
        if error.hint:
            self.err.print(f"hint: {plain_line(error.hint)}", style="dim", soft_wrap=True)

    def lines(self, lines: Sequence[str]) -> None:
        """Lines of conversation as they stand, already safe. Silent with ``--quiet``."""
        if not self.quiet:
            self.asked_for(lines)

    def asked_for(self, lines: Sequence[str]) -> None:
        """Lines that a flag asked for, already safe: also with ``--quiet``."""
        for line in lines:
            self.err.print(line, soft_wrap=True)


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


def speaks_unicode(file: object) -> bool:
    """True when the stream's encoding holds every character."""
    encoding = getattr(file, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").replace("_", "").startswith("utf")
