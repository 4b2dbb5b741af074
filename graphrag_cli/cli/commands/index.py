"""``index``: what an index holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_cli.cli.flags import complete
from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import ReportOptions, WhereOptions
from graphrag_cli.cli.flags.values import where_of
from graphrag_cli.cli.helptext import HelpCommand, command_app
from graphrag_cli.cli.terminal.console import open_consoles

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.documents.report_shapes import IndexInfoShape

_HELP = """
Looks at an index, and builds vectors for it. Nothing here changes the index itself.

$ graphrag-cli index info
$ graphrag-cli index check --data other/output
$ graphrag-cli index embed
"""

app = command_app(_HELP)

NO_TABLES: list[str] = []


@app.command("info", cls=HelpCommand)
@flat
def info(*, where: WhereOptions, report: ReportOptions) -> None:
    """Says what the index holds: version, tables, community levels, vectors, and which methods it can serve.

    $ graphrag-cli index info
    $ graphrag-cli index info --root my-project --format json
    """
    from graphrag_cli.cli.upkeep.index_info import index_info
    from graphrag_cli.config.load import load
    from graphrag_cli.documents.strict import dumps
    from graphrag_cli.engines.opening import index_settings

    documents = [index_info(settings) for settings in index_settings(load(where_of(where)).settings)]
    if report.format == "json":
        typer.echo(dumps(documents[0] if len(documents) == 1 else documents))
        return
    consoles = open_consoles()
    for number, document in enumerate(documents):
        if number:
            consoles.out.print()
        _print(consoles, document)


@app.command("check", cls=HelpCommand)
@flat
def check(
    *,
    online: Annotated[
        bool, typer.Option("--online", show_default=False, help="Also embed a few stored texts anew.")
    ] = False,
    where: WhereOptions,
    report: ReportOptions,
) -> None:
    """Examines an index: tables, links between them, levels with their cost, vectors, and what each method lacks.

    Each finding says what it means and what to do. Exits with status 4 when something is an error.

    $ graphrag-cli index check
    $ graphrag-cli index check --data other/output --format json
    """
    import asyncio

    from graphrag_cli.cli.upkeep.index_check import check_indexes, show_reports
    from graphrag_cli.config.load import load

    examined = asyncio.run(check_indexes(load(where_of(where)), online=online))
    raise typer.Exit(show_reports(examined, report.format))


@app.command("embed", cls=HelpCommand)
@flat
def embed(
    *,
    table: Annotated[
        list[str],
        typer.Option(
            "--table",
            metavar="NAME",
            show_default=False,
            autocompletion=complete.vector_tables,
            help="Only this table; may be repeated. Otherwise all.",
        ),
    ] = NO_TABLES,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            show_default=False,
            help="Folder to build in; otherwise one beside the settings, where queries look first.",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", show_default=False, help="Nothing on stderr but errors.")
    ] = False,
    where: WhereOptions,
    report: ReportOptions,
) -> None:
    """Builds the vectors that methods need, with the configured embedding model; the index itself is not touched.

    Use it when an index has no vectors, or vectors of a model that you do not have. Killed half way, it goes on where
    it was.

    $ graphrag-cli index embed
    $ graphrag-cli index embed --table text_unit_text
    """
    from graphrag_cli.cli.upkeep.index_embed import run_embed

    run_embed(where, table, output, report.format, quiet=quiet)


def _print(consoles: Consoles, document: IndexInfoShape) -> None:
    from graphrag_cli.cli.terminal.console import print_prose
    from graphrag_cli.cli.terminal.plain import plain_line
    from graphrag_cli.cli.terminal.tables import print_table

    out = consoles.out
    print_prose(out, f"{plain_line(document['path'])}, written by GraphRAG {document['version']}")
    out.print(f"methods: {', '.join(document['methods']) or 'none'}\n")
    print_table(out, ["table", "rows"], [[table["name"], str(table["rows"])] for table in document["tables"]])
    out.print()
    levels = [[str(level["level"]), str(level["reports"])] for level in document["levels"]]
    print_table(out, ["community level", "reports read"], levels)
    out.print()
    vectors = [
        [
            table["name"],
            "-" if table["rows"] is None else str(table["rows"]),
            "-" if table["width"] is None else str(table["width"]),
            table["found_as"] or table["problem"] or "",
        ]
        for table in document["vectors"]
    ]
    print_table(out, ["vectors", "rows", "width", "found as"], vectors)
    if document["adapted"]:
        out.print("\nread otherwise than it stands in the files:")
        for line in document["adapted"]:
            print_prose(out, f"  {plain_line(line)}", hang=2)
