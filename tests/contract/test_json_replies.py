"""JSON replies in every disguise: what can be read is, what cannot is asked for once more."""

from __future__ import annotations

import pytest

from graphrag_cli.errors import (
    UnusableReplyError,
)
from graphrag_cli.llm.base import (
    ChatRequest,
    Message,
)
from graphrag_cli.llm.replies import MapReply, PrimerReply
from graphrag_cli.llm.structured import UNRATED, ask
from tests.contract.calls import GOOD, REASK, both, points
from tests.contract.conftest import ChatAt
from tests.kit.server import FakeServer
from tests.kit.texts import TEXT_MODES

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


UNSCORED = ["points_strings", "score_word", "score_null", "score_missing", "score_nan"]


@both
@pytest.mark.parametrize("mode", UNSCORED)
async def test_what_stays_without_scores_is_kept_with_the_lowest(
    chat_at: ChatAt, server: FakeServer, mode: str, stream: bool
) -> None:
    kept = await points(chat_at(mode), stream=stream)
    assert {point.score for point in kept.points} == {UNRATED}
    assert len(server.bodies()) == 2


@both
@pytest.mark.parametrize("mode", [mode for mode in ASKED_AGAIN if mode not in UNSCORED])
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
    value = await ask(chat, request, PrimerReply, reask=REASK)
    assert value.intermediate_answer
    assert all(isinstance(query, str) and query for query in value.follow_up_queries)
