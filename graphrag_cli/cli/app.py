"""The root command: its help, ``--version``, and the table of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from graphrag_cli.cli.lazy import Lazy, LazyGroup

_ASK = "Asking"
_INDEX = "Index and settings"
_SHELL = "Shell"

_HELP = """
Answers questions over a Microsoft GraphRAG index.

$ graphrag-cli query local "Who led the first party to the pole?"
$ graphrag-cli query drift "Why did one party live and the other die?" --root my-project
$ graphrag-cli query global "What are the main themes?" --format json | jq -r .answer

The answer goes to stdout; progress, sources and notices go to stderr.
"""


_COMMANDS = "graphrag_cli.cli.commands"


class Root(LazyGroup):
    """Every command of graphrag-cli."""

    table = {  # noqa: RUF012 - declared ClassVar by LazyGroup
        "query": Lazy(f"{_COMMANDS}.query", "Ask one question of an index.", _ASK),
        "chat": Lazy(f"{_COMMANDS}.chat", "Talk: questions that build on each other.", _ASK),
        "batch": Lazy(f"{_COMMANDS}.batch", "Ask every question of a file.", _ASK),
        "drift": Lazy(f"{_COMMANDS}.drift", "Look at the questions that a drift run asked.", _ASK),
        "sessions": Lazy(f"{_COMMANDS}.sessions", "Look at conversations that were kept.", _ASK),
        "check-answers": Lazy(f"{_COMMANDS}.check_answers", "Ask questions and check what is cited.", _ASK),
        "index": Lazy(f"{_COMMANDS}.index", "Look at an index.", _INDEX),
        "init": Lazy(f"{_COMMANDS}.init", "Begin a project.", _INDEX),
        "config": Lazy(f"{_COMMANDS}.config", "Show and check settings.", _INDEX),
        "cache": Lazy(f"{_COMMANDS}.cache", "Tell what is cached, and clear it.", _SHELL),
        "completion": Lazy(f"{_COMMANDS}.completion", "Print the completion script for a shell.", _SHELL),
        "schema": Lazy(f"{_COMMANDS}.schema", "Print the JSON Schema of a document.", _SHELL),
        "doctor": Lazy(f"{_COMMANDS}.doctor", "Say what is wrong with a project, and what to do.", _INDEX),
    }


app = typer.Typer(
    name="graphrag-cli",
    cls=Root,
    help=_HELP,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from graphrag_cli import __version__

        typer.echo(f"graphrag-cli {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Takes ``--version``; the commands do the rest."""
