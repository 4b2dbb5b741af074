"""The adapter against a server that really listens: what goes out, and what is made of what comes back."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Any

import pytest

from graphrag_cli.errors import (
    AuthError,
    ContentFilterError,
    ContextLengthError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
    UnusableReplyError,
)
from graphrag_cli.llm.base import (
    CallParams,
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    ReplyDelta,
    ReplyEnd,
    close_items,
    complete,
)
from graphrag_cli.llm.replies import MapReply, Point, PrimerReply
from graphrag_cli.llm.structured import ask
from tests.contract.conftest import KEY, ChatAt
from tests.kit.replies import PROSE
from tests.kit.server import FakeServer
from tests.kit.texts import TEXT_MODES

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
    return (await ask(chat, request, MapReply, reask=REASK)).value


# ---- what goes out --------------------------------------------------------------------------------------------


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


# ---- JSON replies in every disguise (FS1 to FS11) ----------------------------------------------------------------

AS_GOOD = [
    "clean",
    "fenced",
    "fenced_plain",
    "fenced_upper",
    "fenced_open",
    "prose_around",
    "two_objects",
    "think",
    "think_open",
    "think_upper",
    "think_orphan",
    "channels",
    "tail",
    "bom",
    "unicode_escapes",
    "single_quotes",
    "trailing_commas",
    "top_list",
    "json_in_string",
    "points_dict",
    "points_string",
    "points_content",
    "wrapped",
    "reasoning_field",
    "reasoning_only",
    "tool_call",
    "parts",
    "first_empty",
    "null_delta+keepalive+split_utf8",
    "no_usage",
]


@both
@pytest.mark.parametrize("mode", AS_GOOD)
async def test_points_are_read_from(chat_at: ChatAt, server: FakeServer, mode: str, stream: bool) -> None:
    assert await points(chat_at(mode), stream=stream) == GOOD
    assert len(server.bodies()) == 1


MENDED = {
    "raw_newline": "a\nb\tcd A first point [Data: Reports (1)]",
    "backslashes": r"C:\Users\new\x \alpha \frac{1}{2} A first point [Data: Reports (1)]",
}


@both
@pytest.mark.parametrize("mode", MENDED)
async def test_text_survives(chat_at: ChatAt, mode: str, stream: bool) -> None:
    assert (await points(chat_at(mode), stream=stream)).points[0].description == MENDED[mode]


SCORES = {
    "score_string": 85,
    "score_fraction": 85,
    "score_decimal_string": 8.5,
    "score_decimal": 8.5,
    "score_negative": 0,
    "score_huge": 100,
}


@pytest.mark.parametrize("mode", SCORES)
async def test_scores_are_read_from(chat_at: ChatAt, mode: str) -> None:
    assert {point.score for point in (await points(chat_at(mode), stream=False)).points} == {SCORES[mode]}


ASKED_AGAIN = [
    "prose_only",
    "empty",
    "blank",
    "null",
    "null_tools",
    "no_choices",
    "top_string",
    "no_points",
    "points_strings",
    "score_word",
    "score_null",
    "score_missing",
    "score_nan",
    "over_capacity",
]


@both
@pytest.mark.parametrize("mode", ASKED_AGAIN)
async def test_what_cannot_be_used_is_asked_for_once_more(
    chat_at: ChatAt, server: FakeServer, mode: str, stream: bool
) -> None:
    assert await points(chat_at(f"{mode}*1"), stream=stream) == GOOD
    assert len(server.bodies()) == 2
    assert "Not usable: " in server.bodies()[1]["messages"][-1]["content"]


@both
@pytest.mark.parametrize("mode", ASKED_AGAIN)
async def test_what_stays_unusable_says_so(
    chat_at: ChatAt, server: FakeServer, mode: str, stream: bool
) -> None:
    with pytest.raises(UnusableReplyError, match="fake-model"):
        await points(chat_at(mode), stream=stream)
    assert len(server.bodies()) == 2


@both
async def test_the_whole_points_of_a_cut_reply_are_kept(chat_at: ChatAt, stream: bool) -> None:
    assert await points(chat_at("cut"), stream=stream) == MapReply(points=GOOD.points[:1])


@pytest.mark.parametrize(
    "mode", [mode for mode in TEXT_MODES if mode.startswith(("follow", "answer"))]
)  # fmt: skip
async def test_a_primer_reply_is_read_from(chat_at: ChatAt, mode: str) -> None:
    chat = chat_at(mode)
    request = ChatRequest((Message("user", "Begin."),), "primer")
    value = (await ask(chat, request, PrimerReply, reask=REASK)).value
    assert value.intermediate_answer
    assert all(isinstance(query, str) and query for query in value.follow_up_queries)


# ---- prose replies (FS4, FS7 to FS9) -----------------------------------------------------------------------------


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
    assert reply.outcome == "cut"
    assert "reply.cut" in [notice.code for notice in reply.notices]


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


# ---- formats and parameters that endpoints refuse (FS12, FS13) -----------------------------------------------------

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
    first = await ask(chat, request, MapReply, reask=REASK)
    assert first.value == GOOD
    assert "model.adapted" in [notice.code for notice in first.notices]
    assert formats(server) == FORMATS[mode]
    await ask(chat, request, MapReply, reask=REASK)
    assert formats(server) == [*FORMATS[mode], FORMATS[mode][-1]]


async def test_from_an_object_the_ladder_leads_to_a_schema_too(chat_at: ChatAt, server: FakeServer) -> None:
    assert await points(chat_at("nofmt_object", structured="object"), stream=False) == GOOD
    assert formats(server) == ["json_object", "json_schema"]


async def test_without_structured_output_no_format_is_sent(chat_at: ChatAt, server: FakeServer) -> None:
    chat = chat_at(structured="none")
    request = ChatRequest((Message("user", 'Send JSON with "points".'),), "map")
    assert (await ask(chat, request, MapReply, reask=REASK)).value == GOOD
    assert formats(server) == [None]


async def test_calls_side_by_side_learn_together(chat_at: ChatAt, server: FakeServer) -> None:
    chat = chat_at("nofmt_any")
    request = ChatRequest((Message("user", 'Send JSON with "points".'),), "map")
    answers = await asyncio.gather(*(ask(chat, request, MapReply, reask=REASK) for _ in range(6)))
    assert all(answer.value == GOOD for answer in answers)
    notices = [notice.text for answer in answers for notice in answer.notices]
    assert len(notices) == len(set(notices)) == 2


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


# ---- errors (FS14) -------------------------------------------------------------------------------------------------

ERRORS = {
    "401": (AuthError, "api_key", 1),
    "403": (AuthError, "rights", 1),
    "404_model": (ModelError, "does not offer it", 1),
    "404_path": (ModelError, "/v1", 1),
    "408": (ModelTimeoutError, "timeout", 3),
    "413": (ContextLengthError, "max_context", 1),
    "429_words": (RateLimitError, "rate_limit", 3),
    "429_bare": (RateLimitError, "rate_limit", 3),
    "429_quota": (RateLimitError, "quota", 1),
    "500": (ModelError, "server failed", 3),
    "502": (ModelError, "server failed", 3),
    "503": (ModelError, "server failed", 3),
    "filter": (ContentFilterError, "filter", 1),
    "html": (ModelError, "/v1", 1),
    "html_404": (ModelError, "/v1", 1),
    "error_200": (ModelError, "server failed", 3),
    "error_200_text": (ModelError, None, 3),
    "nonsense": (ModelError, "/v1", 1),
    "not_json": (ModelError, "/v1", 1),
    "no_body": (ModelError, "/v1", 1),
    "finish_error": (ModelError, None, 3),
}


@pytest.mark.parametrize(("mode", "stream"), both_ways(ERRORS, shown=["finish_error"]))
async def test_an_error_names_model_url_and_what_to_do(
    chat_at: ChatAt, server: FakeServer, mode: str, stream: bool
) -> None:
    kind, hint, calls = ERRORS[mode]
    with pytest.raises(ModelError) as caught:
        await say(chat_at(mode), question(stream=stream))
    error = caught.value
    assert type(error) is kind
    assert "'fake-model'" in error.message
    assert server.base(mode) in error.message
    assert hint is None or hint in (error.hint or "")
    streamed_again = 1 if mode == "403" and stream else 0
    assert len(server.bodies()) == calls + streamed_again


@both
@pytest.mark.parametrize("mode", ERRORS)
async def test_no_error_holds_the_key(chat_at: ChatAt, mode: str, stream: bool) -> None:
    with pytest.raises(ModelError) as caught:
        await say(chat_at(mode), replace(question(stream=stream), reply_model=MapReply))
    printed = "".join(traceback.format_exception(caught.value)) + str(caught.value.hint)
    assert KEY not in printed
    assert "sk-secret" not in printed


PASSING = ["429_words*2", "500*1", "502*2", "error_200*1", "finish_error*1", "cut_half*1", "408*1"]


@pytest.mark.parametrize(("mode", "stream"), both_ways(PASSING, shown=["finish_error*1", "cut_half*1"]))
async def test_what_may_pass_is_tried_again(chat_at: ChatAt, mode: str, stream: bool) -> None:
    reply = await say(chat_at(mode), question(stream=stream))
    assert reply.text == PROSE
    if not mode.startswith("cut"):
        assert "model.retry" in [notice.code for notice in reply.notices]


async def test_no_server_is_named_with_its_address(chat_at: ChatAt, server: FakeServer) -> None:
    server.port = 9
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9.*refused") as caught:
        await say(chat_at(), question())
    assert "running" in (caught.value.hint or "")


# ---- streams (FS15, FS16) --------------------------------------------------------------------------------------------

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


# ---- windows (FS17, FS18) -----------------------------------------------------------------------------------------


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
