"""Errors name the model, the address and what to do; what may pass is tried again."""

from __future__ import annotations

import traceback
from dataclasses import replace

import pytest

from graphrag_cli.errors import (
    AuthError,
    ContentFilterError,
    ContextLengthError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
)
from graphrag_cli.llm.replies import MapReply
from tests.contract.calls import both, both_ways, question, say
from tests.contract.conftest import KEY, ChatAt
from tests.kit.replies import PROSE
from tests.kit.server import FakeServer

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
    "no_body": (ModelError, None, 3),
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


PASSING = [
    "429_words*2",
    "500*1",
    "502*2",
    "error_200*1",
    "finish_error*1",
    "cut_half*1",
    "408*1",
    "no_body*1",
]


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
