"""Counts what one action spends, so that its node can say so; the run's own meter lies underneath."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from graphrag_cli.llm.around.base import ChatAround
from graphrag_cli.llm.base import ReplyEnd, close_items

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatModel, ChatRequest, ReplyItem


class Tally(ChatAround):
    """A chat model that remembers its calls and tokens."""

    def __init__(self, inner: ChatModel) -> None:
        super().__init__(inner)
        self.calls = 0
        self.prompt_tokens = 0
        self.output_tokens = 0

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """Passes everything on."""
        self.calls += 1
        items = self._inner.stream(request)
        try:
            async for item in items:
                if isinstance(item, ReplyEnd):
                    self.prompt_tokens += item.usage.prompt_tokens
                    self.output_tokens += item.usage.output_tokens
                yield item
        finally:
            await close_items(items)
