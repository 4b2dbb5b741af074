"""Reasoning is told apart from the reply, in whichever way a model shows it, and never becomes part of it."""

from __future__ import annotations

import pytest

from graphrag_cli.llm.base import ChatRequest, Message, ReplyDelta, ReplyNotice, ReplyReasoning, complete
from graphrag_cli.llm.replies import MapReply
from graphrag_cli.llm.structured import ask
from tests.contract.calls import REASK, both, question
from tests.contract.conftest import ChatAt
from tests.kit.replies import PROSE

MODES = ["think", "think_upper", "channels", "reasoning_field"]


@both
@pytest.mark.parametrize("mode", MODES)
async def test_reasoning_is_given_apart(chat_at: ChatAt, mode: str, stream: bool) -> None:
    reply = await complete(chat_at(mode), question(stream=stream))
    assert reply.text == PROSE
    assert reply.reasoning.strip().startswith("Let me")
    assert "<" not in reply.reasoning


@pytest.mark.parametrize("mode", ["think", "reasoning_field"])
async def test_reasoning_is_yielded_as_it_comes_and_before_the_text(chat_at: ChatAt, mode: str) -> None:
    items = [item async for item in chat_at(mode).stream(question(stream=True))]
    kinds = [type(item) for item in items if isinstance(item, ReplyReasoning | ReplyDelta)]
    thoughts = kinds.count(ReplyReasoning)
    assert thoughts > 1
    assert kinds == [ReplyReasoning] * thoughts + [ReplyDelta] * (len(kinds) - thoughts)


@pytest.mark.parametrize("mode", [*MODES, "think_orphan"])
async def test_the_reasoning_of_a_step_comes_with_its_reply(chat_at: ChatAt, mode: str) -> None:
    request = ChatRequest((Message("user", "Map this."),), "map")
    told: list[ReplyNotice | ReplyReasoning] = []
    reply = await ask(chat_at(mode), request, MapReply, reask=REASK, tell=told.append)
    assert len(reply.points) == 2
    assert [item.text.strip()[:6] for item in told] == ["Let me"]


async def test_a_reply_that_began_with_unmarked_reasoning_is_not_taken_for_it(chat_at: ChatAt) -> None:
    chat = chat_at("think_orphan*1")
    await complete(chat, question(stream=True))  # shows that this model's prompt opens the block
    reply = await complete(chat, question(stream=True))
    assert (reply.text, reply.reasoning) == (PROSE, "")


@both
async def test_a_model_that_does_not_reason_shows_none(chat_at: ChatAt, stream: bool) -> None:
    assert (await complete(chat_at("clean"), question(stream=stream))).reasoning == ""
