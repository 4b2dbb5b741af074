"""What a renderer is, and how several follow the same run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Protocol

from graphrag_cli.errors import CliError
from graphrag_cli.events import Answer, Event, RunFinished


class Renderer(Protocol):
    """Shows events as they happen."""

    def show(self, event: Event) -> None:
        """Takes the next event."""
        ...

    def close(self) -> None:
        """Takes down what is live on the terminal, however the run ended. Safe to call twice."""
        ...


async def follow(events: AsyncIterator[Event], renderers: Sequence[Renderer]) -> Answer:
    """Shows every event on every renderer, in their order; the answer of the last event.

    When a renderer fails, the run is stopped before its error goes on: nothing is left running behind it. Raises what
    the run raises, and ``CliError`` when the run ended without its last event.
    """
    answer: Answer | None = None
    try:
        async for event in events:
            for renderer in renderers:
                renderer.show(event)
            if isinstance(event, RunFinished):
                answer = event.answer
    finally:
        try:
            for renderer in renderers:
                renderer.close()
        finally:
            if isinstance(events, AsyncGenerator):
                await events.aclose()
    if answer is None:
        raise CliError(
            "the run ended without an answer", hint="this is a fault of the program: please report it"
        )
    return answer
