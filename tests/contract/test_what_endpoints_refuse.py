"""Formats and parameters that endpoints do not take: found out once, and remembered."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from graphrag_cli.llm.base import (
    ChatRequest,
    Message,
    complete,
)
from graphrag_cli.llm.replies import MapReply
from graphrag_cli.llm.structured import ask
from tests.contract.calls import GOOD, REASK, both, points, question, say
from tests.contract.conftest import ChatAt
from tests.kit.replies import PROSE
from tests.kit.server import FakeServer
from tests.llm.doubles import Told

FORMATS = {
    "nofmt_schema": ["json_schema", "json_object"],
    "nofmt_any": ["json_schema", "json_object", None],
    "nofmt_vague": ["json_schema", "json_object", None],
    "nofmt_422": ["json_schema", "json_object", None],
    "nofmt_schema+nofmt_object": ["json_schema", "json_object", None],
}


def formats(server: FakeServer) -> list[str | None]:
    asked: list[dict[str, str]] = [body.get("response_format") or {} for body in server.bodies()]
    return [form.get("type") for form in asked]


@both
@pytest.mark.parametrize("mode", FORMATS)
async def test_a_refused_format_is_replaced_and_remembered(
    chat_at: ChatAt, server: FakeServer, mode: str, stream: bool
) -> None:
    chat = chat_at(mode)
    request = ChatRequest((Message("user", 'Send JSON with "points".'),), "map", stream=stream)
    told = Told()
    assert await ask(chat, request, MapReply, reask=REASK, tell=told) == GOOD
    assert "model.adapted" in told.codes
    assert formats(server) == FORMATS[mode]
    await ask(chat, request, MapReply, reask=REASK)
    assert formats(server) == [*FORMATS[mode], FORMATS[mode][-1]]


async def test_from_an_object_the_ladder_leads_to_a_schema_too(chat_at: ChatAt, server: FakeServer) -> None:
    assert await points(chat_at("nofmt_object", structured="object"), stream=False) == GOOD
    assert formats(server) == ["json_object", "json_schema"]


async def test_without_structured_output_no_format_is_sent(chat_at: ChatAt, server: FakeServer) -> None:
    chat = chat_at(structured="none")
    request = ChatRequest((Message("user", 'Send JSON with "points".'),), "map")
    assert await ask(chat, request, MapReply, reask=REASK) == GOOD
    assert formats(server) == [None]


async def test_calls_side_by_side_learn_together(chat_at: ChatAt, server: FakeServer) -> None:
    chat = chat_at("nofmt_any")
    request = ChatRequest((Message("user", 'Send JSON with "points".'),), "map")
    told = Told()
    answers = await asyncio.gather(*(ask(chat, request, MapReply, reask=REASK, tell=told) for _ in range(6)))
    assert all(answer == GOOD for answer in answers)
    assert len(told.texts) == len(set(told.texts)) == 2


PARAMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "noparam_max_tokens": ({"max_tokens": 50}, {"max_completion_tokens": 50}),
    "noparam_max_completion_tokens": ({"max_completion_tokens": 50}, {"max_tokens": 50}),
    "noparam_max_tokens+noparam_max_completion_tokens": ({"max_tokens": 50}, {}),
    "noparam_large": ({"max_tokens": 5000}, {"max_tokens": 1000}),
    "noparam_temperature": ({"temperature": 0}, {}),
    "noparam=n": ({"n": 1}, {}),
    "noparam=top_p": ({"top_p": 0.5}, {}),
    "noparam=seed": ({"seed": 5}, {}),
    "noparam=reasoning_effort": ({"reasoning_effort": "low"}, {}),
    "noparam_temperature+noparam=seed": ({"temperature": 0, "seed": 5}, {}),
}


@both
@pytest.mark.parametrize("mode", PARAMS)
async def test_a_refused_parameter_is_renamed_or_dropped_once(
    chat_at: ChatAt, server: FakeServer, mode: str, stream: bool
) -> None:
    chat = chat_at(mode)
    given, kept = PARAMS[mode]
    request = question(stream=stream, **given)
    assert (await complete(chat, request)).text == PROSE
    calls = len(server.bodies())
    assert (await complete(chat, request)).text == PROSE
    assert len(server.bodies()) == calls + 1
    assert set(server.bodies()[-1]) - {"model", "messages", "stream", "stream_options"} == set(kept)
    assert {name: server.bodies()[-1][name] for name in kept} == kept


async def test_refused_stream_options_are_left_out(chat_at: ChatAt, server: FakeServer) -> None:
    reply = await say(chat_at("noparam=stream_options"), question(stream=True))
    assert reply.text == PROSE
    assert reply.usage.counted
    assert "stream_options" not in server.bodies()[-1]


@both
async def test_a_refused_system_message_becomes_part_of_the_question(
    chat_at: ChatAt, server: FakeServer, stream: bool
) -> None:
    assert (await say(chat_at("nosystem"), question(stream=stream))).text == PROSE
    assert server.bodies()[-1]["messages"] == [
        {"role": "user", "content": "Answer from the tables.\n\nWho arrived first?"}
    ]


async def test_a_model_that_only_streams_is_streamed_from_then_on(
    chat_at: ChatAt, server: FakeServer
) -> None:
    chat = chat_at("only_stream")
    for _ in range(2):
        assert await points(chat, stream=False) == GOOD
    assert [body["stream"] for body in server.bodies()] == [False, True, True]
    assert formats(server) == ["json_schema"] * 3
