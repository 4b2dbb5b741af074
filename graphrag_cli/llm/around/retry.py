"""Tries again what may succeed on another try, and only that."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag_cli.errors import ModelError, ModelTimeoutError, RateLimitError
from graphrag_cli.llm.around.base import ChatAround, EmbedderAround
from graphrag_cli.llm.base import CallUsage, ReplyDelta, ReplyEnd, ReplyItem, ReplyNotice, close_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.llm.base import ChatModel, ChatRequest, Embedder

_MOST_SILENT = 2
"""Retries after no connection or no answer: what took the whole timeout once rarely gets better."""
_LONGEST_OBEYED = 300.0
"""Seconds; a server that asks to wait longer is not waited for."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently. ``rng`` and ``sleep`` are passed in so that tests decide and never wait."""

    max_retries: int = 7
    base_delay: float = 1.0
    max_delay: float = 30.0
    rng: random.Random = field(default_factory=random.Random)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def delay(self, error: ModelError, retries: int) -> float | None:
        """Seconds to wait before the next try after ``retries`` of them; None when there should be none."""
        if not error.retryable or retries >= self._allowed(error):
            return None
        if error.retry_after:  # no time at all, or a date that is past, says nothing
            if error.retry_after > _LONGEST_OBEYED:
                return None
            return error.retry_after + self.rng.uniform(0, min(1.0, self.base_delay))
        ceiling = min(self.max_delay, self.base_delay * 2**retries)
        return self.rng.uniform(ceiling / 2, ceiling)

    def _allowed(self, error: ModelError) -> int:
        silent = isinstance(error, ModelTimeoutError) or error.status is None
        return min(_MOST_SILENT, self.max_retries) if silent else self.max_retries


class RetryingChat(ChatAround):
    """A chat model whose failed calls are repeated, as long as nothing of the reply was shown.

    A reply that nobody reads as it comes is held back until it is whole, so that a stream that breaks can be
    repeated. One that broke after text was shown ends as ``cut``: going on with another reply would be no answer.
    """

    def __init__(self, inner: ChatModel, policy: RetryPolicy) -> None:
        super().__init__(inner)
        self._policy = policy

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """See ``ChatModel.stream``."""
        live = request.stream and request.reply_model is None
        retries = 0
        while True:
            attempt = _Attempt(live)
            async with aclosing(attempt.items(self._inner.stream(request))) as items:
                async for item in items:
                    yield item
            if attempt.failure is None:
                return
            if attempt.shown:
                yield ReplyNotice("reply.cut", f"{attempt.failure.message}; the answer ends here")
                yield ReplyEnd("cut", CallUsage())
                return
            delay = self._policy.delay(attempt.failure, retries)
            if delay is None:
                raise after_retries(attempt.failure, retries)
            retries += 1
            yield _notice(attempt.failure, delay)
            await self._policy.sleep(delay)


@dataclass(slots=True)
class _Attempt:
    """One try: passes items on as they come when ``live``, else once the reply is whole; keeps its failure."""

    live: bool
    shown: bool = False
    failure: ModelError | None = None

    async def items(self, reply: AsyncIterator[ReplyItem]) -> AsyncGenerator[ReplyItem]:
        held: list[ReplyItem] = []
        try:
            async for item in reply:
                if self.live or isinstance(item, ReplyNotice):
                    self.shown = self.shown or isinstance(item, ReplyDelta)
                    yield item
                else:
                    held.append(item)
        except ModelError as error:
            self.failure = error
        finally:
            await close_items(reply)
        if self.failure is None:
            for item in held:
                yield item


class RetryingEmbedder(EmbedderAround):
    """An embedder whose failed calls are repeated. Wraps single batches, so that one failure repeats one batch."""

    def __init__(self, inner: Embedder, policy: RetryPolicy) -> None:
        super().__init__(inner)
        self._policy = policy

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed``."""
        retries = 0
        while True:
            try:
                return await self._inner.embed(texts)
            except ModelError as error:
                failure = error
            delay = self._policy.delay(failure, retries)
            if delay is None:
                raise after_retries(failure, retries)
            retries += 1
            await self._policy.sleep(delay)


def after_retries(error: ModelError, retries: int) -> ModelError:
    """The same error, saying how often it was tried, or how long the server wanted us to wait."""
    if isinstance(error, RateLimitError) and (error.retry_after or 0) > _LONGEST_OBEYED:
        error.hint = f"the server asks to wait {error.retry_after:,.0f} s; {error.hint}"
    if retries and not error.message.endswith("tries)"):
        error.message = f"{error.message} (after {retries + 1} tries)"
        error.args = (error.message,)
    return error


def _notice(error: ModelError, delay: float) -> ReplyNotice:
    return ReplyNotice("model.retry", f"{error.message}; trying again in {delay:.1f} s")
