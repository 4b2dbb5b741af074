"""``index``: what an index holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from graphrag_cli.cli.asked import where_of
from graphrag_cli.cli.console import open_consoles
from graphrag_cli.cli.flat import flat
from graphrag_cli.cli.helptext import HelpCommand, command_app
from graphrag_cli.cli.options import ReportOptions, WhereOptions

if TYPE_CHECKING:
    from graphrag_cli.cli.console import Consoles
    from graphrag_cli.documents.report_shapes import IndexInfoShape

_HELP = """
Looks at an index. Nothing here changes it.

$ graphrag-cli index info
$ graphrag-cli index info --data other/output
"""

app = command_app(_HELP)


@app.callback()
def index() -> None:
    """A group, even while it has one command."""


@app.command("info", cls=HelpCommand)
@flat
def info(*, where: WhereOptions, report: ReportOptions) -> None:
    """Says what the index holds: version, tables, community levels, vectors, and which methods it can serve.

    $ graphrag-cli index info
    $ graphrag-cli index info --root my-project --format json
    """
    from graphrag_cli.cli.index_info import index_info
    from graphrag_cli.config.load import load
    from graphrag_cli.documents.strict import dumps

    document = index_info(load(where_of(where)).settings)
    if report.format == "json":
        typer.echo(dumps(document))
    else:
        _print(open_consoles(), document)


def _print(consoles: Consoles, document: IndexInfoShape) -> None:
    from graphrag_cli.cli.plain import plain_line
    from graphrag_cli.cli.tables import print_table

    out = consoles.out
    out.print(f"{plain_line(document['path'])}, written by GraphRAG {document['version']}", soft_wrap=True)
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
            out.print(f"  {plain_line(line)}", soft_wrap=True)
