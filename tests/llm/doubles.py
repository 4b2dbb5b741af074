"""Stand-ins for models and counters that several tests of this folder share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.llm.base import (
    CallUsage,
    ChatRequest,
    Message,
    ReplyDelta,
    ReplyEnd,
    ReplyItem,
    ReplyNotice,
    ReplyReasoning,
    Stage,
)


class WordCounter:
    """Counts words, so that expected figures can be read off the text."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def truncate(self, text: str, limit: int) -> str:
        return " ".join(text.split()[:limit])


@dataclass(frozen=True)
class FlatPrices:
    """A dollar for every million prompt tokens, two for every million output tokens."""

    unknown: frozenset[str] = frozenset()

    def cost(self, model: str, prompt_tokens: int, output_tokens: int) -> float | None:
        if model in self.unknown:
            return None
        return (prompt_tokens + 2 * output_tokens) / 1_000_000


@dataclass
class Told:
    """Hears what ``structured.ask`` tells on the way to a reply."""

    items: list[ReplyNotice | ReplyReasoning] = field(default_factory=list[ReplyNotice | ReplyReasoning])

    def __call__(self, item: ReplyNotice | ReplyReasoning) -> None:
        self.items.append(item)

    @property
    def codes(self) -> list[str]:
        return [item.code for item in self.items if isinstance(item, ReplyNotice)]

    @property
    def texts(self) -> list[str]:
        return [item.text for item in self.items]


@dataclass
class QueueChat:
    """Answers each call with the next list of items; an exception among them is raised, a number slept."""

    replies: list[list[ReplyItem | Exception | float]]
    name: str = "queue"
    requests: list[ChatRequest] = field(default_factory=list[ChatRequest])
    closed: int = 0

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        self.requests.append(request)
        items = self.replies.pop(0)
        try:
            for item in items:
                if isinstance(item, (int, float)):
                    await asyncio.sleep(item)
                elif isinstance(item, Exception):
                    raise item
                else:
                    yield item
        finally:
            self.closed += 1

    async def aclose(self) -> None:
        return None


@dataclass
class OnesEmbedder:
    """Every vector is ones; ``pause`` seconds a call."""

    width: int | None = 3
    pause: float = 0.0
    name: str = "ones"
    calls: int = 0

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        await asyncio.sleep(self.pause)
        return np.ones((len(texts), 3), dtype=np.float32)

    async def aclose(self) -> None:
        return None


def request(text: str = "one two three", *, stage: Stage = "answer", stream: bool = False) -> ChatRequest:
    return ChatRequest((Message("user", text),), stage, stream=stream)


def said(
    text: str, *, usage: CallUsage | None = None, notice: str | None = None
) -> list[ReplyItem | Exception | float]:
    items: list[ReplyItem | Exception | float] = [ReplyDelta(text)] if text else []
    if notice:
        items.insert(0, ReplyNotice(notice, notice))
    return [*items, ReplyEnd("ok" if text else "empty", usage or CallUsage(10, 5), "stop")]
