"""Answers in prose: shown without reasoning, and told apart by how they end."""

from __future__ import annotations

import pytest

from graphrag_cli.errors import (
    ContentFilterError,
)
from graphrag_cli.llm.base import (
    ChatRequest,
    Message,
    complete,
)
from graphrag_cli.llm.replies import MapReply
from graphrag_cli.llm.structured import ask
from tests.contract.calls import REASK, both, points, question, say
from tests.contract.conftest import ChatAt
from tests.kit.replies import PROSE


@both
@pytest.mark.parametrize(
    "mode", ["clean", "think", "think_upper", "channels", "reasoning_field", "bom", "parts"]
)
async def test_an_answer_is_shown_without_reasoning(chat_at: ChatAt, mode: str, stream: bool) -> None:
    reply = await say(chat_at(mode), question(stream=stream))
    assert reply.text == PROSE
    assert reply.outcome == "ok"


async def test_reasoning_that_nothing_marks_is_shown_once_at_most(chat_at: ChatAt) -> None:
    chat = chat_at("think_orphan")
    first = await complete(chat, question(stream=True))
    assert "reply.unmarked_reasoning" in [notice.code for notice in first.notices]
    second = await complete(chat, question(stream=True))
    assert second.text == PROSE
    assert (await say(chat_at("think_orphan"), question())).text == PROSE


async def test_a_json_step_teaches_that_reasoning_is_not_marked(chat_at: ChatAt) -> None:
    chat = chat_at("think_orphan")
    await ask(chat, ChatRequest((Message("user", "Map."),), "map"), MapReply, reask=REASK)
    assert (await complete(chat, question(stream=True))).text == PROSE


@both
@pytest.mark.parametrize(
    "mode", ["empty", "null", "null_tools", "no_choices", "over_capacity", "think_open", "reasoning_only"]
)
async def test_an_empty_answer_is_called_empty_and_says_why(chat_at: ChatAt, mode: str, stream: bool) -> None:
    reply = await say(chat_at(mode), question(stream=stream))
    assert reply.outcome == "empty"
    assert [notice.code for notice in reply.notices if notice.code.startswith("reply.")]
    if mode == "over_capacity":
        assert any("over capacity" in notice.text for notice in reply.notices)


@both
async def test_an_answer_cut_by_its_limit_is_called_cut(chat_at: ChatAt, stream: bool) -> None:
    reply = await say(chat_at("cut"), question(stream=stream))
    assert (reply.outcome, reply.finish_reason) == ("cut", "length")


@both
async def test_a_refusal_is_no_answer(chat_at: ChatAt, stream: bool) -> None:
    reply = await say(chat_at("refusal"), question(stream=stream))
    assert (reply.text, reply.outcome) == ("", "filtered")
    assert any("can't help" in notice.text for notice in reply.notices)
    with pytest.raises(ContentFilterError):
        await points(chat_at("refusal"), stream=stream)


@both
async def test_a_filtered_answer_is_called_filtered(chat_at: ChatAt, stream: bool) -> None:
    assert (await say(chat_at("filtered"), question(stream=stream))).outcome == "filtered"
