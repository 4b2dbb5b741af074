"""local: the neighbourhood of the entities nearest to the question, in one context window, one call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.context.local import LocalShares, Matches, build_local_context
from graphrag_cli.engines.coverage import no_reports
from graphrag_cli.engines.run import Run, call_params
from graphrag_cli.engines.shrink import write_fitting
from graphrag_cli.events import Event, Method, StageProgress
from graphrag_cli.index.snapshot import as_rows

if TYPE_CHECKING:
    from graphrag_cli.config.settings import LocalSearchSettings
    from graphrag_cli.context.bundle import ContextBundle
    from graphrag_cli.engines.base import Question, Toolbox
    from graphrag_cli.index.snapshot import Rows, Snapshot
    from graphrag_cli.index.vectors.base import Hits

OVERSAMPLING = 2
"""So many times the entities wanted are searched for, so that excluded ones can be dropped."""


class LocalSearch:
    """Finds entities by their descriptions and sends what surrounds them in the graph."""

    method: Method = "local"

    def __init__(self, tools: Toolbox, settings: LocalSearchSettings) -> None:
        self._tools = tools
        self._settings = settings

    async def stream(self, question: Question) -> AsyncIterator[Event]:
        """See ``Engine.stream``."""
        run = Run(self.method, question, self._tools)
        async with aclosing(run.opening()) as opening:
            async for event in opening:
                yield event
        yield StageProgress("retrieve")
        problem = await asyncio.to_thread(no_reports, self._tools.snapshot, question.community_level)
        if problem is not None:
            yield run.notice("reports.unusable", f"The answer is made without reports: {problem.message}.")
        matches, unknown = await self._match(run)
        for name in unknown:
            yield run.notice("entity.unknown", f"There is no entity {name!r} in the index.")
        if not len(matches.rows):
            for event in run.nothing_found():
                yield event
            return

        events = write_fitting(
            run,
            self._settings.max_context_tokens,
            lambda budget: asyncio.to_thread(self._build, question, matches, budget),
            lambda context: self._tools.prompts["local"].fill(
                context_data=context, response_type=question.response_type
            ),
            self._settings.conversation_history_max_turns,
            call_params(self._settings.call_args),
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def _match(self, run: Run) -> tuple[Matches, list[str]]:
        """The chosen entities, and names asked for that the index does not have."""
        snapshot = self._tools.snapshot
        table = self._tools.vectors.open("entity_description")
        only = entity_ids_allowed(snapshot, run.question)
        if only is not None and not only:
            return Matches(as_rows([]), ()), []
        vectors = await run.embed([run.query], table)
        wanted = self._settings.top_k_entities
        excluded = named_rows(snapshot, run.question.exclude_entities)
        (hits,) = await run.search(table, vectors, OVERSAMPLING * wanted + len(excluded), only)
        included = named_rows(snapshot, run.question.include_entities)
        unknown = [
            name
            for name, row in zip(
                (*run.question.include_entities, *run.question.exclude_entities),
                (*included.tolist(), *excluded.tolist()),
                strict=True,
            )
            if row < 0
        ]
        floor = self._settings.min_similarity
        matches = choose_entities(snapshot, hits, included, excluded, wanted, floor)
        return replace(matches, units=units_allowed(snapshot, run.question)), unknown

    def _build(self, question: Question, matches: Matches, budget: int) -> ContextBundle:
        settings = self._settings
        shares = LocalShares(
            budget, settings.community_prop, settings.text_unit_prop, settings.top_k_relationships
        )
        return build_local_context(
            self._tools.snapshot, matches, question.community_level, shares, self._tools.tokens
        )


def units_allowed(snapshot: Snapshot, question: Question) -> Rows | None:
    """Rows of the text units that the question's documents and dates leave; None when nothing narrows."""
    filters = question.filters
    return snapshot.text_unit_rows_matching(filters.documents, filters.since, filters.until)


def entity_ids_allowed(snapshot: Snapshot, question: Question) -> Sequence[str] | None:
    """Ids of the entities that the question's filters leave; None when nothing narrows."""
    rows = snapshot.entity_rows_matching(question.filters.entity_types, units_allowed(snapshot, question))
    return None if rows is None else snapshot.entity_ids(rows)


def named_rows(snapshot: Snapshot, names: Sequence[str]) -> Rows:
    """Entities by title or id; -1 where the index has neither."""
    if not names:
        return as_rows([])
    by_title = snapshot.entity_rows_by_title(names)
    return np.where(by_title >= 0, by_title, snapshot.entity_rows_by_id(names))


def choose_entities(
    snapshot: Snapshot, hits: Hits, included: Rows, excluded: Rows, wanted: int, min_similarity: float
) -> Matches:
    """Those asked for by name first, then the nearest that are not excluded, ``wanted`` of the latter."""
    chosen: dict[int, float | None] = {int(row): None for row in included.tolist() if row >= 0}
    barred = set(excluded.tolist())
    room = wanted
    for row, similarity in zip(snapshot.entity_rows_by_id(hits.ids).tolist(), hits.similarities, strict=True):
        if room == 0 or similarity < min_similarity:
            break
        if row < 0 or row in barred or row in chosen:
            continue
        chosen[row] = similarity
        room -= 1
    rows = [row for row in chosen if row not in barred]
    return Matches(np.asarray(rows, dtype=np.int64), tuple(chosen[row] for row in rows))
