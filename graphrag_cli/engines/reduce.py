"""The last step of global and DRIFT: scored texts, best first, into one streamed answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.context.ranked import RankedText, Scored, fit_ranked
from graphrag_cli.engines.shrink import MAX_SHRINKS, room_in_window
from graphrag_cli.errors import CliError, ContextLengthError, DeadlineError, LimitError, ModelError
from graphrag_cli.events import ContextBuilt, ContextRecord, SectionSummary, StageProgress, TextDelta
from graphrag_cli.llm.base import Message

if TYPE_CHECKING:
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.engines.run import Run
    from graphrag_cli.llm.base import CallParams


@dataclass(frozen=True, slots=True)
class ReduceStage:
    """How scored texts become an answer. ``label`` names one of them in the prompt."""

    label: str
    budget: int
    max_turns: int
    params: CallParams
    prompt: Callable[[str], str]
    """The system prompt around the texts."""


async def reduce_ranked(
    run: Run,
    emit: Emit,
    stage: ReduceStage,
    items: Sequence[Scored],
    shown: tuple[Sequence[ContextRecord], tuple[SectionSummary, ...]],
) -> None:
    """Streams the answer to ``emit``; ``run.written`` has it in the end.

    ``items`` come best first; ``shown`` are the rows they rest on. When the model finds the prompt too long, the
    budget is halved, with a notice. When the call fails all the same, or a limit or the deadline forbids it, the
    texts themselves are the answer, said to be such, and the run is partial: what was paid for is shown. Raises
    ``CliError`` when there are none.
    """
    turns = run.turns(stage.max_turns, run.tools.history_tokens)
    spent = sum(run.tools.tokens.count(turn.content) for turn in turns)
    budget = min(stage.budget, room_in_window(run, stage.prompt(""), spent, stage.params))
    ranked = whole = fit_ranked(items, stage.label, budget, run.tools.tokens)
    for shrinks in range(MAX_SHRINKS + 1):
        system = stage.prompt(ranked.text)
        emit(ContextBuilt(tuple(shown[0]), shown[1], ranked.tokens, system))
        emit(StageProgress("reduce"))
        messages = (Message("system", system), *turns, Message("user", run.query))
        try:
            async for event in run.write(messages, "reduce", stage.params):
                emit(event)
        except ContextLengthError as error:
            shorter = fit_ranked(items, stage.label, ranked.tokens // 2, run.tools.tokens)
            if shrinks < MAX_SHRINKS and shorter.included:
                ranked = shorter
                emit(run.notice("reduce.shortened", _shortened(ranked.tokens)))
                continue
            _write_as_found(run, emit, whole, error)
        except (ModelError, LimitError, DeadlineError) as error:
            _write_as_found(run, emit, whole, error)
        return


def _shortened(tokens: int) -> str:
    return f"The prompt is longer than the model's window; trying again with {tokens} tokens of findings."


def _write_as_found(run: Run, emit: Emit, ranked: RankedText, error: CliError) -> None:
    """Makes the texts themselves the answer; raises ``error`` when there are none."""
    if not ranked.included:
        raise error
    text = as_found(ranked, error.message)
    run.failed.append(f"reduce: {error.message}")
    emit(run.notice("reduce.skipped", f"The answer was not written: {error.message}"))
    run.written.text = text
    run.written.whole = False
    emit(TextDelta(text))


def as_found(ranked: RankedText, why: str) -> str:
    """What was found, best first, as Markdown that says what it is."""
    findings = "\n\n".join(item.text.strip() for item in ranked.included)
    return f"*No answer was written from these findings, because {why}. They are given as found, best first.*\n\n{findings}"
