"""basic: plain vector search over text units, one call. The smallest whole path from question to answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from graphrag_cli.context.basic import build_basic_context
from graphrag_cli.engines.run import Run, call_params
from graphrag_cli.engines.shrink import write_fitting
from graphrag_cli.events import Event, Method, StageProgress
from graphrag_cli.index.snapshot import as_rows

if TYPE_CHECKING:
    from graphrag_cli.config.settings import BasicSearchSettings
    from graphrag_cli.engines.base import Question, Toolbox
    from graphrag_cli.index.snapshot import Rows


class BasicSearch:
    """Embeds the question, sends the ``k`` nearest text units that fit, streams the answer."""

    method: Method = "basic"

    def __init__(self, tools: Toolbox, settings: BasicSearchSettings) -> None:
        self._tools = tools
        self._settings = settings

    async def stream(self, question: Question) -> AsyncIterator[Event]:
        """See ``Engine.stream``."""
        run = Run(self.method, question, self._tools)
        async with aclosing(run.opening()) as opening:
            async for event in opening:
                yield event
        yield StageProgress("retrieve")
        rows, similarities = await self._nearest(run)
        if not len(rows):
            for event in run.nothing_found():
                yield event
            return

        events = write_fitting(
            run,
            self._settings.max_context_tokens,
            lambda budget: asyncio.to_thread(
                build_basic_context, self._tools.snapshot, rows, similarities, budget, self._tools.tokens
            ),
            lambda context: self._tools.prompts["basic"].fill(
                context_data=context, response_type=question.response_type
            ),
            self._settings.conversation_history_max_turns,
            call_params(self._settings.call_args),
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def _nearest(self, run: Run) -> tuple[Rows, list[float]]:
        """Rows of the nearest text units, most similar first, and their similarities."""
        snapshot, filters = self._tools.snapshot, run.question.filters
        table = self._tools.vectors.open("text_unit_text")
        allowed = snapshot.text_unit_rows_matching(filters.documents, filters.since, filters.until)
        only = None if allowed is None else snapshot.text_unit_ids(allowed)
        if only is not None and not only:
            return as_rows([]), []
        vectors = await run.embed([run.query], table)
        (hits,) = await run.search(table, vectors, self._settings.k, only)
        rows = snapshot.text_unit_rows_by_id(hits.ids)
        near = [
            (row, similarity)
            for row, similarity in zip(rows.tolist(), hits.similarities, strict=True)
            if row >= 0 and similarity >= self._settings.min_similarity
        ]
        return as_rows([row for row, _ in near]), [similarity for _, similarity in near]
