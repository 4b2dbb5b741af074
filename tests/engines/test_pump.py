from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from graphrag_cli.engines.pump import Emit, pump
from graphrag_cli.errors import AuthError
from graphrag_cli.events import StageProgress


async def test_events_come_as_they_are_told() -> None:
    async def work(emit: Emit) -> None:
        emit(StageProgress("one"))
        await asyncio.sleep(0)
        emit(StageProgress("two"))

    async with aclosing(pump(work)) as events:
        assert [event.stage async for event in events if isinstance(event, StageProgress)] == ["one", "two"]


async def test_what_was_told_comes_before_what_is_raised() -> None:
    async def work(emit: Emit) -> None:
        emit(StageProgress("one"))
        raise KeyError("why")

    seen: list[str] = []
    with pytest.raises(KeyError):
        async with aclosing(pump(work)) as events:
            async for event in events:
                seen.append(event.kind)
    assert seen == ["stage_progress"]


async def test_a_single_error_in_nested_groups_is_raised_alone() -> None:
    async def fail() -> None:
        raise KeyError("why")

    async def inner() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())

    async def work(emit: Emit) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(inner())

    with pytest.raises(KeyError, match="why"):
        async with aclosing(pump(work)) as events:
            async for _ in events:
                pass


async def test_of_several_errors_for_the_user_the_first_is_raised() -> None:
    async def fail(error: Exception) -> None:
        raise error

    async def work(emit: Emit) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail(AuthError("first")))
            group.create_task(fail(AuthError("second")))

    with pytest.raises(AuthError, match="first"):
        async with aclosing(pump(work)) as events:
            async for _ in events:
                pass


async def test_several_errors_stay_a_group() -> None:
    async def fail(error: Exception) -> None:
        raise error

    async def work(emit: Emit) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail(KeyError("a")))
            group.create_task(fail(ValueError("b")))

    with pytest.raises(ExceptionGroup):
        async with aclosing(pump(work)) as events:
            async for _ in events:
                pass


async def test_closing_stops_the_work_and_waits_for_its_end() -> None:
    ended: list[str] = []

    async def work(emit: Emit) -> None:
        emit(StageProgress("one"))
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            ended.append("clean")

    async with aclosing(pump(work)) as events:
        await anext(events)
    assert ended == ["clean"]


async def test_cancelling_the_reader_stops_the_work() -> None:
    ended: list[str] = []

    async def work(emit: Emit) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("clean")

    async def read() -> None:
        async with aclosing(pump(work)) as events:
            async for _ in events:
                pass

    task = asyncio.create_task(read())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["clean"]
