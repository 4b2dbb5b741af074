"""Every flag that more than one command takes, declared once, in groups.

A command takes the groups it needs (see ``flat``); help shows one panel per group.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

Format: TypeAlias = Literal["text", "markdown", "json", "jsonl"]
SourcesDetail: TypeAlias = Literal["none", "short", "full"]

_PROJECT = "Project"
_RETRIEVAL = "Retrieval"
_OUTPUT = "Output"
_LIMITS = "Limits"
_INSPECT = "Looking inside"
_MODELS = "Prompts and models"
_DRIFT = "Drift"


def flag(
    panel: str,
    help_text: str,
    *names: str,
    metavar: str | None = None,
    minimum: float | None = None,
    show_default: bool = False,
) -> Any:
    """An option in ``panel`` of the help, for ``Annotated``."""
    return typer.Option(
        *names,
        help=help_text,
        metavar=metavar,
        min=minimum,
        show_default=show_default,
        rich_help_panel=panel,
    )


@dataclass(frozen=True, slots=True)
class WhereOptions:
    """Which project, index and settings."""

    root: Annotated[
        Path | None,
        flag(
            _PROJECT,
            "Folder of the project; otherwise this folder, then its parents.",
            "--root",
            "-r",
            metavar="DIR",
        ),
    ] = None
    config: Annotated[
        Path | None,
        flag(_PROJECT, "The settings file itself.", "--config", "-c", metavar="FILE"),
    ] = None
    data: Annotated[
        list[str],
        flag(
            _PROJECT,
            "Folder or URL of the index's tables; several times for several indexes.",
            "--data",
            "-d",
            metavar="DIR",
        ),
    ] = field(default_factory=list[str])
    overrides: Annotated[
        list[str],
        flag(
            _PROJECT,
            "Another value for a setting, such as drift_search.n_depth=2.",
            "--set",
            metavar="KEY=VALUE",
        ),
    ] = field(default_factory=list[str])


OutputFileOption: TypeAlias = Annotated[
    Path | None,
    flag(
        _OUTPUT,
        "Write there instead of stdout; the file appears when it is whole.",
        "--output",
        "-o",
        metavar="FILE",
    ),
]


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What is printed, and where."""

    format: Annotated[
        Format,
        flag(
            _OUTPUT,
            "text (rendered on a terminal), markdown source, one json document, or jsonl with every event.",
            "--format",
            "-f",
            show_default=True,
        ),
    ] = "text"
    output: OutputFileOption = None
    stream: Annotated[
        bool,
        flag(
            _OUTPUT,
            "Show the answer as it is written, and ask the model to send it so.",
            "--stream/--no-stream",
            show_default=True,
        ),
    ] = True
    sources: Annotated[
        SourcesDetail | None,
        flag(
            _OUTPUT,
            "List the cited sources with the answer: none, short, or full with the passages.",
            "--sources",
        ),
    ] = None
    fields: Annotated[
        str | None,
        flag(_OUTPUT, "Only these parts of the json document.", "--fields", metavar="A,B.C"),
    ] = None
    usage: Annotated[
        bool,
        flag(_OUTPUT, "Say on stderr how many calls and tokens it took, and the cost.", "--usage"),
    ] = False
    quiet: Annotated[
        bool,
        flag(_OUTPUT, "Nothing on stderr but errors.", "--quiet", "-q"),
    ] = False
    verbose: Annotated[
        bool,
        flag(_OUTPUT, "Every stage with its time on stderr.", "--verbose", "-v"),
    ] = False
    debug: Annotated[
        bool,
        flag(_OUTPUT, "A traceback when something unexpected happens.", "--debug"),
    ] = False


ReportFormat: TypeAlias = Literal["text", "json"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a command prints what it found out."""

    format: Annotated[
        ReportFormat,
        flag(_OUTPUT, "text for people, or one json document.", "--format", "-f", show_default=True),
    ] = "text"
    debug: Annotated[
        bool,
        flag(_OUTPUT, "A traceback when something unexpected happens.", "--debug"),
    ] = False


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """What is looked for, and how the answer should be."""

    community_level: Annotated[
        str | None,
        flag(
            _RETRIEVAL,
            "Depth down to which community reports are used.",
            "--community-level",
            "-l",
            metavar="N|deepest",
        ),
    ] = None
    response_type: Annotated[
        str | None,
        flag(
            _RETRIEVAL,
            'Length and form of the answer, such as "one paragraph".',
            "--response-type",
            metavar="TEXT",
        ),
    ] = None
    seed: Annotated[
        int | None,
        flag(_RETRIEVAL, "Seed of everything that is drawn.", "--seed", metavar="N"),
    ] = None


@dataclass(frozen=True, slots=True)
class NarrowingOptions:
    """What retrieval leaves out (local, drift and basic)."""

    document: Annotated[
        list[str],
        flag(
            _RETRIEVAL,
            "Only what stands in this document; may be repeated.",
            "--document",
            metavar="TITLE|ID",
        ),
    ] = field(default_factory=list[str])
    since: Annotated[
        str | None,
        flag(_RETRIEVAL, "Only documents of this day or later (YYYY-MM-DD).", "--since", metavar="DATE"),
    ] = None
    until: Annotated[
        str | None,
        flag(_RETRIEVAL, "Only documents of this day or earlier.", "--until", metavar="DATE"),
    ] = None


@dataclass(frozen=True, slots=True)
class EntityOptions:
    """Which entities a local search starts from."""

    entity_type: Annotated[
        list[str],
        flag(_RETRIEVAL, "Only entities of this type; may be repeated.", "--entity-type", metavar="TYPE"),
    ] = field(default_factory=list[str])
    include_entity: Annotated[
        list[str],
        flag(
            _RETRIEVAL, "An entity that must be used; may be repeated.", "--include-entity", metavar="TITLE"
        ),
    ] = field(default_factory=list[str])
    exclude_entity: Annotated[
        list[str],
        flag(
            _RETRIEVAL,
            "An entity that must not be used; may be repeated.",
            "--exclude-entity",
            metavar="TITLE",
        ),
    ] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """What a run may spend."""

    max_calls: Annotated[
        int | None,
        flag(
            _LIMITS,
            "End early, with the best answer so far, after so many model calls.",
            "--max-calls",
            metavar="N",
            minimum=1,
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        flag(
            _LIMITS,
            "… after so many tokens, prompts and replies together.",
            "--max-tokens",
            metavar="N",
            minimum=1,
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        flag(_LIMITS, "… after so many US dollars.", "--max-cost", metavar="USD", minimum=0),
    ] = None
    deadline: Annotated[
        float | None,
        flag(_LIMITS, "… after so many seconds.", "--deadline", metavar="SECONDS", minimum=0.001),
    ] = None


@dataclass(frozen=True, slots=True)
class InspectOptions:
    """Seeing what an answer is made of."""

    context_only: Annotated[
        bool,
        flag(_INSPECT, "Retrieve and print the context; no answer is written.", "--context-only"),
    ] = False
    show_prompt: Annotated[
        bool,
        flag(_INSPECT, "Print the system prompt as sent, on stderr.", "--show-prompt"),
    ] = False
    explain: Annotated[
        bool,
        flag(
            _INSPECT, "Say on stderr why each record is in the context and what the budget cut.", "--explain"
        ),
    ] = False
    dry_run: Annotated[
        bool,
        flag(_INSPECT, "Print the calls, tokens and cost to expect; nothing is sent.", "--dry-run"),
    ] = False
    fail_on_bad_citations: Annotated[
        bool,
        flag(_INSPECT, "Exit with status 6 when a citation does not resolve.", "--fail-on-bad-citations"),
    ] = False


@dataclass(frozen=True, slots=True)
class DriftOptions:
    """What only drift takes."""

    state: Annotated[
        Path | None,
        flag(_DRIFT, "Write the graph of questions there, after every change.", "--state", metavar="FILE"),
    ] = None
    resume: Annotated[
        Path | None,
        flag(
            _DRIFT,
            "Go on from such a file; its question need not be given again.",
            "--resume",
            metavar="FILE",
        ),
    ] = None
    depth: Annotated[
        int | None,
        flag(
            _DRIFT, "Levels of follow-up questions (drift_search.n_depth).", "--depth", metavar="N", minimum=0
        ),
    ] = None
    followups: Annotated[
        int | None,
        flag(
            _DRIFT,
            "Follow-up questions asked per level (drift_search.drift_k_followups).",
            "--followups",
            metavar="N",
            minimum=1,
        ),
    ] = None


PromptDirOption: TypeAlias = Annotated[
    Path | None,
    flag(
        _MODELS, "Folder of prompt files that go before those of the settings.", "--prompt-dir", metavar="DIR"
    ),
]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are spoken to."""

    prompt_dir: PromptDirOption = None
    record: Annotated[
        Path | None,
        flag(_MODELS, "Keep every exchange with a model in this file.", "--record", metavar="FILE"),
    ] = None
    replay: Annotated[
        Path | None,
        flag(_MODELS, "Answer from such a file, with no network.", "--replay", metavar="FILE"),
    ] = None


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What every command that asks a question takes."""

    where: WhereOptions
    retrieval: RetrievalOptions
    output: OutputOptions
    limits: LimitOptions
    models: ModelOptions
    inspect: InspectOptions


QuestionArg: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="QUESTION",
        show_default=False,
        help="The question; - or nothing reads it from standard input.",
    ),
]
