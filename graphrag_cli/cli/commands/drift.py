"""``drift``: looking at the graph of questions that a drift run left."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.single import OutputFileOption
from graphrag_cli.cli.helptext import HelpCommand, command_app

_HELP = """
Looks at the graph of questions that `query drift --state FILE` wrote.

$ graphrag-cli drift show state.json
$ graphrag-cli drift export state.json --to mermaid
"""

app = command_app(_HELP)

StateArg: TypeAlias = Annotated[Path, typer.Argument(metavar="FILE", help="A file that --state wrote.")]


@app.command("show", cls=HelpCommand)
def show(
    file: StateArg,
    answers: Annotated[
        bool, typer.Option("--answers", show_default=False, help="Print each answer below its question.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", show_default=False, help="Also what was raised but not asked, and why.")
    ] = False,
) -> None:
    """Prints the tree of questions with scores, tokens and times.

    $ graphrag-cli drift show state.json
    $ graphrag-cli drift show state.json --answers
    """
    from graphrag_cli.cli.asking.drift_state import open_state, state_summary, tree_lines
    from graphrag_cli.cli.terminal.console import open_consoles, print_prose

    state = open_state(file)
    consoles = open_consoles()
    for line, hang in tree_lines(state, consoles.symbols, everything=everything, answers=answers):
        print_prose(consoles.out, line, hang=hang)
    consoles.say(state_summary(state))


@app.command("export", cls=HelpCommand)
@flat
def export(
    file: StateArg,
    *,
    to: Annotated[
        Literal["json", "graphml", "dot", "mermaid", "html"], typer.Option("--to", help="The form to write.")
    ] = "json",
    output: OutputFileOption = None,
) -> None:
    """Writes the graph in a form that other programs draw.

    $ graphrag-cli drift export state.json --to dot | dot -Tsvg > drift.svg
    $ graphrag-cli drift export state.json --to html -o drift.html
    """
    from graphrag_cli.cli.asking.drift_state import open_state
    from graphrag_cli.cli.terminal.plain import plain
    from graphrag_cli.cli.terminal.sink import Sink
    from graphrag_cli.engines.drift.export import export_state

    text = export_state(open_state(file), to)
    seen = output is None and sys.stdout.isatty()
    with Sink(output) as sink:
        sink.write(plain(text) if seen else text)
