"""The stage before the first question to a large index, as events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from graphrag_cli.engines.pump import Emit, pump
from graphrag_cli.events import Event, StageProgress

if TYPE_CHECKING:
    from graphrag_cli.index.prepare import Preparation


async def prepared(preparation: Preparation) -> AsyncGenerator[Event]:
    """Prepares the index where that is needed, and tells of every step. Nothing, and at once, where it is not."""
    if not preparation.needed:
        return

    async def work(emit: Emit) -> None:
        loop = asyncio.get_running_loop()

        def tell(done: int, total: int, name: str) -> None:
            loop.call_soon_threadsafe(emit, StageProgress("prepare", done, total, name))

        await asyncio.to_thread(preparation.run, tell)

    async with aclosing(pump(work)) as events:
        async for event in events:
            yield event
