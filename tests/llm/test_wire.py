"""Bytes of replies are read the same in whichever pieces they arrive."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphrag_cli.errors import ModelError
from graphrag_cli.llm.base import ReplyDelta
from graphrag_cli.llm.endpoints.address import Secrets
from graphrag_cli.llm.endpoints.chunks import ChunkReader
from graphrag_cli.llm.endpoints.faults import Target
from graphrag_cli.llm.endpoints.gathering import Gathered
from graphrag_cli.llm.endpoints.sdk import Endpoint
from graphrag_cli.llm.endpoints.wire import Chunk, read_chunk
from graphrag_cli.llm.reading.reasoning import ReasoningFilter, strip_reasoning

TARGET = Target("m", "http://127.0.0.1/v1", Secrets(("hush",)), has_key=True)
SSE = "text/event-stream"


def event(text: str | None, **choice: object) -> str:
    value = {"choices": [{"index": 0, "delta": {"content": text}, **choice}]}
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def read(body: bytes, cuts: list[int], content_type: str = SSE) -> list[Chunk]:
    reader = ChunkReader(TARGET, content_type)
    chunks: list[Chunk] = []
    places = [0, *sorted({cut % (len(body) + 1) for cut in cuts}), len(body)]
    for start, end in pairwise(places):
        chunks += reader.feed(body[start:end])
    return [*chunks, *reader.finish()]


STREAM = (
    ": hello\r\n\r\n"
    + event("Am")
    + "event: x\nid: 5\n"
    + event("undsen — 先")
    + ": still here\n\n"
    + 'data: {"choices": [{"index": 0, "delta": {},\ndata: "finish_reason": "stop"}]}\n\n'
    + "data: [DONE]\n\n"
)


@given(st.lists(st.integers(0, 10_000), max_size=40), st.sampled_from(["\n", "\r\n", "\r"]))
@example(list(range(1000)), "\r\n")
def test_a_stream_is_read_the_same_however_it_is_cut(cuts: list[int], line_end: str) -> None:
    body = STREAM.replace("\r\n", "\n").replace("\n", line_end).encode()
    chunks = read(body, cuts)
    assert "".join(chunk.text for chunk in chunks) == "Amundsen — 先"
    assert chunks[-1].finish_reason == "stop"


@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_a_whole_reply_is_read_the_same_however_it_is_cut(cuts: list[int]) -> None:
    body = json.dumps({"choices": [{"message": {"content": "先 first"}}]}, ensure_ascii=False).encode()
    assert [chunk.text for chunk in read(b"\n\n" + body, cuts, "application/json")] == ["先 first"]
    assert [chunk.text for chunk in read(body, cuts, SSE)] == ["先 first"]


def test_the_last_event_needs_no_empty_line_after_it() -> None:
    body = STREAM.replace("data: [DONE]\n\n", "").rstrip("\n").encode()
    assert read(body, [])[-1].finish_reason == "stop"


@pytest.mark.parametrize(
    "body", [event("Am").encode(), event("Am").encode() + b'data: {"choices": [{"del', b": only comments\n\n"]
)
def test_a_stream_that_ends_before_it_says_so_is_an_error(body: bytes) -> None:
    with pytest.raises(ModelError, match="broke off") as caught:
        read(body, [])
    assert caught.value.retryable


@pytest.mark.parametrize(
    "begins", ["data: ", "event: x\ndata: ", "\ufeffevent: x\ndata: ", ": hi\n\ndata: ", "id: 1\ndata: "]
)
def test_events_that_come_byte_by_byte_are_told_without_their_type(begins: str) -> None:
    body = (begins + event("Amundsen", finish_reason="stop").removeprefix("data: ")).encode()
    for content_type in ("", "application/json"):
        (chunk,) = read(body, list(range(len(body))), content_type)
        assert chunk.text == "Amundsen"


def test_a_mark_in_front_of_a_stream_costs_no_text() -> None:
    chunks = read("\ufeff".encode() + STREAM.removeprefix(": hello\r\n\r\n").encode(), [])
    assert "".join(chunk.text for chunk in chunks) == "Amundsen — 先"


def test_events_without_an_empty_line_between_them_are_read() -> None:
    chunks = read(STREAM.replace("\n\n", "\n").encode(), [])
    assert "".join(chunk.text for chunk in chunks) == "Amundsen — 先"


@pytest.mark.parametrize("sign", ["ping", "[PING]", "keep-alive", "null"])
def test_signs_of_life_are_no_text(sign: str) -> None:
    body = f"event: ping\ndata: {sign}\n\n" + STREAM
    assert "".join(chunk.text for chunk in read(body.encode(), [])) == "Amundsen — 先"


def test_nothing_after_the_end_mark_is_part_of_the_reply() -> None:
    chunks = read((STREAM + event(" and more") + "data: not JSON\n\n").encode(), [])
    assert "".join(chunk.text for chunk in chunks) == "Amundsen — 先"


@pytest.mark.parametrize("tokens", ["1e999", "-1", "NaN", "1e99", '"12"', "null", "true"])
def test_a_count_that_can_be_none_counts_as_not_sent(tokens: str) -> None:
    usage = f'data: {{"choices":[],"usage":{{"prompt_tokens":{tokens},"completion_tokens":{tokens}}}}}\n\n'
    for chunk in read((usage + STREAM).encode(), []):
        assert (chunk.prompt_tokens, chunk.output_tokens) == (0, 0)


@pytest.mark.parametrize(
    ("delta", "text", "reasoning"),
    [
        ({"content": {"type": "text", "text": "a"}}, "a", ""),
        ({"content": ["a", {"type": "text", "text": "b"}]}, "ab", ""),
        ({"content": [{"type": "reasoning", "text": "r"}, {"type": "text", "text": "a"}]}, "a", "r"),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}]}, "", "r"),
        ({"content": "a", "thinking": "r"}, "a", "r"),
        ({"reasoning_content": "r", "reasoning": "r"}, "", "r"),
    ],
)
def test_text_and_reasoning_are_told_apart(delta: object, text: str, reasoning: str) -> None:
    chunk = read_chunk({"choices": [{"index": "0", "delta": delta}]})
    assert (chunk.text, chunk.reasoning) == (text, reasoning)


def test_a_character_that_two_pieces_share_stays_whole() -> None:
    gathered = Gathered(raw=False)
    shown = [item for text in ("a\ud83d", "\ude00b", "\ud83d") for item in gathered.add(Chunk(text=text))]
    assert [*shown, *gathered.rest()] == [ReplyDelta("a"), ReplyDelta("😀b")]


@pytest.mark.parametrize(
    ("reason", "outcome"), [("MAX_TOKENS", "cut"), ("SAFETY", "filtered"), ("STOP", "ok")]
)
def test_a_finish_reason_is_read_in_capitals_too(reason: str, outcome: str) -> None:
    gathered = Gathered(raw=False)
    gathered.add(Chunk(text="text", finish_reason=reason))
    assert gathered.outcome() == outcome


def test_an_error_event_does_not_pass_for_the_end_of_the_reply() -> None:
    body = event("Am") + 'event: error\ndata: {"message": "boom"}\n\ndata: [DONE]\n\n'
    assert read(body.encode(), [])[-1].error


SHAPES: list[object] = [None, 1, "x", [], {}, {"choices": None}, {"choices": {}}, {"choices": [None]}, {"choices": [{}]},
     {"choices": [{"delta": None}]}, {"choices": [{"delta": {"content": 5}}]}, {"usage": "x", "choices": []},
     {"choices": [{"message": {"tool_calls": [None]}}]}, {"choices": [{"message": {"tool_calls": [{"function": None}]}}]},
     {"usage": {"prompt_tokens": None, "completion_tokens": -1}}, {"choices": [{"index": 1, "delta": {"content": "b"}}]}]  # fmt: skip


@pytest.mark.parametrize("value", SHAPES)
def test_values_of_any_shape_add_nothing_and_break_nothing(value: object) -> None:
    chunk = read_chunk(value)
    assert (chunk.text, chunk.arguments, chunk.prompt_tokens, chunk.output_tokens) == ("", "", 0, 0)


PIECES = st.sampled_from(
    ["<think>", "</think>", "<Reasoning>", "</Reasoning>", "[THINK]", "[/THINK]", "text ", "<b>", "a < b", "{", "[Data: ", "<"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12), st.integers(1, 9))
@example(["{", "</Reasoning>", "<think>"], 9)
def test_reasoning_is_taken_out_of_a_stream_as_of_a_whole(pieces: list[str], size: int) -> None:
    text = "start " + "".join(pieces)
    streamed = ReasoningFilter()
    shown = (
        "".join(streamed.feed(text[at : at + size]) for at in range(0, len(text), size)) + streamed.finish()
    )
    if not streamed.late_close:
        assert shown == strip_reasoning(text).text


@given(st.text(alphabet="<>[]/|thinkTHINK◁▷ a", max_size=60), st.integers(1, 7))
def test_no_text_is_lost_or_made_up(text: str, size: int) -> None:
    streamed = ReasoningFilter()
    shown = (
        "".join(streamed.feed(text[at : at + size]) for at in range(0, len(text), size)) + streamed.finish()
    )
    kept = shown + "".join(streamed.reasoning)
    assert len(kept) <= len(text)
    if not streamed.reasoning and "<" not in text and "[" not in text and "◁" not in text:
        # Blanks at the beginning may go: when they come alone, nobody knows yet whether anything follows.
        assert text.endswith(shown)
        assert shown.lstrip() == text.lstrip()


def test_no_key_is_in_the_representation_of_an_endpoint() -> None:
    endpoint = Endpoint("m", key="hush-hush", headers=(("X", "hush-hush"),), proxy="http://u:hush-hush@p")
    assert "hush" not in f"{endpoint!r} {endpoint.target!r} {TARGET!r}"
