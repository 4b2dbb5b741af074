"""``cache``: what is kept to be faster, and how to be rid of it."""

from __future__ import annotations

import typer

from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import ReportOptions
from graphrag_cli.cli.helptext import HelpCommand, command_app

_HELP = """
Tells what is kept in your cache folder, and clears it. All of it can be made again.

GRAPHRAG_CLI_CACHE names another folder for what is worked out from indexes, or says off.

$ graphrag-cli cache info
$ graphrag-cli cache clear
"""

app = command_app(_HELP)


@app.command("info", cls=HelpCommand)
@flat
def info(*, report: ReportOptions) -> None:
    """Lists what is kept: look-ups of large indexes, and replies of models (with `cache: {type: sqlite}`).

    $ graphrag-cli cache info
    """
    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.cli.terminal.tables import print_table
    from graphrag_cli.cli.upkeep.caches import kept
    from graphrag_cli.documents.strict import dumps

    found = kept()
    if report.format == "json":
        typer.echo(
            dumps(
                [{"kind": one.kind, "of": one.of, "path": str(one.path), "bytes": one.size} for one in found]
            )
        )
        return
    if not found:
        open_consoles().say("none kept")
        return
    rows = [[one.kind, one.shown_size, one.of, str(one.path)] for one in found]
    print_table(open_consoles().out, ["kind", "size", "of", "path"], rows)


@app.command("clear", cls=HelpCommand)
def clear() -> None:
    """Removes all of it.

    $ graphrag-cli cache clear
    """
    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.cli.upkeep.caches import clear_all, shown_bytes

    open_consoles().say(f"freed {shown_bytes(clear_all())}")
