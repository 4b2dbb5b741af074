"""The first step of DRIFT: which reports are nearest to the question, by way of a hypothetical answer.

The model first writes an answer as it might stand in a report; reports are then searched by that text, which looks
more like a report than the question does (HyDE: Gao, Ma, Lin and Callan, "Precise Zero-Shot Dense Retrieval without
Relevance Labels", 2022).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.context.text import cut_to_tokens
from graphrag_cli.engines.drift.selection import DIGITS, unit_rows
from graphrag_cli.engines.run import check_width
from graphrag_cli.errors import ModelError, VectorError
from graphrag_cli.events import Reasoning, StageProgress
from graphrag_cli.index.snapshot import as_rows
from graphrag_cli.llm.base import ChatRequest, Message, complete

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_cli.config.settings import DriftSearchSettings
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.engines.run import Run
    from graphrag_cli.index.records import Report
    from graphrag_cli.index.snapshot import Rows
    from graphrag_cli.index.vectors.base import VectorTable


@dataclass(frozen=True, slots=True)
class Nearest:
    """Reports nearest to the hypothetical answer, best first, with their cosines; and the question's own vector."""

    question: NDArray[np.float32]
    """Shape ``(1, width)``."""
    reports: tuple[Report, ...]
    similarities: tuple[float, ...]


class NearestReports:
    """Finds them for one question."""

    def __init__(self, run: Run, emit: Emit, settings: DriftSearchSettings, entities: VectorTable) -> None:
        self._run = run
        self._emit = emit
        self._settings = settings
        self._entities = entities
        self._snapshot = run.tools.snapshot

    async def find(self, rows: Rows) -> Nearest:
        """The nearest of the reports at ``rows``, at most ``drift_k_followups``. Raises ``ModelError`` of embedding."""
        if not len(rows):
            return Nearest(await self._run.embed([self._run.query], self._entities), (), ())
        table = self._table()
        if table is not None and table.rows >= self._snapshot.summary.counts["reports"]:
            vectors = await self._vectors(await self._hypothesis(rows))
            return await asyncio.to_thread(self._searched, table, rows, vectors)
        async with asyncio.TaskGroup() as group:
            hypothesis = group.create_task(self._hypothesis(rows))
            known = group.create_task(self._report_vectors(table, rows))
        kept, matrix = known.result()
        vectors = await self._vectors(hypothesis.result())
        similarities = cosines(matrix, vectors[-1])
        order = np.lexsort((kept, -similarities))
        return self._nearest(vectors, kept[order], similarities[order].tolist())

    async def _vectors(self, hypothesis: str) -> NDArray[np.float32]:
        """Of the question first; last of the hypothetical answer, or of the question where there is none."""
        texts = [self._run.query, hypothesis] if hypothesis else [self._run.query]
        return await self._run.embed(texts, self._entities)

    def _searched(self, table: VectorTable, rows: Rows, vectors: NDArray[np.float32]) -> Nearest:
        """By search in a table that has all reports; asks for more while reports of other levels crowd out ``rows``."""
        wanted = self._settings.drift_k_followups
        asked_for = 2 * wanted
        while True:
            (hits,) = table.search(vectors[-1:], asked_for)
            found = self._snapshot.report_rows_by_id(hits.ids)
            inside = np.flatnonzero(np.isin(found, rows))
            if len(inside) >= wanted or len(hits.ids) < asked_for:
                similarities = [round(hits.similarities[at], DIGITS) for at in inside.tolist()]
                return self._nearest(vectors, found[inside], similarities)
            asked_for *= 4

    def _nearest(self, vectors: NDArray[np.float32], rows: Rows, similarities: Sequence[float]) -> Nearest:
        wanted = self._settings.drift_k_followups
        reports = self._snapshot.reports(rows[:wanted])
        return Nearest(vectors[:1], tuple(reports), tuple(similarities[:wanted]))

    def _table(self) -> VectorTable | None:
        """The stored vectors of reports; None, with a notice, when there are none that can be used."""
        try:
            table = self._run.tools.vectors.open("community_full_content")
            check_width(self._run.embedder.name, self._entities.width, table)
        except VectorError as error:
            text = f"Reports have no stored vectors to search by: {error.message}"
            self._notice("reports.no_vectors", text)
            return None
        return table

    # -- the hypothetical answer ------------------------------------------------------------------------------

    async def _hypothesis(self, rows: Rows) -> str:
        """A made-up answer in the form of a report that the seed draws; empty when there is none to be had."""
        run = self._run
        self._emit(StageProgress("hyde"))
        drawn = random.Random(run.question.seed).choice(rows.tolist())
        (template,) = self._snapshot.reports(as_rows([drawn]))
        shown = cut_to_tokens(template.content, self._settings.primer_llm_max_tokens, run.tools.tokens)
        prompt = run.tools.prompts["drift_hyde"].fill(query=run.query, template=shown)
        try:
            with run.timed("hyde"):
                reply = await complete(run.chat, ChatRequest((Message("user", prompt),), "hyde"))
        except ModelError as error:
            if error.fatal:
                raise
            self._notice(
                "hyde.failed", f"No hypothetical answer ({error.message}); searching by the question itself."
            )
            return ""
        if reply.reasoning:
            self._emit(Reasoning(reply.reasoning, "hyde"))
        return reply.text.strip()

    # -- vectors of reports -----------------------------------------------------------------------------------

    async def _report_vectors(
        self, table: VectorTable | None, rows: Rows
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Reports that have a vector, stored or made now, and the vectors; shape ``(len(rows), width)``."""
        reports = self._snapshot.reports(rows)
        vectors = np.zeros((len(rows), self._entities.width), np.float32)
        found = np.zeros(len(rows), np.bool_)
        if table is not None:
            stored, found = await asyncio.to_thread(table.vectors_of, [report.id for report in reports])
            vectors[found] = stored[found]
        missing = np.flatnonzero(~found)
        if len(missing):
            made = await self._made([reports[at] for at in missing.tolist()])
            there = missing[: len(made)]
            vectors[there] = made
            found = np.isin(np.arange(len(rows)), there) | found
        return rows[found], vectors[found]

    async def _made(self, reports: Sequence[Report]) -> NDArray[np.float32]:
        """Vectors of the first ``report_embedding_cap`` of ``reports``, made now; none when that fails."""
        cap = self._settings.report_embedding_cap
        chosen = reports[:cap]
        left_out = len(reports) - len(chosen)
        text = f"{len(reports)} reports have no stored vector: {len(chosen)} are embedded now"
        self._notice("reports.embedded", f"{text}, {left_out} left out." if left_out else f"{text}.")
        if not chosen:
            return np.zeros((0, self._entities.width), np.float32)
        try:
            return await self._run.embed([report.content for report in chosen], self._entities)
        except ModelError as error:
            self._notice("reports.left_out", f"They could not be embedded and are left out: {error.message}")
            return np.zeros((0, self._entities.width), np.float32)

    def _notice(self, code: str, text: str) -> None:
        self._emit(self._run.notice(code, text))


def cosines(rows: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosine of each of ``rows`` to ``vector``; shape ``(len(rows),)``."""
    products: NDArray[np.float64] = unit_rows(rows) @ unit_rows(vector)[0]
    return np.round(products, DIGITS)
