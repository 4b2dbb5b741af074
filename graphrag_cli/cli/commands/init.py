"""``init``: a project to start with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphrag_cli.cli.helptext import HelpCommand, command_app

app = command_app()


@app.command("init", cls=HelpCommand)
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where; made if it is not there.")],
    sample: Annotated[
        bool, typer.Option("--sample", show_default=False, help="Also the sample index, ready to be asked.")
    ] = False,
) -> None:
    """Begins a project: commented settings, the prompts as files to edit, and with --sample an index to try things on.

    Nothing is ever overwritten.

    $ graphrag-cli init try --sample
    $ graphrag-cli init my-project
    """
    import shlex

    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.cli.terminal.plain import plain_line
    from graphrag_cli.scaffold import begin_project

    begun = begin_project(folder, sample=sample)
    consoles = open_consoles()
    for path in begun.written:
        consoles.say(f"wrote {path}")
    steps = _AFTER_SAMPLE if sample else _AFTER_EMPTY
    consoles.lines(["", *(step.format(folder=shlex.quote(plain_line(str(folder)))) for step in steps)])


_AFTER_SAMPLE = (
    "Ask it something:",
    '  graphrag-cli query local "Who was Oscar Wisting?" --root {folder}',
    "  graphrag-cli doctor --root {folder}",
)
_AFTER_EMPTY = (
    "Next:",
    "  1. put the tables of your index into {folder}/output, or name their folder in settings.yaml",
    "  2. choose models in {folder}/settings.yaml: it has recipes, and works without a key as it stands",
    "  3. graphrag-cli doctor --root {folder} says what is missing",
)
