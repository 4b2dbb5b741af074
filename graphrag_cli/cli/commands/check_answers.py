"""``check-answers``: questions with expected records and strings, asked and scored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphrag_cli.cli.asking.check_answers import CheckFlags, run_check
from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import ManyOptions
from graphrag_cli.cli.helptext import HelpCommand, command_app

app = command_app()


@app.command("check-answers", cls=HelpCommand)
@flat
def check_answers(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Cases: a .yaml list, or .jsonl.")],
    *,
    flags: CheckFlags,
    options: ManyOptions,
) -> None:
    """Asks questions and checks the answers: expected records retrieved and cited, strings contained, no-data told.

    No model judges. A case is {id, method, question, expect: {records: {Reports: [2], Sources: [5]}, any_of_strings,
    all_of_strings, status}}; it passes when the status is right, at least one expected record is cited, the strings are
    there, and every citation resolves. With --answers a batch is checked that was run before.

    Exits with status 6 when fewer than --min-pass of the cases pass. --max-cost and the other limits hold for all
    cases together.

    $ graphrag-cli check-answers sample_index/expected.yaml --min-pass 0.8
    $ graphrag-cli check-answers cases.jsonl --junit report.xml --replay recording.jsonl
    """
    raise typer.Exit(run_check(file, flags, options))
