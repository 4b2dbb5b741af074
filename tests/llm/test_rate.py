"""Calls wait their turn: so many at a time, so many requests and tokens in any minute."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.errors import AuthError, RateLimitError
from graphrag_cli.llm.around.rate import MinuteWindow, Slots, Throttle, ThrottledChat, ThrottledEmbedder
from graphrag_cli.llm.base import CallParams, ChatRequest, complete
from tests.llm.doubles import OnesEmbedder, QueueChat, WordCounter, request, said


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@given(
    st.integers(1, 50),
    st.lists(st.tuples(st.integers(1, 60), st.floats(0, 30)), min_size=1, max_size=40),
)
def test_no_minute_ever_holds_more_than_the_limit(limit: int, calls: list[tuple[int, float]]) -> None:
    clock = Clock()
    window = MinuteWindow(limit, clock)
    starts: list[tuple[float, int]] = []
    for amount, pause in calls:
        clock.now += pause
        starts.append((clock.now + window.reserve(amount), amount))
    # Waiting is told as a difference, so a start can come out a rounding error early.
    assert all(first <= second + 1e-6 for (first, _), (second, _) in pairwise(starts))
    for place, (start, amount) in enumerate(starts):
        earlier = sum(units for at, units in starts[:place] if at > start - 60.0 + 1e-6)
        assert earlier + amount <= limit or (amount > limit and earlier == 0)


async def test_requests_beyond_the_limit_of_a_minute_wait_for_the_next() -> None:
    clock = Clock()
    throttle = Throttle(10, requests_per_minute=2, clock=clock, sleep=clock.sleep)
    chat = ThrottledChat(QueueChat([said("x") for _ in range(3)]), throttle, WordCounter())
    for _ in range(3):
        await complete(chat, request())
    assert clock.now == pytest.approx(60)


async def test_tokens_of_prompt_and_reserved_reply_count() -> None:
    clock = Clock()
    throttle = Throttle(10, tokens_per_minute=100, clock=clock, sleep=clock.sleep)
    chat = ThrottledChat(QueueChat([said("x") for _ in range(2)]), throttle, WordCounter())
    asked = ChatRequest(request("word " * 20).messages, "map", params=CallParams(max_tokens=40))
    await complete(chat, asked)
    assert clock.now == 0
    await complete(chat, asked)
    assert clock.now == pytest.approx(60)


async def test_embedded_texts_count_too() -> None:
    clock = Clock()
    throttle = Throttle(10, tokens_per_minute=5, clock=clock, sleep=clock.sleep)
    embedder = ThrottledEmbedder(OnesEmbedder(), throttle, WordCounter())
    for _ in range(2):
        await embedder.embed(["one two three"])
    assert clock.now == pytest.approx(60)


async def test_no_more_calls_at_a_time_than_slots() -> None:
    active, peak = 0, 0

    async def one(throttle: Throttle) -> None:
        nonlocal active, peak
        async with throttle.call(0):
            active += 1
            peak = max(peak, active)
            await asyncio.sleep(0)
            active -= 1

    throttle = Throttle(3)
    await asyncio.gather(*(one(throttle) for _ in range(20)))
    assert peak == 3


async def test_after_too_many_the_slots_are_halved_once_for_calls_of_one_time() -> None:
    slots = Slots(8)
    epochs = [await slots.take() for _ in range(8)]
    for epoch in epochs:
        slots.refused(epoch)
    assert slots.size == 4


async def test_slots_come_back_slowly_and_never_beyond_the_full_size() -> None:
    slots = Slots(4)
    slots.refused(await slots.take())
    assert slots.size == 2
    sizes: list[int] = []
    for _ in range(12):
        slots.succeeded()
        sizes.append(slots.size)
    assert sizes == [2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4]


async def test_one_slot_always_stays() -> None:
    slots = Slots(1)
    for _ in range(5):
        slots.refused(await slots.take())
        await slots.give_back()
    assert slots.size == 1


async def test_a_wait_that_the_server_asks_for_holds_all_calls() -> None:
    clock = Clock()
    throttle = Throttle(4, clock=clock, sleep=clock.sleep)
    error = RateLimitError("slow", status=429, retryable=True, retry_after=7)
    chat = ThrottledChat(QueueChat([[error], said("x")]), throttle, WordCounter())
    with pytest.raises(RateLimitError):
        await complete(chat, request())
    await complete(chat, request())
    assert clock.now == pytest.approx(7)
    assert throttle.slots.size == 2


async def test_a_used_up_quota_does_not_slow_anything_down() -> None:
    throttle = Throttle(4)
    chat = ThrottledChat(QueueChat([[RateLimitError("quota", status=429)]]), throttle, WordCounter())
    with pytest.raises(RateLimitError):
        await complete(chat, request())
    assert throttle.slots.size == 4


async def test_calls_that_wait_behind_a_refused_key_are_not_made() -> None:
    inner = QueueChat([[0.0, AuthError("401")], said("another question")])
    chat = ThrottledChat(inner, Throttle(1), WordCounter())
    results = await asyncio.gather(*(complete(chat, request()) for _ in range(5)), return_exceptions=True)
    assert [type(result) for result in results] == [AuthError] * 5
    assert len(inner.requests) == 1
    assert (await complete(chat, request())).text == "another question"
