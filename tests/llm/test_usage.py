"""The meter counts every call, and a limit ends a run before the call that would break it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

import pytest

from graphrag_cli.errors import AuthError, DeadlineError, LimitError, ModelError, SettingsError
from graphrag_cli.events import StageUsage
from graphrag_cli.llm.around.purse import Limits, Purse
from graphrag_cli.llm.around.usage import UsageMeter, count_prompt
from graphrag_cli.llm.base import CallUsage, ReplyDelta, ReplyEnd, ReplyItem, complete
from tests.llm.doubles import FlatPrices, OnesEmbedder, QueueChat, WordCounter, request, said


def meter(limits: Limits | None = None, prices: FlatPrices | None = None) -> UsageMeter:
    return UsageMeter(limits or Limits(), prices or FlatPrices(), WordCounter())


async def test_calls_and_tokens_are_added_up_by_stage() -> None:
    m = meter()
    chat = m.chat(QueueChat([said("a"), said("b"), said("c")]))
    await complete(chat, request(stage="map"))
    await complete(chat, request(stage="map"))
    await complete(chat, request(stage="reduce"))
    await m.embedder(OnesEmbedder()).embed(["one two", "three"])
    usage = m.usage()
    assert usage.by_stage["map"] == StageUsage(2, 20, 10)
    assert usage.by_stage["reduce"] == StageUsage(1, 10, 5)
    assert usage.by_stage["embed"] == StageUsage(embedding_calls=1, embedding_tokens=3)
    assert usage.cost_usd == pytest.approx((30 + 2 * 15 + 3) / 1e6)
    assert not usage.counted


async def test_tokens_are_counted_when_the_server_sent_none() -> None:
    m = meter()
    asked = request("one two three")
    reply = await complete(m.chat(QueueChat([said("four five", usage=CallUsage())])), asked)
    assert reply.usage == CallUsage(count_prompt(asked.messages, WordCounter()), 2, counted=True)
    assert m.usage().counted


async def test_a_failed_call_is_a_call() -> None:
    m = meter()
    with pytest.raises(ModelError):
        await complete(m.chat(QueueChat([[ModelError("gone")]])), request())
    assert m.usage().total == StageUsage(llm_calls=1)


async def test_text_received_before_a_failure_is_paid_for() -> None:
    m = meter()
    with pytest.raises(ModelError):
        await complete(m.chat(QueueChat([[ReplyDelta("one two"), ModelError("gone")]])), request())
    assert m.usage().total.output_tokens == 2


async def test_the_call_after_the_last_allowed_one_is_refused_and_not_made() -> None:
    m = meter(Limits(max_calls=1))
    inner = QueueChat([said("a"), said("b")])
    chat = m.chat(inner)
    await complete(chat, request())
    with pytest.raises(LimitError, match="1"):
        await complete(chat, request())
    assert len(inner.requests) == 1
    assert m.usage().total.llm_calls == 1


async def test_calls_made_side_by_side_do_not_overrun_the_limit_together() -> None:
    m = meter(Limits(max_calls=3))
    inner = QueueChat([[0.01, ReplyEnd("ok", CallUsage(1, 1))] for _ in range(10)])
    chat = m.chat(inner)
    ended = await asyncio.gather(*(complete(chat, request()) for _ in range(10)), return_exceptions=True)
    assert len(inner.requests) == 3
    assert sum(isinstance(end, LimitError) for end in ended) == 7


async def test_prompts_under_way_count_against_the_token_limit() -> None:
    asked = request(" ".join(["word"] * 50))
    m = meter(Limits(max_tokens=130))
    inner = QueueChat([[0.01, ReplyEnd("ok", CallUsage(57, 1))] for _ in range(5)])
    ended = await asyncio.gather(*(complete(m.chat(inner), asked) for _ in range(5)), return_exceptions=True)
    assert len(inner.requests) == 2
    assert sum(isinstance(end, LimitError) for end in ended) == 3


async def test_a_failed_call_gives_back_what_was_held_for_it() -> None:
    m = meter(Limits(max_tokens=100))
    inner = QueueChat([[ModelError("gone")], said("fine")])
    asked = request(" ".join(["word"] * 60))
    with pytest.raises(ModelError):
        await complete(m.chat(inner), asked)
    assert (await complete(m.chat(inner), asked)).text == "fine"


async def test_a_limit_on_cost_ends_the_run() -> None:
    m = meter(Limits(max_cost=0.00005))
    chat = m.chat(QueueChat([said("a", usage=CallUsage(20, 10)), said("b")]))
    await complete(chat, request())
    with pytest.raises(LimitError, match="cost"):
        await complete(chat, request("word " * 20))


async def test_a_limit_on_cost_needs_a_known_price() -> None:
    m = meter(Limits(max_cost=1.0), FlatPrices(frozenset({"queue"})))
    with pytest.raises(SettingsError, match="queue"):
        await complete(m.chat(QueueChat([said("a")])), request())


async def test_an_unknown_price_makes_the_cost_unknown_not_zero() -> None:
    m = meter(prices=FlatPrices(frozenset({"queue"})))
    await complete(m.chat(QueueChat([said("a")])), request())
    assert m.usage().cost_usd is None


async def test_the_deadline_cuts_a_call_under_way() -> None:
    m = meter(Limits(deadline=0.02))
    inner = QueueChat([[ReplyDelta("one"), 60.0]])
    with pytest.raises(DeadlineError):
        await complete(m.chat(inner), request())
    assert inner.closed == 1
    assert m.usage().total.prompt_tokens > 0
    with pytest.raises(DeadlineError):
        await complete(m.chat(inner), request())


async def test_the_deadline_cuts_an_embedding_call() -> None:
    m = meter(Limits(deadline=0.02))
    with pytest.raises(DeadlineError):
        await m.embedder(OnesEmbedder(pause=60)).embed(["a"])


async def test_the_deadline_does_not_cancel_whoever_reads_slowly() -> None:
    now = [0.0]
    m = UsageMeter(Limits(deadline=10), FlatPrices(), WordCounter(), clock=lambda: now[0])
    seen: list[str] = []
    with pytest.raises(DeadlineError):
        async for item in m.chat(QueueChat([[ReplyDelta("a"), ReplyDelta("b"), 60.0]])).stream(request()):
            now[0] += 6
            seen.append(cast(ReplyDelta, item).text)
            await asyncio.sleep(0)
    assert seen == ["a", "b"]


async def test_a_reply_left_unread_closes_its_connection_and_is_counted() -> None:
    m = meter()
    inner = QueueChat([[ReplyDelta("one"), ReplyDelta("two"), ReplyEnd("ok", CallUsage(1, 1))]])
    stream = m.chat(inner).stream(request())
    async with aclosing(cast("AsyncGenerator[ReplyItem]", stream)) as items:
        async for _ in items:
            break
    assert inner.closed == 1
    assert m.usage().total.output_tokens == 1


async def test_the_last_call_can_be_kept_for_the_answer() -> None:
    m = meter(Limits(max_calls=2))
    m.keep_for_answer()
    chat = m.chat(QueueChat([said("a"), said("b")]))
    await complete(chat, request(stage="map"))
    with pytest.raises(LimitError):
        await complete(chat, request(stage="map"))
    await complete(chat, request(stage="reduce"))
    assert m.usage().total.llm_calls == 2


async def test_a_share_of_tokens_can_be_kept_for_the_answer() -> None:
    m = meter(Limits(max_tokens=30))
    m.keep_for_answer()
    chat = m.chat(QueueChat([said("a"), said("b")]))
    await complete(
        chat, request("one", stage="map")
    )  # 15 tokens; 9 more would be within 30, but not within 24
    with pytest.raises(LimitError):
        await complete(chat, request("one two three four", stage="map"))
    await complete(chat, request("one two three four", stage="reduce"))


async def test_a_share_of_the_time_can_be_kept_for_the_answer() -> None:
    now = 0.0
    m = UsageMeter(Limits(deadline=10), FlatPrices(), WordCounter(), clock=lambda: now)
    m.keep_for_answer()
    chat = m.chat(QueueChat([said("a"), said("b")]))
    now = 8.5
    with pytest.raises(DeadlineError, match="is near"):
        await complete(chat, request(stage="map"))
    await complete(chat, request(stage="reduce"))


async def test_after_an_error_that_all_would_meet_only_the_answer_is_still_asked_for() -> None:
    m = meter()
    inner = QueueChat([[AuthError("401")], [AuthError("401")]])
    chat = m.chat(inner)
    for stage in ("map", "map", "step", "reduce", "map"):
        with pytest.raises(AuthError):
            await complete(chat, request(stage=stage))
    assert [made.stage for made in inner.requests] == ["map", "reduce"]
    assert m.usage().total.llm_calls == 2


async def test_an_error_that_another_call_may_not_meet_stops_nothing() -> None:
    chat = meter().chat(QueueChat([[ModelError("500", status=500, retryable=True)], said("a")]))
    with pytest.raises(ModelError):
        await complete(chat, request(stage="map"))
    assert (await complete(chat, request(stage="map"))).text == "a"


def shared(limits: Limits) -> tuple[Purse, UsageMeter, UsageMeter]:
    purse = Purse(limits, shared=True)
    one, other = (UsageMeter(Limits(), FlatPrices(), WordCounter(), shared=purse) for _ in range(2))
    return purse, one, other


async def test_runs_that_share_a_purse_are_held_to_it_together() -> None:
    purse, one, other = shared(Limits(max_calls=2))
    inner = QueueChat([said("a"), said("b"), said("c")])
    await complete(one.chat(inner), request())
    await complete(other.chat(inner), request())
    assert purse.exhausted is None
    with pytest.raises(LimitError):
        await complete(one.chat(inner), request())
    assert isinstance(purse.exhausted, LimitError)
    assert (one.usage().total.llm_calls, other.usage().total.llm_calls) == (1, 1)
    assert purse.usage == StageUsage(2, 20, 10)
    assert purse.cost == pytest.approx(40 / 1e6)


async def test_prompts_under_way_in_one_run_count_against_the_other() -> None:
    asked = request(" ".join(["word"] * 50))
    _, one, other = shared(Limits(max_tokens=130))
    inner = QueueChat([[0.01, ReplyEnd("ok", CallUsage(57, 1))] for _ in range(4)])
    calls = [complete(m.chat(inner), asked) for m in (one, one, other, other)]
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(end, LimitError) for end in ended) == 2


async def test_runs_that_only_read_leave_a_share_of_the_calls_to_those_that_answer() -> None:
    _, one, other = shared(Limits(max_calls=10))
    one.keep_for_answer()
    inner = QueueChat([said("a") for _ in range(10)])
    for _ in range(8):
        await complete(one.chat(inner), request(stage="map"))
    with pytest.raises(LimitError):
        await complete(one.chat(inner), request(stage="map"))
    await complete(one.chat(inner), request(stage="reduce"))
    await complete(other.chat(inner), request(stage="answer"))


async def test_the_nearer_of_two_deadlines_ends_a_call() -> None:
    purse = Purse(Limits(deadline=0.02), shared=True)
    m = UsageMeter(Limits(deadline=60), FlatPrices(), WordCounter(), shared=purse)
    with pytest.raises(DeadlineError, match=r"0\.02 s"):
        await complete(m.chat(QueueChat([[60.0]])), request())
    assert isinstance(purse.exhausted, DeadlineError)


async def test_a_run_that_reaches_its_own_limit_leaves_the_purse_open() -> None:
    purse = Purse(Limits(max_calls=5), shared=True)
    m = UsageMeter(Limits(max_calls=1), FlatPrices(), WordCounter(), shared=purse)
    chat = m.chat(QueueChat([said("a"), said("b")]))
    await complete(chat, request())
    with pytest.raises(LimitError):
        await complete(chat, request())
    assert purse.exhausted is None


async def test_a_purse_is_exhausted_for_all_once_what_is_kept_was_refused() -> None:
    now = 0.0
    purse = Purse(Limits(deadline=10), shared=True, clock=lambda: now)
    m = UsageMeter(Limits(), FlatPrices(), WordCounter(), shared=purse)
    m.keep_for_answer()
    now = 8.5
    assert purse.exhausted is None
    with pytest.raises(DeadlineError, match="is near"):
        await complete(m.chat(QueueChat([said("a")])), request(stage="map"))
    assert purse.exhausted is not None
