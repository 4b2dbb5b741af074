"""Keeps calls to one endpoint within its limits: so many at a time, so many requests and tokens a minute.

Ready-made limiters were looked at and left: they read the event loop's clock, so that a test would have to wait,
and they refuse an amount above their capacity, which a single long prompt easily is.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from graphrag_cli.errors import ModelError, RateLimitError
from graphrag_cli.llm.around.base import ChatAround, EmbedderAround
from graphrag_cli.llm.base import close_items, count_prompt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.llm.base import ChatModel, ChatRequest, Embedder, ReplyItem, TokenCounter

_WINDOW = 60.0
"""Seconds over which providers count."""


class MinuteWindow:
    """At most ``limit`` units within any minute, first come first served.

    ``reserve`` books the earliest time that keeps the limit and says how long to wait for it. An amount above the
    limit waits for an empty minute and then goes.
    """

    def __init__(self, limit: int, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._booked: deque[tuple[float, int]] = deque()

    def reserve(self, amount: int) -> float:
        """Seconds to wait before ``amount`` may be used."""
        now = self._clock()
        while self._booked and self._booked[0][0] <= now - _WINDOW:
            self._booked.popleft()
        start = max(now, self._booked[-1][0]) if self._booked else now
        for booked_at, _ in self._booked:
            used = sum(units for at, units in self._booked if at > start - _WINDOW)
            if used + amount <= self._limit:
                break
            start = max(start, booked_at + _WINDOW)
        self._booked.append((start, amount))
        return start - now


class Slots:
    """So many calls at a time; halved when the provider says "too many", restored one by one as calls succeed."""

    def __init__(self, size: int) -> None:
        self._full = size
        self._size = size
        self._used = 0
        self._successes = 0
        self._epoch = 0
        self._changed = asyncio.Condition()

    @property
    def size(self) -> int:
        """Calls that may run at a time now."""
        return self._size

    async def take(self) -> int:
        """Waits for a slot; gives the epoch, for ``refused``."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._used < self._size)
            self._used += 1
            return self._epoch

    async def give_back(self) -> None:
        """Frees a slot."""
        async with self._changed:
            self._used -= 1
            self._changed.notify_all()

    def succeeded(self) -> None:
        """After as many successes as there are slots, one more is opened, up to the full size."""
        if self._size < self._full:
            self._successes += 1
            if self._successes >= self._size:
                self._successes = 0
                self._size += 1

    def refused(self, epoch: int) -> None:
        """Halves the slots. Calls that began before the last cut say nothing about the size after it."""
        self._successes = 0
        if epoch == self._epoch:
            self._epoch += 1
            self._size = max(1, self._size // 2)


class Throttle:
    """What the calls to one endpoint and model share. ``clock`` and ``sleep`` are passed in for tests."""

    def __init__(
        self,
        concurrency: int,
        *,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.slots = Slots(concurrency)
        self._clock = clock
        self._sleep = sleep
        self._requests = None if requests_per_minute is None else MinuteWindow(requests_per_minute, clock)
        self._tokens = None if tokens_per_minute is None else MinuteWindow(tokens_per_minute, clock)
        self._not_before = 0.0
        self._fatal: ModelError | None = None

    @property
    def counts_tokens(self) -> bool:
        """Whether callers need to count what they will send."""
        return self._tokens is not None

    @asynccontextmanager
    async def call(self, tokens: int) -> AsyncGenerator[None]:
        """Around one call that will use about ``tokens``: waits for its turn, and learns from how it ends.

        What a server says to every call is raised in those that wait for their turn too, and they are not made.
        """
        before = self._fatal
        epoch = await self.slots.take()
        try:
            await self._wait(tokens)
            if self._fatal is not None and self._fatal is not before:
                raise self._fatal
            yield
            self.slots.succeeded()
        except ModelError as error:
            self._learn(error, epoch)
            raise
        finally:
            await self.slots.give_back()

    def _learn(self, error: ModelError, epoch: int) -> None:
        if error.fatal and not error.retryable:
            self._fatal = error
        if isinstance(error, RateLimitError) and error.retryable:
            self.slots.refused(epoch)
            self._not_before = max(self._not_before, self._clock() + (error.retry_after or 0.0))

    async def _wait(self, tokens: int) -> None:
        waits = [self._not_before - self._clock()]
        if self._requests is not None:
            waits.append(self._requests.reserve(1))
        if self._tokens is not None:
            waits.append(self._tokens.reserve(tokens))
        longest = max(waits)
        if longest > 0:
            await self._sleep(longest)


class ThrottledChat(ChatAround):
    """A chat model whose calls wait for their turn."""

    def __init__(self, inner: ChatModel, throttle: Throttle, tokens: TokenCounter) -> None:
        super().__init__(inner)
        self._throttle = throttle
        self._tokens = tokens

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """See ``ChatModel.stream``."""
        expected = 0
        if self._throttle.counts_tokens:
            reserved = request.params.max_completion_tokens or request.params.max_tokens or 0
            expected = count_prompt(request.messages, self._tokens) + reserved
        async with self._throttle.call(expected):
            items = self._inner.stream(request)
            try:
                async for item in items:
                    yield item
            finally:
                await close_items(items)


class ThrottledEmbedder(EmbedderAround):
    """An embedder whose calls wait for their turn."""

    def __init__(self, inner: Embedder, throttle: Throttle, tokens: TokenCounter) -> None:
        super().__init__(inner)
        self._throttle = throttle
        self._tokens = tokens

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed``."""
        expected = sum(map(self._tokens.count, texts)) if self._throttle.counts_tokens else 0
        async with self._throttle.call(expected):
            return await self._inner.embed(texts)
