"""Events out of work that runs in many tasks: the work tells, an async generator yields, closing it stops the work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from typing import TypeAlias, cast

from graphrag_cli.errors import CliError
from graphrag_cli.events import Event

Emit: TypeAlias = Callable[[Event], None]
"""Tells of an event; never waits."""


async def pump(work: Callable[[Emit], Awaitable[None]]) -> AsyncGenerator[Event]:
    """Yields what ``work`` emits until it ends, then raises what it raised (see ``cause_of`` for groups).

    Closing the generator, or cancelling the task that reads it, cancels ``work`` and waits until it is gone. Whoever
    iterates it inside another generator closes it (``contextlib.aclosing``).
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
            raise cause_of(group) from group
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def cause_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that ends the run: the only one inside, or the first where all are ``CliError``; else the group.

    Tasks that run side by side with the same wrong key may both fail before one of them is cancelled.
    """
    found = list(_leaves(group))
    if len(found) == 1 or all(isinstance(error, CliError) for error in found):
        return found[0]
    return group


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaves(inner)
    else:
        yield error
