"""What may succeed on another try is tried again, patiently and not for ever; the rest is not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.errors import AuthError, ModelError, ModelTimeoutError, RateLimitError
from graphrag_cli.llm.around.retry import RetryingChat, RetryPolicy
from graphrag_cli.llm.base import CallUsage, ChatRequest, ReplyDelta, ReplyEnd, ReplyNotice, complete
from graphrag_cli.llm.replies import MapReply
from tests.llm.doubles import QueueChat, request, said


class Sleeper:
    """Sleeps at once and remembers for how long it was told to."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


def policy(sleeper: Sleeper | None = None, **settings: float) -> RetryPolicy:
    retries = int(settings.get("max_retries", 5))
    return RetryPolicy(retries, 1.0, 8.0, random.Random(1), sleeper or Sleeper())


def failing(status: int | None = 500, after: float | None = None) -> ModelError:
    return ModelError("failed", status=status, retryable=True, retry_after=after)


async def test_the_wait_doubles_with_jitter_up_to_its_longest() -> None:
    sleeper = Sleeper()
    chat = RetryingChat(QueueChat([*([failing()] for _ in range(5)), said("good")]), policy(sleeper))
    reply = await complete(chat, request())
    assert reply.text == "good"
    for slept, ceiling in zip(sleeper.slept, [1, 2, 4, 8, 8], strict=True):
        assert ceiling / 2 <= slept <= ceiling
    assert [notice.code for notice in reply.notices] == ["model.retry"] * 5


async def test_the_server_s_own_wait_is_obeyed_even_beyond_the_longest() -> None:
    sleeper = Sleeper()
    error = RateLimitError("slow down", status=429, retryable=True, retry_after=20)
    await complete(RetryingChat(QueueChat([[error], said("good")]), policy(sleeper)), request())
    assert 20 <= sleeper.slept[0] <= 21


async def test_a_wait_that_is_over_already_is_none() -> None:
    sleeper = Sleeper()
    chat = RetryingChat(
        QueueChat([*([failing(503, after=0.0)] for _ in range(3)), said("good")]), policy(sleeper)
    )
    await complete(chat, request())
    for slept, ceiling in zip(sleeper.slept, [1, 2, 4], strict=True):
        assert slept >= ceiling / 2


async def test_a_server_that_wants_an_hour_is_not_waited_for() -> None:
    sleeper = Sleeper()
    error = RateLimitError("slow down", status=429, retryable=True, retry_after=3600, hint="wait")
    with pytest.raises(RateLimitError) as caught:
        await complete(RetryingChat(QueueChat([[error]]), policy(sleeper)), request())
    assert "3,600" in (caught.value.hint or "")
    assert sleeper.slept == []


async def test_the_last_failure_says_how_often_it_was_tried() -> None:
    chat = RetryingChat(QueueChat([[failing()] for _ in range(3)]), policy(max_retries=2))
    with pytest.raises(ModelError, match="after 3 tries"):
        await complete(chat, request())


@pytest.mark.parametrize(
    "error", [AuthError("no", status=401), ModelError("no", status=400), RateLimitError("quota", status=429)]
)
async def test_what_cannot_succeed_is_tried_once(error: ModelError) -> None:
    inner = QueueChat([[error], said("never")])
    with pytest.raises(type(error)):
        await complete(RetryingChat(inner, policy()), request())
    assert len(inner.requests) == 1


@pytest.mark.parametrize("error", [ModelTimeoutError("silence", retryable=True), failing(status=None)])
async def test_silence_is_tried_three_times_at_most(error: ModelError) -> None:
    inner = QueueChat([[error] for _ in range(10)])
    with pytest.raises(ModelError):
        await complete(RetryingChat(inner, policy(max_retries=9)), request())
    assert len(inner.requests) == 3


async def test_text_that_was_shown_is_kept_and_the_reply_is_cut() -> None:
    inner = QueueChat([[ReplyDelta("half "), failing()], said("whole")])
    reply = await complete(RetryingChat(inner, policy()), request(stream=True))
    assert (reply.text, reply.outcome) == ("half ", "cut")
    assert len(inner.requests) == 1
    assert "reply.cut" in [notice.code for notice in reply.notices]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_reply_that_nobody_watches_is_begun_anew(stream: bool) -> None:
    inner = QueueChat([[ReplyNotice("a", "b"), ReplyDelta("half "), failing()], said("whole")])
    asked = ChatRequest(request().messages, "map", reply_model=MapReply if stream else None, stream=stream)
    reply = await complete(RetryingChat(inner, policy()), asked)
    assert (reply.text, reply.outcome) == ("whole", "ok")
    assert reply.usage == CallUsage(10, 5)


async def test_every_reply_is_closed() -> None:
    inner = QueueChat([[failing()], [ReplyDelta("x"), ReplyEnd("ok", CallUsage(1, 1))]])
    await complete(RetryingChat(inner, policy()), request())
    assert inner.closed == 2


@given(st.integers(0, 12), st.integers(0, 2**32))
def test_no_wait_is_negative_or_above_the_longest(retries: int, seed: int) -> None:
    patient = RetryPolicy(99, 0.5, 30.0, random.Random(seed))
    delay = patient.delay(failing(), retries)
    assert delay is not None
    assert 0 < delay <= 30.0
