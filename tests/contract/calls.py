"""Calls that the contract tests make, and what a good reply to them is."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest

from graphrag_cli.llm.base import (
    CallParams,
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    complete,
)
from graphrag_cli.llm.replies import MapReply, Point
from graphrag_cli.llm.structured import ask

REASK = "Not usable: {defect}. Send JSON."
GOOD = MapReply(
    points=(
        Point(description="A first point [Data: Reports (1)]", score=85),
        Point(description="A second point [Data: Reports (2, +more)]", score=40),
    )
)


def both_ways(modes: Iterable[str], *, shown: Container[str]) -> list[tuple[str, bool]]:
    """Every mode whole and streamed, but for those that break after text was ``shown``: those are cut, not errors."""
    return [(mode, stream) for mode in modes for stream in (False, True) if not (stream and mode in shown)]


both = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


def question(*, stream: bool = False, text: str = "Who arrived first?", **params: Any) -> ChatRequest:
    messages = (Message("system", "Answer from the tables."), Message("user", text))
    return ChatRequest(messages, "answer", params=CallParams(**params), stream=stream)


async def say(chat: ChatModel, request: ChatRequest) -> ChatReply:
    return await complete(chat, request)


async def points(chat: ChatModel, *, stream: bool) -> MapReply:
    request = ChatRequest((Message("user", "Map this."),), "map", stream=stream)
    return await ask(chat, request, MapReply, reask=REASK)
