"""``batch``: every question of a file, over one loaded index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphrag_cli.cli.asking.batch import BatchFlags, run_batch_command
from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import ManyOptions
from graphrag_cli.cli.helptext import HelpCommand, command_app

app = command_app()


@app.command("batch", cls=HelpCommand)
@flat
def batch(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Questions: .txt, .jsonl or .csv; - reads standard input."),
    ],
    *,
    flags: BatchFlags,
    options: ManyOptions,
) -> None:
    """Asks every question of a file and writes one JSON line per question, in the order of the file.

    A plain file has a question per line. In .jsonl and .csv a question may have its own id, method, response_type,
    seed, community_level, include_entities, exclude_entities, documents, entity_types, since, until and dynamic, and
    as limits of its own max_calls, max_tokens, max_cost and deadline.

    A question that fails is a line with its error, and the exit status is 6. --resume goes on after any kind of end:
    it keeps what was answered and asks what was not, or what failed. --max-cost and the other limits hold for all
    questions together: once one is reached, those that are left have no line, and --resume asks them.

    $ graphrag-cli batch questions.txt --method local -o answers.jsonl
    $ graphrag-cli batch questions.txt --method local -o answers.jsonl --resume
    $ cat questions.jsonl | graphrag-cli batch - --input-format jsonl --fields status,answer | jq .answer
    """
    raise typer.Exit(run_batch_command(file, flags, options))
