"""Events out of work that runs in many tasks: the work tells, an async generator yields, closing it stops the work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeAlias, cast

from graphrag_cli.events import Event

Emit: TypeAlias = Callable[[Event], None]
"""Tells of an event; never waits."""


async def pump(work: Callable[[Emit], Awaitable[None]]) -> AsyncGenerator[Event]:
    """Yields what ``work`` emits until it ends, then raises what it raised.

    Closing the generator, or cancelling who reads it, cancels ``work`` and waits until it is gone; whoever iterates it
    inside another generator must close it (``contextlib.aclosing``). Work that fails in a task group with a single error raises that error, not the group.
    """
    queue: asyncio.Queue[Event | None] = asyncio.Queue()

    async def working() -> None:
        try:
            await work(queue.put_nowait)
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(working())
    try:
        while (event := await queue.get()) is not None:
            yield event
        try:
            await task
        except BaseExceptionGroup as group:
            raise single_cause(group) from group
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def single_cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error inside, where there is just one; else the group."""
    found: BaseException = group
    inner: tuple[BaseException, ...] = group.exceptions
    while len(inner) == 1:
        found = inner[0]
        inner = cast("BaseExceptionGroup[BaseException]", found).exceptions if _is_group(found) else ()
    return found


def _is_group(error: BaseException) -> bool:
    return isinstance(error, BaseExceptionGroup)
