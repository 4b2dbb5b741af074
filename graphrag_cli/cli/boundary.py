"""The one place where an error becomes a message and an exit status.

A ``CliError`` prints its message and hint on stderr and exits with the status of its class; with ``--format json``
or ``jsonl`` stdout also gets an error document. Anything else is a fault of ours: one line, or a traceback
with ``--debug``.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_cli.cli import completion
from graphrag_cli.cli.terminal.termination import ends_on_sigterm, stopped
from graphrag_cli.errors import CliError, UsageError

if TYPE_CHECKING:
    from typer.exceptions import TyperException

_JSON_FORMATS = ("json", "jsonl")


def run(arguments: Sequence[str]) -> int:
    """Runs the command line ``arguments``; the exit status."""
    _open_closed_streams()
    with ends_on_sigterm():
        try:
            status = _invoke(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            return _end_quietly()
        except CliError as error:
            return _guarded_report(error, arguments)
        except KeyboardInterrupt:
            return _guarded_report(stopped(), arguments)
        except Exception as error:  # noqa: BLE001 - the boundary: nothing above it could show the error better
            return _guarded_report(_unexpected(error, arguments), arguments)
        return status


def wanted_format(arguments: Sequence[str]) -> str:
    """The value of ``--format`` as far as it can be told without parsing: usage errors have a format too."""
    wanted = "text"
    for position, argument in enumerate(arguments):
        if argument in {"--format", "-f"} and position + 1 < len(arguments):
            wanted = arguments[position + 1]
        elif argument.startswith("--format="):
            wanted = argument.removeprefix("--format=")
        elif argument.startswith("-f"):
            wanted = argument.removeprefix("-f")
    return wanted


def _invoke(arguments: Sequence[str]) -> int:
    """As typer's own ``main`` does it, but errors come out, and so does a pipe that broke."""
    import typer
    from typer.exceptions import TyperException

    from graphrag_cli.cli.app import app

    command = typer.main.get_command(app)
    if completion.ASKED in os.environ:
        completion.complete(command, list(arguments))
    try:
        with command.make_context(completion.PROGRAM, list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except TyperException as error:
        raise _usage_error(error) from error
    except (typer.Abort, EOFError) as error:
        raise stopped() from error
    return 0


def _usage_error(error: TyperException) -> UsageError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else completion.PROGRAM
    hint = f"{command} --help shows what it takes"
    message = error.format_message().replace("Value error, ", "")
    if "unexpected extra argument" in message:
        hint = f"put what has blanks, such as a question, in quotes; {hint}"
    return UsageError(message, hint=hint)


def _unexpected(error: Exception, arguments: Sequence[str]) -> CliError:
    if "--debug" in arguments:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return CliError(f"cannot write: {error.strerror}", hint="is the disk full?")
    detail = f"{type(error).__name__}: {error}"
    return CliError(f"unexpected {detail}", hint="run again with --debug for a traceback, and report it")


def _guarded_report(error: CliError, arguments: Sequence[str]) -> int:
    try:
        _report(error, wanted_format(arguments))
        sys.stdout.flush()
    except OSError:
        # Gone or full: the message has been said, as far as it could be.
        _end_quietly()
    return error.exit_code


def _report(error: CliError, wanted: str) -> None:
    from graphrag_cli.cli.terminal.console import open_consoles

    open_consoles().show_error(error)
    if wanted in _JSON_FORMATS:
        _print_document(error, wanted)


def _print_document(error: CliError, wanted: str) -> None:
    from graphrag_cli.documents.build import error_body, error_document
    from graphrag_cli.documents.strict import dump_line

    document = (
        error_document(error) if wanted == "json" else {"kind": "run_failed", "error": error_body(error)}
    )
    sys.stdout.write(dump_line(document))


def _open_closed_streams() -> None:
    """A stream that the shell closed (``>&-``) is None: what is written to it goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - stays open


def _end_quietly() -> int:
    """The reader of our output went away: nothing more can be written, not even by the interpreter at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return 0
