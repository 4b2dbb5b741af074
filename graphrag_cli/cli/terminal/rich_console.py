"""Rich's console, but a reader that went away is an exception like any other."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


class QuietPipeConsole(Console):
    """Lets ``BrokenPipeError`` through to the boundary, where Rich would exit with status 1."""

    def on_broken_pipe(self) -> NoReturn:
        """Called by Rich while it handles the error."""
        raise BrokenPipeError
