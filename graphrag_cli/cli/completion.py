"""Completion as typer does it, without the flags that it would put on every command."""

from __future__ import annotations

import contextlib
import io
import os
from typing import Any

PROGRAM = "graphrag-cli"
ASKED = "_GRAPHRAG_CLI_COMPLETE"
"""Set by the shell when it asks for completions."""


def complete(command: Any, arguments: list[str]) -> None:
    """Prints what the shell asked for, and exits."""
    _teach_shells()
    command.main(arguments, prog_name=PROGRAM)


def completion_script(shell: str) -> str:
    """The script that makes a shell ask this program for completions."""
    import typer

    from graphrag_cli.cli.app import app

    os.environ[ASKED] = f"source_{shell}"
    script = io.StringIO()
    try:
        with contextlib.redirect_stdout(script), contextlib.suppress(SystemExit):
            complete(typer.main.get_command(app), [])
    finally:
        del os.environ[ASKED]
    return script.getvalue()


def _teach_shells() -> None:
    """Typer learns what shells say when it makes a command with its own completion flags; ours has none."""
    import typer

    taught = typer.Typer(add_completion=True)
    taught.command()(_nothing)
    typer.main.get_command(taught)


def _nothing() -> None:
    """Body of a command that is never called."""
