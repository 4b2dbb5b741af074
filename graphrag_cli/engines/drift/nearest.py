"""The first step of DRIFT: which reports are nearest to the question, by way of a hypothetical answer (HyDE)."""

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
from graphrag_cli.errors import AuthError, ModelError, VectorError
from graphrag_cli.events import StageProgress
from graphrag_cli.index.snapshot import as_rows
from graphrag_cli.llm.base import ChatRequest, Message, complete

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_cli.config.settings import DriftSearchSettings
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.engines.run import Run
    from graphrag_cli.index.records import Report
    from graphrag_cli.index.snapshot import Rows
    from graphrag_cli.index.vectors import VectorTable


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
        async with asyncio.TaskGroup() as group:
            hypothesis = group.create_task(self._hypothesis(rows))
            stored = group.create_task(self._report_vectors(rows))
        texts = [self._run.query, *([hypothesis.result()] if hypothesis.result() else [])]
        vectors = await self._run.embed(texts, self._entities)
        kept, matrix = stored.result()
        if not len(kept):
            return Nearest(vectors[:1], (), ())
        similarities = cosines(matrix, vectors[-1])
        order = np.lexsort((kept, -similarities))[: self._settings.drift_k_followups]
        reports = self._snapshot.reports(kept[order])
        return Nearest(vectors[:1], tuple(reports), tuple(similarities[order].tolist()))

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
        except AuthError:
            raise
        except ModelError as error:
            self._notice(
                "hyde.failed", f"No hypothetical answer ({error.message}); searching by the question itself."
            )
            return ""
        return reply.text.strip()

    # -- vectors of reports -----------------------------------------------------------------------------------

    async def _report_vectors(self, rows: Rows) -> tuple[Rows, NDArray[np.float32]]:
        """Reports that have a vector, stored or made now, and the vectors; shape ``(len(rows), width)``."""
        reports = self._snapshot.reports(rows)
        stored, found = await self._stored([report.id for report in reports])
        missing = np.flatnonzero(~found)
        if not len(missing):
            return rows, stored
        made = await self._made([reports[at] for at in missing.tolist()])
        stored[missing[: len(made)]] = made
        found[missing[: len(made)]] = True
        return rows[found], stored[found]

    async def _stored(self, ids: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        width = self._entities.width
        try:
            table = self._run.tools.vectors.open("community_full_content")
            check_width(self._entities.name, width, table)
        except VectorError as error:
            self._notice(
                "reports.no_vectors", f"Reports have no stored vectors to search by: {error.message}"
            )
            return np.zeros((len(ids), width), np.float32), np.zeros(len(ids), np.bool_)
        vectors, found = await asyncio.to_thread(table.vectors_of, ids)
        return vectors.copy(), found.copy()

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
