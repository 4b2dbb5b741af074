"""The primer: the nearest reports in folds, one call each, folded into the root of the graph."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.context.drift import build_fold, split_folds
from graphrag_cli.engines.drift.action import ActionMetadata, DriftAction
from graphrag_cli.engines.drift.selection import questions_to_ask_for
from graphrag_cli.engines.drift.tally import Tally
from graphrag_cli.engines.shrink import room_in_window
from graphrag_cli.errors import CliError, ContextLengthError, DeadlineError, LimitError, ModelError
from graphrag_cli.events import ContextBuilt, StageProgress, StepFinished, StepStarted
from graphrag_cli.llm.base import CallParams, ChatRequest, Message
from graphrag_cli.llm.replies import PrimerReply

if TYPE_CHECKING:
    from graphrag_cli.config.settings import DriftSearchSettings
    from graphrag_cli.context.bundle import ContextBundle
    from graphrag_cli.engines.drift.nearest import Nearest
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.engines.run import Run
    from graphrag_cli.llm.base import ChatModel

ANSWER_BREAK = "\n\n"
MAX_HALVINGS = 3
"""A fold that the model finds too long is halved at most so often."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The reports of one primer call, as they are sent."""

    number: int
    nearest: Nearest
    members: range
    bundle: ContextBundle

    @property
    def name(self) -> str:
        """Id of its step."""
        return f"primer/{self.number}"


def merge_folds(query: str, replies: Sequence[PrimerReply]) -> DriftAction:
    """The root: answers joined in the order of the folds, score the mean, follow-ups in turn from each fold.

    Taking them in turn keeps one talkative fold from coming first with all of its questions. When no fold asks
    anything, the question itself is the only follow-up: reports alone are not all that can be looked at.
    """
    root = DriftAction(query)
    usable = [reply for reply in replies if reply.intermediate_answer.strip() or reply.follow_up_queries]
    answers = [reply.intermediate_answer.strip() for reply in usable if reply.intermediate_answer.strip()]
    longest = max((len(reply.follow_up_queries) for reply in usable), default=0)
    follow_ups = [
        reply.follow_up_queries[at]
        for at in range(longest)
        for reply in usable
        if at < len(reply.follow_up_queries)
    ]
    score = sum(reply.score for reply in usable) / len(usable) if usable else 0.0
    root.record_answer(ANSWER_BREAK.join(answers), round(score, 2), follow_ups)
    if not root.follow_ups:
        root.follow_ups = [DriftAction(query)]
    return root


class Primer:
    """The primer of one question."""

    def __init__(self, run: Run, emit: Emit, settings: DriftSearchSettings) -> None:
        self._run = run
        self._emit = emit
        self._settings = settings
        self._gate = asyncio.Semaphore(settings.concurrency)
        self._done = 0
        self.failures: dict[int, CliError] = {}
        """By fold."""

    def folds(self, nearest: Nearest) -> list[Fold]:
        """The calls to make; none when there are no reports."""
        if not nearest.reports:
            return []
        parts = split_folds(len(nearest.reports), self._settings.primer_folds)
        most = self._settings.primer_llm_max_tokens
        budget = min(most, room_in_window(self._run, self._prompt("", len(parts)), 0, CallParams()))
        return [
            Fold(number, nearest, part, self._bundle(nearest, part, budget))
            for number, part in enumerate(parts, start=1)
        ]

    def show(self, folds: Sequence[Fold]) -> None:
        """Tells what would be sent."""
        for fold in folds:
            self._tell(fold, self._prompt(fold.bundle.text, len(folds)))

    async def root(self, folds: Sequence[Fold]) -> DriftAction:
        """Makes the calls and folds them into the root action. Never raises ``ModelError``: ``failures`` has them."""
        began = time.perf_counter()
        tally = Tally(self._run.chat)
        self._progress(len(folds))
        with self._run.timed("primer"):
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._read(tally, fold, len(folds))) for fold in folds]
        replies = [reply for task in tasks if (reply := task.result()) is not None]
        root = merge_folds(self._run.query, replies)
        context = [record.id for fold in folds for record in fold.bundle.records]
        root.metadata = ActionMetadata(
            tally.calls,
            tally.prompt_tokens,
            tally.output_tokens,
            time.perf_counter() - began,
            {"reports": tuple(context)} if context else {},
        )
        if folds and len(self.failures) == len(folds):
            root.record_failure(self.failures[min(self.failures)].message)
        return root

    async def _read(self, chat: ChatModel, fold: Fold, folds: int) -> PrimerReply | None:
        began = time.perf_counter()
        self._emit(StepStarted(fold.name, "primer", self._run.query))
        reply: PrimerReply | None = None
        error: str | None = None
        try:
            async with self._gate:
                reply = await self._ask(chat, fold, folds)
        except (ModelError, LimitError, DeadlineError) as cause:
            self.failures[fold.number] = cause
            error = cause.message
            self._emit(self._run.notice("primer.failed", f"Primer fold {fold.number} failed: {error}"))
        self._done += 1
        self._emit(
            StepFinished(
                fold.name,
                "primer",
                "failed" if reply is None else "answered",
                self._run.query,
                reply.intermediate_answer if reply else "",
                reply.score if reply else None,
                follow_ups=reply.follow_up_queries if reply else (),
                error=error,
                seconds=round(time.perf_counter() - began, 3),
            )
        )
        self._progress(folds)
        return reply

    async def _ask(self, chat: ChatModel, fold: Fold, folds: int) -> PrimerReply:
        for halvings in range(MAX_HALVINGS + 1):
            system = self._prompt(fold.bundle.text, folds)
            self._tell(fold, system)
            messages = (Message("system", system), Message("user", self._run.query))
            try:
                request = ChatRequest(messages, "primer", PrimerReply)
                reply = await self._run.ask(request, PrimerReply, self._emit, fold.name, chat)
            except ContextLengthError:
                if halvings == MAX_HALVINGS:
                    raise
                budget = fold.bundle.tokens // 2
                bundle = self._bundle(fold.nearest, fold.members, budget)
                fold = Fold(fold.number, fold.nearest, fold.members, bundle)
                text = f"Primer fold {fold.number} is longer than the model's window; trying {budget} tokens."
                self._emit(self._run.notice("primer.shortened", text))
                continue
            asked = questions_to_ask_for(self._settings.drift_k_followups, folds)
            return reply.model_copy(update={"follow_up_queries": reply.follow_up_queries[:asked]})
        raise AssertionError("unreachable")

    def _bundle(self, nearest: Nearest, members: range, budget: int) -> ContextBundle:
        reports = [nearest.reports[at] for at in members]
        similarities = [nearest.similarities[at] for at in members]
        return build_fold(reports, similarities, budget, self._run.tools.tokens)

    def _prompt(self, context: str, folds: int) -> str:
        return self._run.tools.prompts["drift_primer"].fill(
            query=self._run.query,
            community_reports=context,
            followups=str(questions_to_ask_for(self._settings.drift_k_followups, folds)),
        )

    def _tell(self, fold: Fold, system: str) -> None:
        bundle = fold.bundle
        self._emit(ContextBuilt(bundle.records, bundle.summaries, bundle.tokens, system, fold.name))

    def _progress(self, folds: int) -> None:
        self._emit(StageProgress("primer", self._done, folds))
