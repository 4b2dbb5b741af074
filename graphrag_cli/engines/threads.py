"""Threads for searches, apart from the event loop's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_SEARCHES = ThreadPoolExecutor(32, thread_name_prefix="search")
"""Starts a thread when one is needed."""


async def searched(search: Callable[[], T]) -> T:
    """``search()`` off the event loop.

    Searches of a large table wait for one another and then share a pass over it, so there must be threads for many to
    wait in; the loop's own pool has few, and contexts are built there.
    """
    return await asyncio.get_running_loop().run_in_executor(_SEARCHES, search)
