"""``schema``: the JSON Schema of each document that programs read."""

from __future__ import annotations

from typing import Annotated

import typer

from graphrag_cli.cli.helptext import HelpCommand, command_app
from graphrag_cli.documents.report_shapes import SchemaName

app = command_app()


@app.command("schema", cls=HelpCommand)
def schema(
    document: Annotated[
        SchemaName,
        typer.Argument(metavar="DOCUMENT", help="Which document."),
    ],
) -> None:
    """Prints the JSON Schema of a document.

    answer is what --format json prints, event a line of --format jsonl, batch a line of batch, state the graph that
    drift --state writes, error what replaces an answer that there is none of; check, index, index-check, index-embed,
    answer-check and estimate are what config check and doctor, index info, index check, index embed, check-answers and
    --dry-run print.

    $ graphrag-cli schema answer
    $ graphrag-cli schema event > event.schema.json
    """
    from graphrag_cli.documents.schemas import json_schema
    from graphrag_cli.documents.strict import dumps

    typer.echo(dumps(json_schema(document), indent=2))
