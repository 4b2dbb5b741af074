"""Streams with quirks, streams that break, and silence."""

from __future__ import annotations

import pytest

from graphrag_cli.errors import (
    ModelTimeoutError,
)
from graphrag_cli.llm.base import (
    ReplyDelta,
    ReplyEnd,
    close_items,
    complete,
)
from tests.contract.calls import GOOD, both, points, question, say
from tests.contract.conftest import ChatAt
from tests.kit.replies import PROSE
from tests.kit.server import FakeServer

QUIRKS = [
    "first_empty",
    "null_delta",
    "empty_delta",
    "keepalive",
    "split_utf8",
    "no_done",
    "no_finish",
    "ignores_stream",
]


@pytest.mark.parametrize("mode", [*QUIRKS, "+".join(QUIRKS[:-2])])
async def test_a_quirk_of_streams_does_not_reach_the_answer(chat_at: ChatAt, mode: str) -> None:
    reply = await say(chat_at(mode), question(stream=True))
    assert reply.text == PROSE
    assert reply.outcome == "ok"


@pytest.mark.parametrize("mode", ["nostream=400", "nostream=403"])
async def test_an_endpoint_that_cannot_stream_is_asked_for_the_whole(
    chat_at: ChatAt, server: FakeServer, mode: str
) -> None:
    chat = chat_at(mode)
    for _ in range(2):
        assert (await complete(chat, question(stream=True))).text == PROSE
    assert [body["stream"] for body in server.bodies()] == [True, False, False]


@pytest.mark.parametrize("mode", ["cut_half", "cut_clean", "error_inside", "finish_error"])
async def test_a_stream_that_breaks_after_text_was_shown_ends_as_cut(
    chat_at: ChatAt, server: FakeServer, mode: str
) -> None:
    reply = await say(chat_at(mode), question(stream=True))
    assert reply.outcome == "cut"
    assert reply.text
    assert PROSE.startswith(reply.text)
    assert "reply.cut" in [notice.code for notice in reply.notices]
    assert len(server.bodies()) == 1


@pytest.mark.parametrize("mode", ["cut_half*1", "cut_clean*1", "error_inside*1"])
async def test_a_stream_that_nobody_watches_is_tried_again(
    chat_at: ChatAt, server: FakeServer, mode: str
) -> None:
    assert await points(chat_at(mode), stream=True) == GOOD
    assert len(server.bodies()) == 2


async def test_text_is_yielded_as_it_comes(chat_at: ChatAt) -> None:
    chat = chat_at()
    items = [item async for item in chat.stream(question(stream=True))]
    assert len([item for item in items if isinstance(item, ReplyDelta)]) > 5
    assert isinstance(items[-1], ReplyEnd)


@both
@pytest.mark.parametrize("mode", ["never", "first_byte=30"])
async def test_silence_ends_in_a_timeout_error(chat_at: ChatAt, mode: str, stream: bool) -> None:
    with pytest.raises(ModelTimeoutError, match=r"0\.05 s"):
        await say(chat_at(mode, timeout=0.05), question(stream=stream))


async def test_a_slow_stream_with_signs_of_life_is_waited_for(chat_at: ChatAt) -> None:
    assert (await say(chat_at("token_delay=0.02", timeout=0.3), question(stream=True))).text == PROSE


async def test_leaving_a_stream_frees_its_connection(chat_at: ChatAt, server: FakeServer) -> None:
    chat = chat_at("token_delay=0.01")
    reply = chat.stream(question(stream=True))
    async for item in reply:
        if isinstance(item, ReplyDelta):
            break
    await close_items(reply)
    assert len(server.bodies()) == 1
