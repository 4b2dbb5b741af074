"""drift: from an overview of the nearest reports, through levels of follow-up questions, to one answer.

DRIFT (dynamic reasoning and inference with flexible traversal) is described in Microsoft Research's blog post
"Introducing DRIFT Search" (2024).

    HyDE ─► nearest reports ─► primer folds ─► root ─► follow-ups, level by level ─► reduce
                                                        (``frontier`` decides, ``steps`` runs)

Each question gets its own ``QueryState``; the engine keeps nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.context.bundle import merge_summaries
from graphrag_cli.context.ranked import Scored, best_first
from graphrag_cli.engines.coverage import no_reports
from graphrag_cli.engines.drift.contexts import StepContexts
from graphrag_cli.engines.drift.frontier import Frontier
from graphrag_cli.engines.drift.header import differences, header_of, policy_of, recorded
from graphrag_cli.engines.drift.nearest import NearestReports
from graphrag_cli.engines.drift.primer import Fold, Primer
from graphrag_cli.engines.drift.recall import open_questions, recall
from graphrag_cli.engines.drift.selection import QuestionSpace
from graphrag_cli.engines.drift.state import QueryState, replace_settings
from graphrag_cli.engines.drift.steps import Steps
from graphrag_cli.engines.local import units_allowed
from graphrag_cli.engines.pump import Emit, pump
from graphrag_cli.engines.reduce import ReduceStage, reduce_ranked
from graphrag_cli.engines.run import NO_DATA, Run
from graphrag_cli.errors import CliError, DeadlineError, LimitError, UsageError
from graphrag_cli.events import (
    ContextRecord,
    Event,
    Method,
    SectionSummary,
    StageProgress,
    StateChanged,
    TextDelta,
)
from graphrag_cli.llm.base import CallParams

if TYPE_CHECKING:
    from graphrag_cli.config.settings import DriftSearchSettings
    from graphrag_cli.engines.base import Question, Toolbox
    from graphrag_cli.engines.drift.action import DriftAction
    from graphrag_cli.index.snapshot import Rows


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the asking came to: the graph of questions, and what all its calls together were shown."""

    state: QueryState
    records: Sequence[ContextRecord]
    sections: tuple[SectionSummary, ...]
    causes: Sequence[CliError]
    """Why steps failed, in the order of the graph; a limit last."""


class DriftSearch:
    """A primer over the nearest reports, follow-up questions as local searches, one answer from all of them."""

    method: Method = "drift"

    def __init__(self, tools: Toolbox, settings: DriftSearchSettings) -> None:
        self._tools = tools
        self._settings = settings

    async def stream(self, question: Question) -> AsyncIterator[Event]:
        """See ``Engine.stream``. Raises ``UsageError`` when ``question.resume`` is no state of this question."""
        state = None if question.resume is None else resumable(question)
        run = Run(self.method, question, self._tools)
        run.meter.keep_for_answer()
        if state is not None and state.header.asked is not None:
            run.standalone = state.header.query
        async with aclosing(run.opening()) as opening:
            async for event in opening:
                yield event
        async with aclosing(pump(partial(self._answer, run, state))) as events:
            async for event in events:
                yield event

    async def _answer(self, run: Run, resumed: QueryState | None, emit: Emit) -> None:
        contexts = await asyncio.to_thread(self._contexts, run.question)
        if resumed is not None and resumed.root is not None:
            outcome = await self._go_on(run, emit, contexts, resumed)
        else:
            outcome = await self._begin(run, emit, contexts)
        if outcome is not None:
            await self._reduce(run, emit, outcome)

    # -- asking -----------------------------------------------------------------------------------------------

    def _contexts(self, question: Question) -> StepContexts:
        """Opens the vectors of entities, checked before any model is called."""
        entities = self._tools.vectors.open("entity_description")
        return StepContexts(self._tools, question, self._settings, entities)

    async def _begin(self, run: Run, emit: Emit, contexts: StepContexts) -> Outcome | None:
        """From HyDE to the last step; None when only the context was wanted."""
        emit(StageProgress("select"))
        problem = await asyncio.to_thread(no_reports, self._tools.snapshot, run.question.community_level)
        if problem is not None:
            emit(run.notice("reports.unusable", f"The primer has no reports to read: {problem.message}."))
        rows = await asyncio.to_thread(self._reports, run)
        nearest = await NearestReports(run, emit, self._settings, contexts.entities).find(rows)
        primer = Primer(run, emit, self._settings)
        folds = primer.folds(nearest)
        if run.question.context_only:
            self._show(run, emit, primer, folds)
            return None
        async with asyncio.TaskGroup() as group:
            primed = group.create_task(primer.root(folds))
            group.create_task(asyncio.to_thread(contexts.warm, nearest.question))
        root = primed.result()
        state = QueryState(header_of(run, self._settings))
        frontier = Frontier(
            state, policy_of(self._settings, run.question.seed), QuestionSpace(nearest.question)
        )
        steps = Steps(run, emit, self._settings, contexts, frontier)
        limit = next((e for e in primer.failures.values() if isinstance(e, LimitError | DeadlineError)), None)
        if limit is not None:
            steps.stop(limit)
        await steps.run_from(root)
        records = [record for fold in folds for record in fold.bundle.records]
        sections = tuple(summary for fold in folds for summary in fold.bundle.summaries)
        causes = [primer.failures[number] for number in sorted(primer.failures)]
        for number in sorted(primer.failures):
            run.failed.append(f"primer fold {number}: {primer.failures[number].message}")
        return self._outcome(emit, steps, frontier, Outcome(state, records, sections, causes))

    async def _go_on(self, run: Run, emit: Emit, contexts: StepContexts, state: QueryState) -> Outcome:
        """Asks what a loaded state left open and what the settings now add."""
        emit(StageProgress("resume"))
        now = recorded(run.question, self._settings)
        others = differences(state.header.settings, now)
        if others:
            text = f"The run that is resumed had other settings ({'; '.join(others)}); its answers are kept."
            emit(run.notice("resume.differs", text))
        replace_settings(state, now)
        questions = open_questions(state)
        embedded = await run.embed([state.header.query, *questions], contexts.entities)
        space = QuestionSpace(embedded[0])
        frontier = Frontier(state, policy_of(self._settings, state.header.seed), space)
        before = [
            record
            for action in state.actions
            for record in recall(self._tools.snapshot, action.metadata.context)
        ]
        steps = Steps(run, emit, self._settings, contexts, frontier)
        vectors = dict(zip(questions, np.asarray(embedded[1:]), strict=True))
        await steps.run_on(frontier.resume(vectors))
        return self._outcome(emit, steps, frontier, Outcome(state, before, (), []))

    def _outcome(self, emit: Emit, steps: Steps, frontier: Frontier, before: Outcome) -> Outcome:
        """``before`` with what the steps add to it; closes the graph unless a limit left questions out."""
        state = before.state
        if steps.stopped is None:
            frontier.close()
        emit(StateChanged(state.serialize()))
        causes = [steps.failures[action.id] for action in state.actions if action.id in steps.failures]
        stopped = [] if steps.stopped is None else [steps.stopped]
        return Outcome(
            state,
            [*before.records, *steps.records()],
            merge_summaries([*before.sections, *steps.sections()]),
            [*before.causes, *causes, *stopped],
        )

    def _reports(self, run: Run) -> Rows:
        """Reports that the primer may use: those of the level, with filters those of what they leave."""
        snapshot, level = self._tools.snapshot, run.question.community_level
        units = units_allowed(snapshot, run.question)
        entities = snapshot.entity_rows_matching(run.question.filters.entity_types, units)
        if entities is None:
            return snapshot.report_rows_at(level)
        communities = np.unique(snapshot.communities_of(entities, level))
        rows = snapshot.report_rows_by_community(communities[communities >= 0])
        rows = np.sort(rows[rows >= 0])
        return rows if units is None else rows[snapshot.within("reports", rows, units)]

    def _show(self, run: Run, emit: Emit, primer: Primer, folds: Sequence[Fold]) -> None:
        """Ends a run that only wanted the context: what the primer would be sent."""
        primer.show(folds)
        records = [record for fold in folds for record in fold.bundle.records]
        sections = merge_summaries(summary for fold in folds for summary in fold.bundle.summaries)
        status = "answered" if records else "no_data"
        emit(run.finished(records, sections, status=status, text=""))

    # -- answering --------------------------------------------------------------------------------------------

    async def _reduce(self, run: Run, emit: Emit, outcome: Outcome) -> None:
        settings, state = self._settings, outcome.state
        answered = [action for action in state.actions if action.state == "answered"]
        if not answered and outcome.causes:
            raise outcome.causes[0]
        run.failed += failure_lines(state, outcome.causes)
        items = best_first([scored(action) for action in answered], settings.reduce_min_score)
        if not items:
            emit(TextDelta(NO_DATA))
            status = "partial" if run.failed else "no_data"
            drift = state.serialize()
            emit(run.finished(outcome.records, outcome.sections, status=status, text=NO_DATA, drift=drift))
            return
        stage = ReduceStage(
            label="Answer",
            budget=settings.data_max_tokens,
            max_turns=settings.conversation_history_max_turns,
            params=reduce_params(settings),
            prompt=lambda text: self._tools.prompts["drift_reduce"].fill(
                context_data=text, response_type=run.question.response_type
            ),
        )
        await reduce_ranked(run, emit, stage, items, (outcome.records, outcome.sections))
        emit(run.finished(outcome.records, outcome.sections, drift=state.serialize()))


def resumable(question: Question) -> QueryState:
    """The state that ``question`` goes on from, put as it was or as a conversation made it stand alone.

    Raises ``UsageError`` when it is none, or of another question.
    """
    state = QueryState.deserialize(question.resume)
    put = state.header.asked or state.header.query
    if question.text.strip() not in {put.strip(), state.header.query.strip()}:
        raise UsageError(
            f"the DRIFT state is of another question: {put!r}",
            hint="resume with that question, or ask the new one without --resume",
        )
    return state


def scored(action: DriftAction) -> Scored:
    """An answered action as a text for the reduce prompt."""
    text = f"Question: {action.query}\n\n{action.answer}"
    return Scored(text, action.score or 0.0, (action.order or 0,), action.id)


def reduce_params(settings: DriftSearchSettings) -> CallParams:
    """Parameters of the call that writes the answer."""
    return CallParams(
        temperature=settings.reduce_temperature,
        max_tokens=settings.reduce_max_tokens,
        max_completion_tokens=settings.reduce_max_completion_tokens,
    )


def failure_lines(state: QueryState, causes: Sequence[CliError]) -> list[str]:
    """A line for each action that failed, in this run or before it was resumed, and for a limit that ended the asking."""
    failed = [action for action in state.actions if action.state == "failed" and action is not state.root]
    lines = [f"{action.id} ({action.query}): {action.error}" for action in failed]
    return lines + [cause.message for cause in causes if isinstance(cause, LimitError | DeadlineError)][:1]
