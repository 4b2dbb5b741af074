from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from graphrag_cli.errors import ModelError, RateLimitError, SettingsError
from graphrag_cli.llm.base import (
    CallUsage,
    ChatRequest,
    Message,
    ReplyDelta,
    ReplyEnd,
    ReplyNotice,
    Stage,
    complete,
)
from graphrag_cli.llm.in_process.scripted import (
    HashEmbedder,
    Reply,
    ScriptedChat,
    by_stage,
    from_file,
    prompt_text,
)
from graphrag_cli.llm.replies import MapReply, Point


def request(text: str = "hello", *, stage: Stage = "answer", stream: bool = False) -> ChatRequest:
    return ChatRequest((Message("system", "be brief"), Message("user", text)), stage, stream=stream)


async def test_a_queue_replies_in_order_and_keeps_the_calls() -> None:
    chat = ScriptedChat(["one", "two"])
    assert [(await complete(chat, request(text))).text for text in ("a", "b")] == ["one", "two"]
    assert [call.messages[-1].content for call in chat.calls] == ["a", "b"]


async def test_an_exhausted_queue_names_the_call() -> None:
    with pytest.raises(ModelError, match="no reply to this map call: 'which pole'"):
        await complete(ScriptedChat(), request("which pole", stage="map"))


async def test_the_fallback_answers_what_the_script_does_not() -> None:
    chat = ScriptedChat(["one"], fallback="else")
    assert [(await complete(chat, request())).text for _ in range(3)] == ["one", "else", "else"]


async def test_a_function_may_look_at_the_request() -> None:
    chat = ScriptedChat(lambda call: "yes" if "pole" in prompt_text(call) else "no")
    assert (await complete(chat, request("the pole"))).text == "yes"
    assert (await complete(chat, request("the coast"))).text == "no"


async def test_replies_by_stage_may_be_lists_functions_and_data() -> None:
    chat = ScriptedChat(
        by_stage(map=["a", "b"], reduce=lambda call: call.messages[-1].content, rate={"rating": 3})
    )
    texts = [
        (await complete(chat, request("q", stage=stage))).text
        for stage in ("map", "map", "map", "reduce", "rate")
    ]
    assert texts == ["a", "b", "b", "q", '{"rating": 3}']
    assert chat.stages == ["map", "map", "map", "reduce", "rate"]
    assert len(chat.calls_of("map")) == 3


async def test_a_reply_model_is_sent_as_json() -> None:
    reply = MapReply(points=(Point(description="far", score=80),))
    text = (await complete(ScriptedChat([reply]), request())).text
    assert MapReply.model_validate_json(text) == reply


async def test_streaming_sends_several_deltas_and_one_end() -> None:
    chat = ScriptedChat(["one two  three\n"])
    items = [item async for item in chat.stream(request(stream=True))]
    assert [item.text for item in items if isinstance(item, ReplyDelta)] == ["one ", "two  ", "three\n"]
    assert items[-1] == ReplyEnd("ok", CallUsage(3, 3, counted=True), "stop", "scripted")


async def test_without_streaming_the_text_comes_whole() -> None:
    items = [item async for item in ScriptedChat(["one two"]).stream(request())]
    assert [type(item) for item in items] == [ReplyDelta, ReplyEnd]


async def test_an_empty_reply_ends_empty() -> None:
    assert (await complete(ScriptedChat([""]), request())).outcome == "empty"


async def test_an_exception_is_raised_and_the_next_call_goes_on() -> None:
    chat = ScriptedChat([RateLimitError("slow down"), "fine"])
    with pytest.raises(RateLimitError):
        await complete(chat, request())
    assert (await complete(chat, request())).text == "fine"
    assert chat.running == 0


async def test_a_reply_may_break_half_way() -> None:
    chat = ScriptedChat([Reply("one two", error=ModelError("cut"))])
    got: list[object] = []
    with pytest.raises(ModelError, match="cut"):
        async for item in chat.stream(request(stream=True)):
            got.append(item)
    assert got == [ReplyDelta("one "), ReplyDelta("two")]


async def test_outcome_usage_and_notices_may_be_set() -> None:
    notice = ReplyNotice("retry", "tried again")
    reply = Reply("x", outcome="cut", finish_reason="length", usage=CallUsage(5, 6), notices=(notice,))
    got = await complete(ScriptedChat([reply]), request())
    assert (got.outcome, got.finish_reason, got.usage, got.notices) == (
        "cut",
        "length",
        CallUsage(5, 6),
        (notice,),
    )


async def test_calls_under_way_are_counted() -> None:
    chat = ScriptedChat(fallback=Reply("x", delay=0.01))
    await asyncio.gather(*(complete(chat, request()) for _ in range(4)))
    assert (chat.most_running, chat.running) == (4, 0)


RULES = [
    {"stage": "map", "match": "(?i)amundsen", "reply": {"points": [{"description": "dogs", "score": 90}]}},
    {"match": "down", "error": "no server"},
    {"reply": "anything else"},
]


@pytest.mark.parametrize("suffix", [".jsonl", ".yaml"])
async def test_a_file_of_rules_scripts_a_model(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"replies{suffix}"
    lines = [json.dumps(rule) for rule in RULES]
    path.write_text(
        "\n".join(lines) if suffix == ".jsonl" else "\n".join(f"- {line}" for line in lines), encoding="utf-8"
    )
    chat = from_file(path)
    assert json.loads((await complete(chat, request("AMUNDSEN", stage="map"))).text) == RULES[0]["reply"]
    assert (await complete(chat, request("Amundsen"))).text == "anything else"
    with pytest.raises(ModelError, match="no server"):
        await complete(chat, request("it is down"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", "{", "not JSON Lines"),
        ("a.yaml", "a: [", "not JSON Lines or YAML"),
        ("a.yaml", "reply: x", "list of rules"),
        ("a.jsonl", '{"match": "x"}', "rule 1 has neither"),
        ("a.jsonl", '{"reply": "x", "match": "("}', "rule 1"),
        ("a.jsonl", '"text"', "rule 1"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        from_file(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="absent"):
        from_file(tmp_path / "absent.jsonl")


async def test_hash_vectors_are_similar_where_words_are_shared() -> None:
    rows = await HashEmbedder(256).embed(
        ["dogs pull sledges", "sledges pull dogs", "dogs pull hard", "tea at four", ""]
    )
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    similarity = rows @ rows[0]
    assert similarity[1] == pytest.approx(1.0)
    assert similarity[1] > similarity[2] > similarity[3]


@pytest.mark.parametrize("width", [1, 8, 3072])
async def test_hash_vectors_have_the_width_asked_for(width: int) -> None:
    embedder = HashEmbedder(width)
    rows = await embedder.embed(["a b", "a b"])
    assert rows.shape == (2, width)
    np.testing.assert_array_equal(rows[0], rows[1])
    assert embedder.width == width
    assert embedder.calls == [("a b", "a b")]
    assert (await embedder.embed([])).shape == (0, width)


async def test_closing_is_recorded() -> None:
    chat, embedder = ScriptedChat(), HashEmbedder()
    await chat.aclose()
    await embedder.aclose()
    assert chat.closed
    assert embedder.closed
