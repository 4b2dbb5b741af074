"""A reply that cannot be read is asked for once more, with the defect named; then the step says so."""

from __future__ import annotations

import pytest

from graphrag_cli.errors import ContentFilterError, ContextLengthError, UnusableReplyError
from graphrag_cli.llm.base import CallUsage, Message, ReplyDelta, ReplyEnd
from graphrag_cli.llm.replies import MapReply, Point, RatingReply, StepReply
from graphrag_cli.llm.structured import UNRATED, ask
from tests.llm.doubles import QueueChat, Told, request, said

REASK = 'That was no good: {defect}. Answer with {"rating": n} only.'


async def test_a_good_reply_is_asked_for_once() -> None:
    chat = QueueChat([said('{"rating":3}', notice="retry")])
    told = Told()
    answer = await ask(chat, request(stage="rate"), RatingReply, reask=REASK, tell=told)
    assert answer.rating == 3
    assert told.codes == ["retry"]
    assert chat.requests[0].reply_model is RatingReply


async def test_the_second_request_quotes_the_reply_and_names_the_defect() -> None:
    chat = QueueChat([said('{"rating":"high"}'), said("3")])
    told = Told()
    answer = await ask(chat, request("How good?", stage="rate"), RatingReply, reask=REASK, tell=told)
    assert answer.rating == 3
    assert told.codes == ["reply.reask"]
    assert chat.requests[1].messages == (
        Message("user", "How good?"),
        Message("assistant", '{"rating":"high"}'),
        Message(
            "user", "That was no good: `rating` is 'high', not a number. Answer with {\"rating\": n} only."
        ),
    )


async def test_a_long_reply_is_quoted_in_part_and_an_empty_one_not_at_all() -> None:
    chat = QueueChat([said("words " * 5000), said("3")])
    await ask(chat, request(), RatingReply, reask=REASK)
    assert len(chat.requests[1].messages[1].content) < 2000
    chat = QueueChat([said(""), said("3")])
    await ask(chat, request(), RatingReply, reask=REASK)
    assert [turn.role for turn in chat.requests[1].messages] == ["user", "user"]


async def test_a_second_unusable_reply_ends_the_step() -> None:
    chat = QueueChat([said("no"), said("still no"), said("3")])
    with pytest.raises(UnusableReplyError, match="map reply"):
        await ask(chat, request(stage="map"), MapReply, reask=REASK)
    assert len(chat.requests) == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"points":[{"description":"a","score":"high"}]}',
        '{"points":[{"description":"a","score":null}]}',
        '{"points":[{"description":"a","score":NaN}]}',
        '{"points":[{"description":"a"}]}',
        '{"points":["a"]}',
    ],
)
@pytest.mark.parametrize("where", ["both", "first only"])
async def test_a_text_that_stays_without_a_score_is_kept_with_the_lowest(text: str, where: str) -> None:
    chat = QueueChat([said(text), said(text if where == "both" else "sorry")])
    told = Told()
    answer = await ask(chat, request(stage="map"), MapReply, reask=REASK, tell=told)
    assert answer == MapReply(points=(Point(description="a", score=UNRATED),))
    assert told.codes == ["reply.reask", "reply.unrated"]


async def test_a_step_without_a_score_keeps_its_answer_and_its_questions() -> None:
    text = '{"response":"x","follow_up_queries":["Who?"]}'
    chat = QueueChat([said(text), said(text)])
    answer = await ask(chat, request(), StepReply, reask=REASK)
    assert answer == StepReply(response="x", score=UNRATED, follow_up_queries=("Who?",))


@pytest.mark.parametrize(
    "text", ['{"answer":"x"}', '{"points":[{"score":"high"}]}', '{"error":"no"}', '"text"']
)
async def test_a_reply_without_points_has_no_text_to_keep(text: str) -> None:
    with pytest.raises(UnusableReplyError):
        await ask(QueueChat([said(text), said(text)]), request(), MapReply, reask=REASK)


async def test_a_rating_that_names_no_number_is_not_made_up() -> None:
    chat = QueueChat([said('{"rating":"high","reason":"x"}'), said('{"rating":"high","reason":"x"}')])
    with pytest.raises(UnusableReplyError):
        await ask(chat, request(stage="rate"), RatingReply, reask=REASK)


async def test_what_is_whole_in_a_cut_reply_is_kept() -> None:
    text = '{"points":[{"description":"a","score":80},{"description":"b","score":8'
    chat = QueueChat([[ReplyDelta(text), ReplyEnd("cut", CallUsage(1, 1), "length")]])
    answer = await ask(chat, request(), MapReply, reask=REASK)
    assert [point.score for point in answer.points] == [80]


async def test_a_filtered_reply_is_not_asked_for_again() -> None:
    chat = QueueChat([[ReplyEnd("filtered", CallUsage(1, 0), "content_filter")]])
    with pytest.raises(ContentFilterError):
        await ask(chat, request(), MapReply, reask=REASK)
    assert len(chat.requests) == 1


async def test_a_second_request_that_does_not_fit_leaves_the_reply_unusable() -> None:
    chat = QueueChat([said("no"), [ContextLengthError("too long")]])
    with pytest.raises(UnusableReplyError):
        await ask(chat, request(), MapReply, reask=REASK)
