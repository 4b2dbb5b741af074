"""How a flag is declared, and those flags that stand alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from graphrag_cli.cli.flags.complete import Completer

Format: TypeAlias = Literal["text", "markdown", "json", "jsonl"]
SourcesDetail: TypeAlias = Literal["none", "short", "full"]
ChatFormat: TypeAlias = Literal["text", "markdown"]
ReportFormat: TypeAlias = Literal["text", "json"]

PROJECT_PANEL = "Project"
RETRIEVAL_PANEL = "Retrieval"
OUTPUT_PANEL = "Output"
LIMITS_PANEL = "Limits"
INSPECT_PANEL = "Looking inside"
MODELS_PANEL = "Prompts and models"
DRIFT_PANEL = "Drift"
SESSION_PANEL = "Conversation"


def flag(
    panel: str,
    help_text: str,
    *names: str,
    metavar: str | None = None,
    minimum: float | None = None,
    show_default: bool = False,
    complete: Completer | None = None,
) -> Any:
    """An option in ``panel`` of the help, for ``Annotated``."""
    return typer.Option(
        *names,
        help=help_text,
        metavar=metavar,
        min=minimum,
        show_default=show_default,
        rich_help_panel=panel,
        autocompletion=complete,
    )


OutputFileOption: TypeAlias = Annotated[
    Path | None,
    flag(
        OUTPUT_PANEL,
        "Write there instead of stdout; the file appears when it is whole.",
        "--output",
        "-o",
        metavar="FILE",
    ),
]

StreamOption: TypeAlias = Annotated[
    bool,
    flag(
        OUTPUT_PANEL,
        "Show the answer as it is written, and ask the model to send it so.",
        "--stream/--no-stream",
        show_default=True,
    ),
]

UsageOption: TypeAlias = Annotated[
    bool,
    flag(OUTPUT_PANEL, "Say on stderr how many calls and tokens it took, and the cost.", "--usage"),
]

QuietOption: TypeAlias = Annotated[
    bool,
    flag(OUTPUT_PANEL, "Nothing on stderr but errors and what other flags ask for.", "--quiet", "-q"),
]

VerboseOption: TypeAlias = Annotated[
    bool,
    flag(OUTPUT_PANEL, "Every stage with its time on stderr.", "--verbose", "-v"),
]

SourcesOption: TypeAlias = Annotated[
    SourcesDetail | None,
    flag(
        OUTPUT_PANEL,
        "List the cited sources with the answer: none, short, or full with the passages.",
        "--sources",
    ),
]

ContextOnlyOption: TypeAlias = Annotated[
    bool,
    flag(INSPECT_PANEL, "Retrieve and print the context; no answer is written.", "--context-only"),
]

ShowPromptOption: TypeAlias = Annotated[
    bool,
    flag(INSPECT_PANEL, "Print the system prompt as sent, on stderr.", "--show-prompt"),
]

ShowReasoningOption: TypeAlias = Annotated[
    bool,
    flag(INSPECT_PANEL, "Print what the model thinks before it replies, on stderr.", "--show-reasoning"),
]

ExplainOption: TypeAlias = Annotated[
    bool,
    flag(
        INSPECT_PANEL,
        "Say on stderr why each record is in the context and what the budget cut.",
        "--explain",
    ),
]

DebugOption: TypeAlias = Annotated[
    bool,
    flag(OUTPUT_PANEL, "A traceback when something unexpected happens.", "--debug"),
]

PromptDirOption: TypeAlias = Annotated[
    Path | None,
    flag(
        MODELS_PANEL,
        "Folder of prompt files that go before those of the settings.",
        "--prompt-dir",
        metavar="DIR",
    ),
]

QuestionArg: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="QUESTION",
        show_default=False,
        help="The question; - or nothing reads it from standard input.",
    ),
]
