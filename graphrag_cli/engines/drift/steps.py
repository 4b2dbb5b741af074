"""The levels of follow-ups: each action a local search that answers and asks on, side by side, without a barrier.

What may start is the ``Frontier``'s to say; this module runs it, and sees to it that a step that fails costs
itself only and that a limit ends the asking, not the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_cli.engines.drift.action import ActionMetadata, DriftAction
from graphrag_cli.engines.drift.selection import questions_to_ask_for
from graphrag_cli.engines.drift.tally import Tally
from graphrag_cli.engines.shrink import MAX_SHRINKS, room_in_window
from graphrag_cli.engines.threads import searched
from graphrag_cli.errors import CliError, ContextLengthError, DeadlineError, LimitError, ModelError
from graphrag_cli.events import (
    ContextBuilt,
    ContextRecord,
    Dataset,
    SectionSummary,
    StageProgress,
    StateChanged,
    StepFinished,
    StepStarted,
)
from graphrag_cli.llm.base import CallParams, ChatRequest, Message
from graphrag_cli.llm.replies import StepReply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.config.settings import DriftSearchSettings
    from graphrag_cli.context.bundle import ContextBundle
    from graphrag_cli.engines.drift.contexts import StepContexts
    from graphrag_cli.engines.drift.frontier import Frontier
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.engines.run import Run
    from graphrag_cli.llm.base import ChatModel


BUILDERS = 2
"""Contexts built at a time. That is mostly Python, so more threads would only make all of a level late together."""


class Steps:
    """All steps of one question."""

    def __init__(
        self, run: Run, emit: Emit, settings: DriftSearchSettings, contexts: StepContexts, frontier: Frontier
    ) -> None:
        self._run = run
        self._emit = emit
        self._settings = settings
        self._build = contexts
        self._frontier = frontier
        self._gate = asyncio.Semaphore(settings.concurrency)
        self._builders = asyncio.Semaphore(BUILDERS)
        self._asked = 0
        self._done = 0
        self.stopped: LimitError | DeadlineError | None = None
        """What ended the asking early."""
        self.failures: dict[str, CliError] = {}
        """By action."""
        self.contexts: dict[str, ContextBundle] = {}
        """By action."""

    async def run_from(self, root: DriftAction) -> None:
        """Asks what ``root`` raised and everything that follows from it."""
        vectors = await self._follow_up_vectors(root) if self.stopped is None else None
        if self.stopped is None:
            await self.run_on(self._frontier.start(root, vectors))
        else:
            self._frontier.hold(root)

    async def run_on(self, first: Sequence[DriftAction]) -> None:
        """Asks ``first`` and everything that follows from it."""
        self._emit(StateChanged(self._frontier.state.serialize()))
        with self._run.timed("step"):
            async with asyncio.TaskGroup() as group:
                self._start(group, first)

    def records(self) -> list[ContextRecord]:
        """Rows sent to any step, in the order of the actions."""
        in_order = [action.id for action in self._frontier.state.actions if action.id in self.contexts]
        return [record for action_id in in_order for record in self.contexts[action_id].records]

    def sections(self) -> list[SectionSummary]:
        """How the sections of each step used their shares."""
        return [summary for bundle in self.contexts.values() for summary in bundle.summaries]

    # -- one step ---------------------------------------------------------------------------------------------

    def _start(self, group: asyncio.TaskGroup, actions: Sequence[DriftAction]) -> None:
        self._asked += len(actions)
        for action in actions:
            group.create_task(self._step(group, action))

    async def _step(self, group: asyncio.TaskGroup, action: DriftAction) -> None:
        async with self._gate:
            if self.stopped is not None:
                return
            self._emit(self._started(action))
            began = time.perf_counter()
            tally = Tally(self._run.chat)
            try:
                await self._answer(tally, action)
            except (LimitError, DeadlineError) as error:
                self.stop(error)
                return
            except ModelError as error:
                self._fail(action, error)
            action.metadata = self._metadata(action, tally, time.perf_counter() - began)
        vectors = await self._follow_up_vectors(action)
        self._done += 1
        self._emit(finished_event(action))
        if self.stopped is None:  # else the answer is kept and read when the run is resumed
            self._start(group, self._frontier.finished(action, vectors))
        self._emit(StateChanged(self._frontier.state.serialize()))
        self._emit(StageProgress("step", self._done, self._asked, f"level {action.level}"))

    async def _answer(self, chat: ChatModel, action: DriftAction) -> None:
        params = step_params(self._settings)
        budget = self._settings.local_search_max_data_tokens
        budget = min(budget, room_in_window(self._run, self._prompt(""), 0, params))
        vector = self._frontier.vector_of(action)
        matches = await searched(lambda: self._build.matches(vector))
        for shrinks in range(MAX_SHRINKS + 1):
            async with self._builders:
                bundle = await asyncio.to_thread(self._build, matches, budget)
            if bundle.is_empty:
                action.record_nothing("nothing in the index is near this question")
                return
            system = self._prompt(bundle.text)
            self.contexts[action.id] = bundle
            self._emit(ContextBuilt(bundle.records, bundle.summaries, bundle.tokens, system, action.id))
            messages = (Message("system", system), Message("user", action.query))
            request = ChatRequest(messages, "step", StepReply, params)
            try:
                reply = await self._run.ask(request, StepReply, self._emit, action.id, chat)
            except ContextLengthError:
                if shrinks == MAX_SHRINKS:
                    raise
                budget = bundle.tokens // 2
                text = f"A step is longer than the model's window; trying {budget} tokens of context."
                self._emit(self._run.notice("step.shortened", text))
                continue
            action.record_answer(reply.response, reply.score, reply.follow_up_queries[: self._followups])
            return

    def _prompt(self, context: str) -> str:
        return self._run.tools.prompts["drift_local"].fill(
            context_data=context,
            response_type=self._run.question.response_type,
            global_query=self._run.query,
            followups=str(self._followups),
        )

    @property
    def _followups(self) -> int:
        places = self._settings.drift_k_followups
        return questions_to_ask_for(places, len(self._frontier.state.asked_at(1)))

    async def _follow_up_vectors(self, action: DriftAction) -> NDArray[np.float32] | None:
        """One request for all follow-ups of an action; None when there is nothing to embed or it fails."""
        new = [child.query for child in action.follow_ups if not child.id]
        if not new or not self._frontier.needs_vectors(action):
            return None
        try:
            return await self._run.embed(new, self._build.entities)
        except (LimitError, DeadlineError) as error:
            self.stop(error)
        except ModelError as error:
            text = f"{len(new)} follow-up questions could not be embedded: {error.message}"
            self._emit(self._run.notice("step.not_embedded", text))
        return None

    # -- endings ----------------------------------------------------------------------------------------------

    def _fail(self, action: DriftAction, error: ModelError) -> None:
        action.record_failure(error.message)
        self.failures[action.id] = error
        self._emit(self._run.notice("step.failed", f"A follow-up question failed: {error.message}"))

    def stop(self, error: LimitError | DeadlineError) -> None:
        """Starts nothing more; what is under way may end."""
        if self.stopped is None:
            self.stopped = error
            self._emit(self._run.notice("drift.stopped", f"No further questions are asked: {error.message}"))

    def _metadata(self, action: DriftAction, tally: Tally, seconds: float) -> ActionMetadata:
        bundle = self.contexts.get(action.id)
        return ActionMetadata(
            tally.calls,
            tally.prompt_tokens,
            tally.output_tokens,
            seconds,
            context_ids(bundle.records if bundle else ()),
        )

    def _parent_ids(self, action: DriftAction) -> tuple[str, ...]:
        return tuple(parent.id for parent in self._frontier.state.parents(action))

    def _started(self, action: DriftAction) -> StepStarted:
        return StepStarted(action.id, "step", action.query, action.depth, self._parent_ids(action))


def step_params(settings: DriftSearchSettings) -> CallParams:
    """Parameters of a step's call."""
    return CallParams(
        temperature=settings.local_search_temperature,
        top_p=settings.local_search_top_p,
        n=settings.local_search_n,
        max_tokens=settings.local_search_llm_max_gen_tokens,
        max_completion_tokens=settings.local_search_llm_max_gen_completion_tokens,
    )


def context_ids(records: Sequence[ContextRecord]) -> dict[Dataset, tuple[str, ...]]:
    """Ids of the rows, as printed, by dataset."""
    found: dict[Dataset, list[str]] = {}
    for record in records:
        found.setdefault(record.dataset, []).append(record.id)
    return {dataset: tuple(ids) for dataset, ids in found.items()}


def finished_event(action: DriftAction) -> StepFinished:
    """How a step ended, as an event."""
    state = "failed" if action.state == "failed" else "answered" if action.state == "answered" else "empty"
    return StepFinished(
        action.id,
        "step",
        state,
        action.query,
        action.answer or "",
        action.score,
        action.depth,
        tuple(child.query for child in action.follow_ups),
        action.error,
        round(action.metadata.seconds, 3),
    )
