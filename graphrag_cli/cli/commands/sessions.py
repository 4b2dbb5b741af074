"""``sessions``: conversations kept by ``--session``."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from graphrag_cli.cli.flags import complete
from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import ReportOptions
from graphrag_cli.cli.helptext import HelpCommand, command_app

_HELP = """
Lists, shows and deletes conversations that `--session NAME` kept in your data folder.

$ graphrag-cli sessions list
$ graphrag-cli sessions show pole
"""

app = command_app(_HELP)

NameArg: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME", help="The session.", autocompletion=complete.sessions)
]


@app.command("list", cls=HelpCommand)
@flat
def list_(*, report: ReportOptions) -> None:
    """Lists sessions, the one used last first.

    $ graphrag-cli sessions list
    """
    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.cli.terminal.tables import print_table
    from graphrag_cli.documents.strict import dumps
    from graphrag_cli.sessions import SessionStore, default_folder

    store = SessionStore(default_folder())
    found = [(name, store.read(name)) for name in store.names()]
    if report.format == "json":
        typer.echo(dumps([{"name": name, "questions": len(exchanges)} for name, exchanges in found]))
        return
    if not found:
        open_consoles().say("none kept")
        return
    rows = [
        [name, str(len(exchanges)), exchanges[-1].time if exchanges else "", exchanges[-1].question if exchanges else ""]
        for name, exchanges in found
    ]  # fmt: skip
    print_table(open_consoles().out, ["session", "questions", "last", "asked last"], rows)


@app.command("show", cls=HelpCommand)
@flat
def show(name: NameArg, *, report: ReportOptions) -> None:
    """Prints a session as Markdown, or with --format json as a list of exchanges.

    $ graphrag-cli sessions show pole
    """
    from dataclasses import asdict

    from graphrag_cli.cli.terminal.plain import plain, plain_line
    from graphrag_cli.documents.strict import dumps
    from graphrag_cli.errors import UsageError
    from graphrag_cli.sessions import SessionStore, default_folder

    exchanges = SessionStore(default_folder()).read(name)
    if not exchanges:
        raise UsageError(f"there is no session {name!r}", hint="graphrag-cli sessions list")
    if report.format == "json":
        typer.echo(dumps([asdict(exchange) for exchange in exchanges]))
        return
    for exchange in exchanges:
        typer.echo(f"## {plain_line(exchange.question)}\n\n{plain(exchange.answer).strip()}\n")


@app.command("delete", cls=HelpCommand)
def delete(name: NameArg) -> None:
    """Deletes a session.

    $ graphrag-cli sessions delete pole
    """
    from graphrag_cli.sessions import SessionStore, default_folder

    SessionStore(default_folder()).delete(name)
