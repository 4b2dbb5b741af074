"""``config``: the settings that hold, where they came from, and what is wrong with them."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from graphrag_cli.cli.flags import complete
from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import ReportOptions, WhereOptions
from graphrag_cli.cli.flags.single import PromptDirOption
from graphrag_cli.cli.flags.values import where_of
from graphrag_cli.cli.helptext import HelpCommand, command_app
from graphrag_cli.cli.terminal.console import open_consoles

_HELP = """
Shows and checks settings.

$ graphrag-cli config show
$ graphrag-cli config show drift_search --origin
$ graphrag-cli config check --root my-project
"""

app = command_app(_HELP)

PrefixArg: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="[PREFIX]",
        show_default=False,
        autocompletion=complete.setting_keys,
        help="Only keys that begin so, such as drift_search.",
    ),
]


@app.command("show", cls=HelpCommand)
@flat
def show(
    prefix: PrefixArg = "",
    *,
    origin: Annotated[
        bool, typer.Option("--origin", show_default=False, help="Say where each value came from.")
    ] = False,
    where: WhereOptions,
    report: ReportOptions,
) -> None:
    """Prints the settings that hold, as YAML that says the same again; keys and passwords are masked.

    $ graphrag-cli config show
    $ graphrag-cli config show drift_search --origin
    $ graphrag-cli config show --set drift_search.n_depth=2 --format json
    """
    from graphrag_cli.cli.terminal.tables import print_table
    from graphrag_cli.config.load import load
    from graphrag_cli.config.show import as_yaml, rows
    from graphrag_cli.documents.strict import dumps

    loaded = load(where_of(where))
    chosen = [row for row in rows(loaded) if row.key.startswith(prefix)]
    if not chosen:
        _refuse_unknown(prefix)
    consoles = open_consoles()
    if report.format == "json":
        settings = [{"key": row.key, "value": row.value, "origin": str(row.origin)} for row in chosen]
        typer.echo(dumps(settings))
    elif origin or prefix:
        print_table(
            consoles.out,
            ["key", "value", "origin"],
            [[row.key, row.value, str(row.origin)] for row in chosen],
        )
    else:
        typer.echo(as_yaml(loaded), nl=False)


@app.command("check", cls=HelpCommand)
@flat
def check(*, prompt_dir: PromptDirOption = None, where: WhereOptions, report: ReportOptions) -> None:
    """Says what is wrong with the settings and the prompts; opens no index and calls no model.

    Exits with status 3 when something is an error.

    $ graphrag-cli config check
    $ graphrag-cli config check --format json
    """
    from graphrag_cli.cli.upkeep.checks import exit_status, settings_found
    from graphrag_cli.cli.upkeep.findings import show_findings
    from graphrag_cli.config.load import load

    found = settings_found(load(where_of(where)), prompt_dir)
    show_findings(found, report.format)
    raise typer.Exit(exit_status(found))


@app.command("keys", cls=HelpCommand)
@flat
def keys(prefix: PrefixArg = "", *, report: ReportOptions) -> None:
    """Lists every key that settings may have, with its default and what it does.

    $ graphrag-cli config keys local_search
    """
    from graphrag_cli.cli.terminal.tables import print_table
    from graphrag_cli.config.describe import keys as all_keys
    from graphrag_cli.documents.strict import dumps

    chosen = [key for key in all_keys() if key.dotted.startswith(prefix)]
    if not chosen:
        _refuse_unknown(prefix)
    if report.format == "json":
        documents = [
            {"key": key.dotted, "type": key.type, "default": key.default, "doc": key.doc} for key in chosen
        ]
        typer.echo(dumps(documents))
    else:
        rows = [[key.dotted, key.type, key.default, key.doc] for key in chosen]
        print_table(open_consoles().out, ["key", "type", "default", "what it does"], rows)


def _refuse_unknown(prefix: str) -> None:
    """Raises ``UsageError`` when no key that settings may have begins with ``prefix``."""
    from graphrag_cli.config.describe import keys as all_keys
    from graphrag_cli.config.schema import keys_like
    from graphrag_cli.errors import UsageError

    known = [key.dotted for key in all_keys()]
    if any(key.startswith(prefix) for key in known):
        return
    near = ", ".join(keys_like(prefix, known))
    every = "graphrag-cli config keys lists every key"
    raise UsageError(
        f"no setting begins with {prefix!r}", hint=f"like it: {near}; {every}" if near else every
    )
