"""``query``: one question by one method."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from graphrag_cli.cli.asking.ask import run_ask
from graphrag_cli.cli.asking.request import Ask, drift_ask
from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import AskOptions, DriftOptions, EntityOptions, NarrowingOptions
from graphrag_cli.cli.flags.single import QuestionArg
from graphrag_cli.cli.helptext import HelpCommand, HelpGroup, command_app
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.errors import UsageError

_HELP = """
Asks one question of an index.

basic reads the text units nearest to the question. local starts from the entities nearest to it and gathers
their relationships, claims, reports and texts. global asks every community report and joins what they say.
drift starts from the reports, asks follow-up questions where they lead, and joins the answers.

$ graphrag-cli query local "Who was Oscar Wisting?"
$ echo "What did the ponies eat?" | graphrag-cli query basic
$ graphrag-cli query global "What are the main themes?" --community-level 1 --format json
"""


class QueryGroup(HelpGroup):
    """Its commands are the methods."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer does it, but a question in the place of the method is told so."""
        asked = args[0]
        if asked not in self.commands and (" " in asked.strip() or asked.endswith("?")):
            raise UsageError(
                "a question without a method",
                hint=f'name a method: graphrag-cli query local "{plain_line(asked)}"',
            )
        return super().resolve_command(ctx, args)


app = command_app(_HELP, QueryGroup)


@app.command("local", cls=HelpCommand)
@flat
def local(
    question: QuestionArg = None,
    *,
    options: AskOptions,
    entities: EntityOptions,
    narrowing: NarrowingOptions,
) -> None:
    """Answers from the entities nearest to the question and what surrounds them.

    $ graphrag-cli query local "Who was Oscar Wisting?"
    $ graphrag-cli query local "Who led?" --include-entity "ROALD AMUNDSEN" --sources full
    $ graphrag-cli query local "Who led?" --context-only
    """
    ask = Ask("local", question, options, narrowing, entities)
    raise typer.Exit(run_ask(ask))


@app.command("basic", cls=HelpCommand)
@flat
def basic(
    question: QuestionArg = None,
    *,
    options: AskOptions,
    narrowing: NarrowingOptions,
) -> None:
    """Answers from the text units nearest to the question.

    $ graphrag-cli query basic "What did the ponies eat?"
    $ graphrag-cli query basic "What did they eat?" --document "Ponies and motors" --since 1911-01-01
    """
    ask = Ask("basic", question, options, narrowing)
    raise typer.Exit(run_ask(ask))


@app.command("global", cls=HelpCommand)
@flat
def global_(
    question: QuestionArg = None,
    *,
    dynamic_community_selection: Annotated[
        bool,
        typer.Option(
            "--dynamic-community-selection",
            help="Rate the reports from the top down and read only those that help.",
            show_default=False,
            rich_help_panel="Retrieval",
        ),
    ] = False,
    allow_general_knowledge: Annotated[
        bool,
        typer.Option(
            "--allow-general-knowledge",
            help="Let the model add what it knows besides the index, marked as such.",
            show_default=False,
            rich_help_panel="Retrieval",
        ),
    ] = False,
    options: AskOptions,
) -> None:
    """Answers from all community reports of a level: each batch is asked, and what they say is joined.

    $ graphrag-cli query global "What are the main themes?"
    $ graphrag-cli query global "Which decisions mattered?" --community-level 1
    $ graphrag-cli query global "Which decisions mattered?" --dynamic-community-selection --usage
    """
    knowledge = ("global_search.allow_general_knowledge=true",) if allow_general_knowledge else ()
    ask = Ask("global", question, options, dynamic=dynamic_community_selection, overrides=knowledge)
    raise typer.Exit(run_ask(ask))


@app.command("drift", cls=HelpCommand)
@flat
def drift(
    question: QuestionArg = None,
    *,
    flags: DriftOptions,
    options: AskOptions,
    entities: EntityOptions,
    narrowing: NarrowingOptions,
) -> None:
    """Answers from the reports, then asks follow-up questions where they lead, and joins the answers.

    $ graphrag-cli query drift "Why did one party live and the other die?"
    $ graphrag-cli query drift "Why did one party die?" --depth 1 --followups 5 --state state.json
    $ graphrag-cli query drift --resume state.json --depth 2
    """
    ask = Ask("drift", question, options, narrowing, entities)
    raise typer.Exit(run_ask(drift_ask(ask, flags)))
