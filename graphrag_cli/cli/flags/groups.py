"""Every flag that more than one command takes, declared once, in groups.

A command takes the groups it needs (see ``flat``); help shows one panel per group.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from graphrag_cli.cli.flags import complete
from graphrag_cli.cli.flags.single import (
    DRIFT_PANEL,
    INSPECT_PANEL,
    LIMITS_PANEL,
    MODELS_PANEL,
    OUTPUT_PANEL,
    PROJECT_PANEL,
    RETRIEVAL_PANEL,
    SESSION_PANEL,
    ContextOnlyOption,
    DebugOption,
    ExplainOption,
    Format,
    OutputFileOption,
    PromptDirOption,
    QuietOption,
    ReportFormat,
    ShowPromptOption,
    ShowReasoningOption,
    SourcesOption,
    StreamOption,
    UsageOption,
    VerboseOption,
    flag,
)

if TYPE_CHECKING:
    from graphrag_cli.sessions import SessionStore


@dataclass(frozen=True, slots=True)
class WhereOptions:
    """Which project, index and settings."""

    root: Annotated[
        Path | None,
        flag(
            PROJECT_PANEL,
            "Folder of the project; otherwise this folder, then its parents.",
            "--root",
            "-r",
            metavar="DIR",
        ),
    ] = None
    config: Annotated[
        Path | None,
        flag(PROJECT_PANEL, "The settings file itself.", "--config", "-c", metavar="FILE"),
    ] = None
    data: Annotated[
        list[str],
        flag(
            PROJECT_PANEL,
            "Folder or URL of the index's tables; several times for several indexes.",
            "--data",
            "-d",
            metavar="DIR",
        ),
    ] = field(default_factory=list[str])
    overrides: Annotated[
        list[str],
        flag(
            PROJECT_PANEL,
            "Another value for a setting, such as drift_search.n_depth=2.",
            "--set",
            metavar="KEY=VALUE",
            complete=complete.setting_assignments,
        ),
    ] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What is printed, and where."""

    format: Annotated[
        Format,
        flag(
            OUTPUT_PANEL,
            "text (rendered on a terminal), markdown source, one json document, or jsonl with every event.",
            "--format",
            "-f",
            show_default=True,
        ),
    ] = "text"
    output: OutputFileOption = None
    stream: StreamOption = True
    sources: SourcesOption = None
    fields: Annotated[
        str | None,
        flag(OUTPUT_PANEL, "Only these parts of the json document.", "--fields", metavar="A,B.C"),
    ] = None
    usage: UsageOption = False
    quiet: QuietOption = False
    verbose: VerboseOption = False
    debug: DebugOption = False


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a command prints what it found out."""

    format: Annotated[
        ReportFormat,
        flag(OUTPUT_PANEL, "text for people, or one json document.", "--format", "-f", show_default=True),
    ] = "text"
    debug: DebugOption = False


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """What is looked for, and how the answer should be."""

    community_level: Annotated[
        str | None,
        flag(
            RETRIEVAL_PANEL,
            "Depth down to which community reports are used.",
            "--community-level",
            "-l",
            metavar="N|deepest",
        ),
    ] = None
    response_type: Annotated[
        str | None,
        flag(
            RETRIEVAL_PANEL,
            'Length and form of the answer, such as "one paragraph".',
            "--response-type",
            metavar="TEXT",
        ),
    ] = None
    seed: Annotated[
        int | None,
        flag(RETRIEVAL_PANEL, "Seed of everything that is drawn.", "--seed", metavar="N"),
    ] = None


@dataclass(frozen=True, slots=True)
class NarrowingOptions:
    """What retrieval leaves out (local, drift and basic)."""

    document: Annotated[
        list[str],
        flag(
            RETRIEVAL_PANEL,
            "Only what stands in this document; may be repeated.",
            "--document",
            metavar="TITLE|ID",
            complete=complete.document_titles,
        ),
    ] = field(default_factory=list[str])
    since: Annotated[
        str | None,
        flag(RETRIEVAL_PANEL, "Only documents of this day or later (YYYY-MM-DD).", "--since", metavar="DATE"),
    ] = None
    until: Annotated[
        str | None,
        flag(RETRIEVAL_PANEL, "Only documents of this day or earlier.", "--until", metavar="DATE"),
    ] = None


@dataclass(frozen=True, slots=True)
class EntityOptions:
    """Which entities a local search starts from."""

    entity_type: Annotated[
        list[str],
        flag(
            RETRIEVAL_PANEL,
            "Only entities of this type; may be repeated.",
            "--entity-type",
            metavar="TYPE",
            complete=complete.entity_types,
        ),
    ] = field(default_factory=list[str])
    include_entity: Annotated[
        list[str],
        flag(
            RETRIEVAL_PANEL,
            "An entity that must be used; may be repeated.",
            "--include-entity",
            metavar="TITLE",
            complete=complete.entity_titles,
        ),
    ] = field(default_factory=list[str])
    exclude_entity: Annotated[
        list[str],
        flag(
            RETRIEVAL_PANEL,
            "An entity that must not be used; may be repeated.",
            "--exclude-entity",
            metavar="TITLE",
            complete=complete.entity_titles,
        ),
    ] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """What a run may spend."""

    max_calls: Annotated[
        int | None,
        flag(
            LIMITS_PANEL,
            "End early, with the best answer so far, after so many model calls.",
            "--max-calls",
            metavar="N",
            minimum=1,
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        flag(
            LIMITS_PANEL,
            "… after so many tokens, prompts and replies together.",
            "--max-tokens",
            metavar="N",
            minimum=1,
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        flag(LIMITS_PANEL, "… after so many US dollars.", "--max-cost", metavar="USD", minimum=0),
    ] = None
    deadline: Annotated[
        float | None,
        flag(LIMITS_PANEL, "… after so many seconds.", "--deadline", metavar="SECONDS", minimum=0.001),
    ] = None


@dataclass(frozen=True, slots=True)
class InspectOptions:
    """Seeing what an answer is made of."""

    context_only: ContextOnlyOption = False
    show_prompt: ShowPromptOption = False
    show_reasoning: ShowReasoningOption = False
    explain: ExplainOption = False
    dry_run: Annotated[
        bool,
        flag(INSPECT_PANEL, "Print the calls, tokens and cost to expect; nothing is sent.", "--dry-run"),
    ] = False
    fail_on_bad_citations: Annotated[
        bool,
        flag(
            INSPECT_PANEL, "Exit with status 6 when a citation does not resolve.", "--fail-on-bad-citations"
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class DriftOptions:
    """What only drift takes."""

    state: Annotated[
        Path | None,
        flag(
            DRIFT_PANEL, "Write the graph of questions there, after every change.", "--state", metavar="FILE"
        ),
    ] = None
    resume: Annotated[
        Path | None,
        flag(
            DRIFT_PANEL,
            "Go on from such a file; its question need not be given again.",
            "--resume",
            metavar="FILE",
        ),
    ] = None
    depth: Annotated[
        int | None,
        flag(
            DRIFT_PANEL,
            "Levels of follow-up questions (drift_search.n_depth).",
            "--depth",
            metavar="N",
            minimum=0,
        ),
    ] = None
    followups: Annotated[
        int | None,
        flag(
            DRIFT_PANEL,
            "Follow-up questions asked per level (drift_search.drift_k_followups).",
            "--followups",
            metavar="N",
            minimum=1,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are spoken to."""

    prompt_dir: PromptDirOption = None
    record: Annotated[
        Path | None,
        flag(MODELS_PANEL, "Keep every exchange with a model in this file.", "--record", metavar="FILE"),
    ] = None
    replay: Annotated[
        Path | None,
        flag(MODELS_PANEL, "Answer from such a file, with no network.", "--replay", metavar="FILE"),
    ] = None


@dataclass(frozen=True, slots=True)
class ManyOptions:
    """What every command that asks many questions takes."""

    where: WhereOptions
    retrieval: RetrievalOptions
    limits: LimitOptions
    models: ModelOptions


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Which conversation the question belongs to."""

    session: Annotated[
        str | None,
        flag(
            SESSION_PANEL,
            "Keep the conversation under this name, and take it up.",
            "--session",
            metavar="NAME",
            complete=complete.sessions,
        ),
    ] = None
    continue_last: Annotated[
        bool,
        flag(SESSION_PANEL, "Take up the session used last.", "--continue", "-C"),
    ] = False

    def name(self, store: SessionStore) -> str | None:
        """The session that is meant; None for none. Raises ``UsageError``."""
        if self.session is None and self.continue_last:
            return store.last()
        return self.session


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What every command that asks a question takes."""

    where: WhereOptions
    retrieval: RetrievalOptions
    output: OutputOptions
    limits: LimitOptions
    models: ModelOptions
    session: SessionOptions
    inspect: InspectOptions
