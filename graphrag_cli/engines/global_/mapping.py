"""The map stage: one call per batch of reports, as many at a time as allowed; a batch that fails costs itself only."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.context.ranked import Scored
from graphrag_cli.context.reports import ReportBatch, split_batch
from graphrag_cli.engines.run import call_params
from graphrag_cli.errors import CliError, ContextLengthError, DeadlineError, LimitError, ModelError
from graphrag_cli.events import ContextBuilt, StageProgress, StepFinished, StepStarted
from graphrag_cli.llm.base import ChatRequest, Message
from graphrag_cli.llm.replies import MapReply

if TYPE_CHECKING:
    from graphrag_cli.config.settings import GlobalSearchSettings
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.engines.run import Run

MAX_SPLITS = 5
"""A batch that the model finds too long is split at most so often."""


@dataclass(frozen=True, slots=True)
class Part:
    """A batch, or a piece of one; ``place`` is its number, and the numbers of the halves that lead to it."""

    place: tuple[int, ...]
    batch: ReportBatch

    @property
    def name(self) -> str:
        """For people: ``3``, or ``3.1`` for its first half."""
        return ".".join(str(number) for number in self.place)


class MapStage:
    """The map stage of one question."""

    def __init__(self, run: Run, emit: Emit, settings: GlobalSearchSettings, concurrency: int) -> None:
        self._run = run
        self._emit = emit
        self._settings = settings
        self._gate = asyncio.Semaphore(concurrency)
        self._points: list[Scored] = []
        self._failures: dict[tuple[int, ...], CliError] = {}
        self._done = 0
        self._total = 0

    def prompt(self, context: str) -> str:
        """The system prompt around ``context``."""
        length = str(self._settings.map_max_length)
        return self._run.tools.prompts["global_map"].fill(context_data=context, max_length=length)

    async def points(self, batches: Sequence[ReportBatch]) -> list[Scored]:
        """The key points of all batches, in no order of note. Raises the first batch's error when every one failed."""
        parts = [Part((number,), batch) for number, batch in enumerate(batches, start=1)]
        self._total = len(parts)
        self._progress()
        with self._run.timed("map"):
            async with asyncio.TaskGroup() as group:
                for part in parts:
                    group.create_task(self._read(group, part))
        return self._outcome()

    def _outcome(self) -> list[Scored]:
        failures = [self._failures[place] for place in sorted(self._failures)]
        if failures and len(failures) == self._total:
            raise failures[0]
        for place, error in sorted(self._failures.items()):
            self._run.failed.append(f"map batch {'.'.join(map(str, place))}: {error.message}")
        if failures:
            text = f"{len(failures)} of {self._total} batches of reports could not be read: {failures[0].message}"
            self._emit(self._run.notice("map.failed", text))
        return self._points

    async def _read(self, group: asyncio.TaskGroup, part: Part) -> None:
        step = f"map/{part.name}"
        system = self.prompt(part.batch.bundle.text)
        async with self._gate:
            self._emit(StepStarted(step, "map", self._run.query))
            bundle = part.batch.bundle
            self._emit(ContextBuilt(bundle.records, bundle.summaries, bundle.tokens, system, step))
            try:
                reply = await self._ask(system, step)
            except ContextLengthError as error:
                self._split(group, part, error)
                return
            except (ModelError, LimitError, DeadlineError) as error:
                self._failed(part, error)
                return
        found = [point for point in reply.points if point.description.strip()]
        self._points += [
            Scored(point.description, point.score, (*part.place, number))
            for number, point in enumerate(found)
        ]
        answer = "\n".join(point.description for point in found)
        score = max((point.score for point in found), default=0.0)
        state = "answered" if found else "empty"
        self._emit(StepFinished(step, "map", state, self._run.query, answer, score))
        self._finished_one()

    async def _ask(self, system: str, step: str) -> MapReply:
        messages = (Message("system", system), Message("user", self._run.query))
        params = call_params(self._settings.map_call_args)
        request = ChatRequest(messages, "map", MapReply, params)
        return await self._run.ask(request, MapReply, self._emit, step)

    def _split(self, group: asyncio.TaskGroup, part: Part, error: ContextLengthError) -> None:
        """Sends the halves of a batch that the model found too long."""
        fits = len(part.place) <= MAX_SPLITS
        pieces = split_batch(part.batch, self._run.tools.tokens) if fits else []
        if not pieces:
            self._failed(part, error)
            return
        text = f"Map batch {part.name} is longer than the model's window; sending it again in smaller parts."
        self._emit(self._run.notice("map.split", text))
        self._total += len(pieces) - 1
        for number, piece in enumerate(pieces, start=1):
            group.create_task(self._read(group, Part((*part.place, number), piece)))

    def _failed(self, part: Part, error: CliError) -> None:
        self._failures[part.place] = error
        self._emit(StepFinished(f"map/{part.name}", "map", "failed", self._run.query, error=error.message))
        self._finished_one()

    def _finished_one(self) -> None:
        self._done += 1
        self._progress()

    def _progress(self) -> None:
        points = len(self._points)
        detail = f"{points} point{'' if points == 1 else 's'}"
        self._emit(StageProgress("map", self._done, self._total, detail))
