"""global: reads the reports of a level in batches side by side, then writes one answer from their key points.

The method of Edge et al., "From Local to Global: A Graph RAG Approach to Query-Focused Summarization" (2024).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from graphrag_cli.context.ranked import Scored, best_first
from graphrag_cli.context.reports import ReportBatch, batch_reports, summarise, weigh
from graphrag_cli.engines.coverage import homeless, no_reports
from graphrag_cli.engines.global_.mapping import MapStage
from graphrag_cli.engines.global_.rating import Rating
from graphrag_cli.engines.pump import Emit, pump
from graphrag_cli.engines.reduce import ReduceStage, reduce_ranked
from graphrag_cli.engines.run import NO_DATA, Run, call_params
from graphrag_cli.engines.shrink import room_in_window
from graphrag_cli.events import ContextBuilt, ContextRecord, Event, Method, StageProgress, TextDelta

if TYPE_CHECKING:
    from graphrag_cli.config.settings import GlobalSearchSettings
    from graphrag_cli.engines.base import Question, Toolbox
    from graphrag_cli.index.snapshot import Rows

NO_POINTS = "(No key point was found.)"
"""Stands for the key points where there are none and general knowledge is allowed."""


class GlobalSearch:
    """Map over all reports of a level (or those that rating chose), reduce to one answer."""

    method: Method = "global"

    def __init__(self, tools: Toolbox, settings: GlobalSearchSettings, concurrent_requests: int) -> None:
        self._tools = tools
        self._settings = settings
        self._map_concurrency = settings.concurrency or concurrent_requests
        self._rate_concurrency = settings.dynamic_search_concurrent_coroutines or concurrent_requests

    async def stream(self, question: Question) -> AsyncIterator[Event]:
        """See ``Engine.stream``."""
        run = Run(self.method, question, self._tools)
        run.meter.keep_for_answer()
        async with aclosing(run.opening()) as opening:
            async for event in opening:
                yield event
        async with aclosing(pump(partial(self._answer, run))) as events:
            async for event in events:
                yield event

    async def _answer(self, run: Run, emit: Emit) -> None:
        await asyncio.to_thread(self._look, run, emit)
        rows = await self._choose(run, emit)
        mapping = MapStage(run, emit, self._settings, self._map_concurrency)
        emit(StageProgress("context"))
        params = call_params(self._settings.map_call_args)
        budget = min(self._settings.max_context_tokens, room_in_window(run, mapping.prompt(""), 0, params))
        with run.timed("context"):
            batches = await asyncio.to_thread(self._batches, rows, run.question.seed, budget)
        records = [record for batch in batches for record in batch.bundle.records]
        if run.question.context_only:
            self._show(run, emit, mapping, batches)
            status = "answered" if records else "no_data"
            emit(run.finished(records, summarise(batches), status=status, text=""))
            return
        points = best_first(await mapping.points(batches), min_score=0) if batches else []
        await self._reduce(run, emit, points, batches, records)

    def _look(self, run: Run, emit: Emit) -> None:
        """Tells what the reports leave out. Raises ``IndexDataError`` when none of them can be used."""
        problem = no_reports(self._tools.snapshot, run.question.community_level)
        if problem is not None:
            raise problem
        text = homeless(self._tools.snapshot)
        if text is not None:
            emit(run.notice("entities.homeless", text))

    async def _choose(self, run: Run, emit: Emit) -> Rows:
        """Report rows to read."""
        if run.question.dynamic:
            rater = self._tools.rater
            chat = run.chat if rater is None else run.meter.chat(rater)
            return await Rating(run, emit, self._settings, self._rate_concurrency, chat).choose()
        emit(StageProgress("select"))
        level = run.question.community_level
        rows = await asyncio.to_thread(self._tools.snapshot.report_rows_at, level)
        missing = self._tools.snapshot.communities_without_report(level)
        if missing:
            text = f"{missing} communities of level {level} have no report and cannot be read."
            emit(run.notice("reports.missing", text))
        return rows

    def _batches(self, rows: Rows, seed: int, budget: int) -> list[ReportBatch]:
        snapshot = self._tools.snapshot
        weighed = weigh(snapshot.reports(rows), snapshot.occurrence_weights(rows))
        return batch_reports(weighed, seed, budget, self._tools.tokens)

    def _show(self, run: Run, emit: Emit, mapping: MapStage, batches: Sequence[ReportBatch]) -> None:
        """What would be sent, batch by batch."""
        for number, batch in enumerate(batches, start=1):
            bundle = batch.bundle
            system = mapping.prompt(bundle.text)
            emit(ContextBuilt(bundle.records, bundle.summaries, bundle.tokens, system, f"map/{number}"))

    async def _reduce(
        self,
        run: Run,
        emit: Emit,
        points: Sequence[Scored],
        batches: Sequence[ReportBatch],
        records: Sequence[ContextRecord],
    ) -> None:
        settings = self._settings
        sections = summarise(batches)
        if not points and not settings.allow_general_knowledge:
            emit(TextDelta(NO_DATA))
            status = "partial" if run.failed else "no_data"
            emit(run.finished(records, sections, status=status, text=NO_DATA))
            return
        stage = ReduceStage(
            label="Point",
            budget=settings.data_max_tokens,
            max_turns=settings.conversation_history_max_turns,
            params=call_params(settings.reduce_call_args),
            prompt=lambda text: self._reduce_prompt(run, text or NO_POINTS),
        )
        await reduce_ranked(run, emit, stage, points, (records, sections))
        emit(run.finished(records, sections))

    def _reduce_prompt(self, run: Run, points: str) -> str:
        prompts, settings = self._tools.prompts, self._settings
        text = prompts["global_reduce"].fill(
            report_data=points,
            response_type=run.question.response_type,
            max_length=str(settings.reduce_max_length),
        )
        return f"{text}\n\n{prompts['global_knowledge'].text}" if settings.allow_general_knowledge else text
