"""The flags of ``chat``: those of a question, less what a conversation cannot do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from graphrag_cli.cli.flags.groups import (
    AskOptions,
    InspectOptions,
    LimitOptions,
    ModelOptions,
    OutputOptions,
    RetrievalOptions,
    SessionOptions,
    WhereOptions,
)
from graphrag_cli.cli.flags.single import (
    OUTPUT_PANEL,
    ChatFormat,
    ContextOnlyOption,
    DebugOption,
    ExplainOption,
    QuietOption,
    ShowPromptOption,
    ShowReasoningOption,
    SourcesOption,
    StreamOption,
    UsageOption,
    VerboseOption,
    flag,
)


@dataclass(frozen=True, slots=True)
class ChatOutputOptions:
    """What is printed: text only, and on stdout."""

    format: Annotated[
        ChatFormat,
        flag(
            OUTPUT_PANEL,
            "text (rendered on a terminal) or markdown source.",
            "--format",
            "-f",
            show_default=True,
        ),
    ] = "text"
    stream: StreamOption = True
    sources: SourcesOption = None
    usage: UsageOption = False
    quiet: QuietOption = False
    verbose: VerboseOption = False
    debug: DebugOption = False


@dataclass(frozen=True, slots=True)
class ChatInspectOptions:
    """Seeing what each answer is made of."""

    context_only: ContextOnlyOption = False
    show_prompt: ShowPromptOption = False
    show_reasoning: ShowReasoningOption = False
    explain: ExplainOption = False


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What ``chat`` takes."""

    where: WhereOptions
    retrieval: RetrievalOptions
    output: ChatOutputOptions
    limits: LimitOptions
    models: ModelOptions
    session: SessionOptions
    inspect: ChatInspectOptions

    def of_each_question(self) -> AskOptions:
        """The same flags as each question takes them."""
        output, inspect = self.output, self.inspect
        return AskOptions(
            self.where,
            self.retrieval,
            OutputOptions(
                format=output.format,
                stream=output.stream,
                sources=output.sources,
                usage=output.usage,
                quiet=output.quiet,
                verbose=output.verbose,
                debug=output.debug,
            ),
            self.limits,
            self.models,
            self.session,
            InspectOptions(
                context_only=inspect.context_only,
                show_prompt=inspect.show_prompt,
                show_reasoning=inspect.show_reasoning,
                explain=inspect.explain,
            ),
        )
