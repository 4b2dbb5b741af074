"""Folds a run's events to its answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

from graphrag_cli.errors import CliError
from graphrag_cli.events import Answer, Event, RunFinished


async def collect(events: AsyncIterator[Event]) -> Answer:
    """The answer that ``events`` end in."""
    answer: Answer | None = None
    async for event in events:
        if isinstance(event, RunFinished):
            answer = event.answer
    if answer is None:
        raise CliError(
            "the run ended without an answer", hint="this is a fault of graphrag-cli; please report it"
        )
    return answer
