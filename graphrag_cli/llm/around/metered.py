"""Models whose calls are counted and limited; the counting itself is the meter's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from graphrag_cli.errors import DeadlineError, ModelError
from graphrag_cli.llm.around.base import ChatAround, EmbedderAround
from graphrag_cli.llm.base import CallUsage, ReplyDelta, ReplyEnd, ReplyItem, ReplyReasoning, close_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.llm.around.usage import UsageMeter
    from graphrag_cli.llm.base import ChatModel, ChatRequest, Embedder

ANSWER_STAGES: frozenset[str] = frozenset({"answer", "reduce"})
"""Stages that write the answer of a run."""


class MeteredChat(ChatAround):
    """A chat model whose calls are counted and limited.

    After an error that every call would meet, only a call that writes the answer is still made: what was read until
    then is worth one more try.
    """

    def __init__(self, inner: ChatModel, meter: UsageMeter) -> None:
        super().__init__(inner)
        self._meter = meter
        self._fatal: ModelError | None = None

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """See ``ChatModel.stream``; raises ``LimitError`` and ``DeadlineError`` too."""
        answers = request.stage in ANSWER_STAGES
        if self._fatal is not None and not answers:
            raise self._fatal
        meter, model = self._meter, self.name
        held = meter.admit_chat(model, request)
        text: list[str] = []
        used: CallUsage | None = None
        sent = False
        items = self._inner.stream(request)
        try:
            while (item := await meter.within_deadline(anext(items, None), answers=answers)) is not None:
                if isinstance(item, ReplyDelta | ReplyReasoning):
                    text.append(item.text)
                elif isinstance(item, ReplyEnd):
                    used = item.usage
                    if used == CallUsage():
                        used = meter.counted_usage(request, "".join(text))
                        item = ReplyEnd(item.outcome, used, item.finish_reason, item.model)
                yield item
        except ModelError as error:
            self._fatal = error if error.fatal else self._fatal
            raise
        except (DeadlineError, asyncio.CancelledError, GeneratorExit):
            sent = True  # and will be billed, though nobody waits for the rest
            raise
        finally:
            await close_items(items)
            if used is None and (sent or text):
                used = meter.counted_usage(request, "".join(text))
            if used is None:
                meter.release(held)
            else:
                meter.settle_chat(model, request.stage, used, held)


class MeteredEmbedder(EmbedderAround):
    """An embedder whose calls are counted and limited; none is made after an error that every call would meet."""

    def __init__(self, inner: Embedder, meter: UsageMeter) -> None:
        super().__init__(inner)
        self._meter = meter
        self._fatal: ModelError | None = None

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed``; raises ``LimitError`` and ``DeadlineError`` too."""
        if self._fatal is not None:
            raise self._fatal
        held = self._meter.admit_embedding(self.name, texts)
        try:
            vectors = await self._meter.within_deadline(self._inner.embed(texts))
        except ModelError as error:
            self._fatal = error if error.fatal else self._fatal
            self._meter.release(held)
            raise
        except BaseException:
            self._meter.release(held)
            raise
        self._meter.settle_embedding(self.name, texts, held)
        return vectors
