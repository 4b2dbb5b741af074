"""What reaches the wire, and prompts that do not fit the window."""

from __future__ import annotations

import pytest

from graphrag_cli.errors import (
    ContextLengthError,
)
from graphrag_cli.llm.base import (
    complete,
)
from tests.contract.calls import both, question, say
from tests.contract.conftest import KEY, ChatAt
from tests.kit.replies import PROSE
from tests.kit.server import FakeServer


@both
async def test_nothing_unset_and_no_null_is_sent(chat_at: ChatAt, server: FakeServer, stream: bool) -> None:
    reply = await say(chat_at(), question(stream=stream))
    assert reply.text == PROSE
    assert reply.outcome == "ok"
    body = server.bodies()[0]
    assert set(body) == {"model", "messages", "stream"} | ({"stream_options"} if stream else set())
    assert None not in body.values()
    assert body["stream"] is stream


async def test_set_parameters_are_sent_as_they_are(chat_at: ChatAt, server: FakeServer) -> None:
    await say(chat_at(), question(temperature=0, seed=7, max_tokens=50))
    body = server.bodies()[0]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0, 7, 50)


async def test_the_key_goes_in_the_header_and_the_server_counts_the_tokens(
    chat_at: ChatAt, server: FakeServer
) -> None:
    reply = await say(chat_at(), question())
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert not reply.usage.counted
    assert reply.usage.output_tokens > 0


@both
async def test_tokens_are_counted_where_the_server_sends_none(chat_at: ChatAt, stream: bool) -> None:
    reply = await say(chat_at("no_usage"), question(stream=stream))
    assert reply.usage.counted
    assert reply.usage.output_tokens == len(PROSE.split())


async def test_half_a_surrogate_pair_in_a_prompt_does_not_stop_the_call(chat_at: ChatAt) -> None:
    assert (await say(chat_at(), question(text="broken \ud83d text"))).text == PROSE


@both
async def test_a_prompt_that_does_not_fit_tells_the_numbers(chat_at: ChatAt, stream: bool) -> None:
    with pytest.raises(ContextLengthError) as caught:
        await say(chat_at("ctx=300"), question(stream=stream, text="word " * 1000))
    assert caught.value.limit == 300
    assert (caught.value.requested or 0) > 1000


async def test_a_known_window_is_kept_without_a_call(chat_at: ChatAt, server: FakeServer) -> None:
    with pytest.raises(ContextLengthError, match="100 tokens") as caught:
        await say(chat_at(window=100), question(text="word " * 200))
    assert caught.value.limit == 100
    assert server.requests == []


@both
async def test_a_prompt_cut_in_silence_is_noticed_once(chat_at: ChatAt, stream: bool) -> None:
    chat = chat_at("trunc=200")
    request = question(stream=stream, text="word " * 2000)
    first = await complete(chat, request)
    assert any("num_ctx" in notice.text for notice in first.notices)
    assert (await complete(chat, request)).notices == ()
