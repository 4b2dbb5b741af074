"""The JSON replies of the steps, filled from the same scores as the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from graphrag_cli.llm.extractive.candidates import candidates_of, candidates_of_text
from graphrag_cli.llm.extractive.followups import follow_ups
from graphrag_cli.llm.extractive.names import kinds_of
from graphrag_cli.llm.extractive.parse import Reading, section
from graphrag_cli.llm.extractive.query import read_query
from graphrag_cli.llm.extractive.ranking import (
    MAP_POOL,
    STEP_POOL,
    Ranking,
    Scored,
    choose,
    direct_from,
    near_from,
    percent,
    rank,
)
from graphrag_cli.llm.extractive.rewriting import stand_alone
from graphrag_cli.llm.extractive.vectors import VectorCache
from graphrag_cli.llm.extractive.writing import Form, cited, form_of, select, within, write
from graphrag_cli.llm.replies import MapReply, Point, PrimerReply, RatingReply, Reply, RewriteReply, StepReply

if TYPE_CHECKING:
    from pydantic import BaseModel

MAP_POINTS: Final = 10
"""Points of one map batch at most."""

PRIMER_FORM: Final = Form(8, "paragraphs", 3)

RATING_STEPS: Final = ((1.4, 5), (1.0, 4), (0.75, 3), (0.5, 2), (0.25, 1))
"""Least share of the way from nothing to an answer, for each rating."""

BROAD_RATING: Final = 3
"""Every report bears on a question that asks about everything."""

BROAD_SCORE: Final = 70.0
"""A point for such a question is part of the answer, never all of it."""


async def fill(reply_model: type[BaseModel], reading: Reading, cache: VectorCache) -> Reply | None:
    """The reply that ``reply_model`` describes; None when it is not one of ``llm/replies.py``."""
    if issubclass(reply_model, RewriteReply):
        return RewriteReply(question=rewritten(reading))
    if issubclass(reply_model, RatingReply):
        return await rating(reading, cache)
    if not issubclass(reply_model, MapReply | PrimerReply | StepReply):
        return None
    pool = MAP_POOL if issubclass(reply_model, MapReply) else STEP_POOL
    ranking = await rank(read_query(reading.question), candidates_of(reading.records), cache, pool)
    if issubclass(reply_model, MapReply):
        return map_reply(ranking, reading.max_words)
    if issubclass(reply_model, PrimerReply):
        return primer_reply(reading, ranking)
    return await step_reply(reading, ranking, cache)


def map_reply(ranking: Ranking, max_words: int | None) -> MapReply:
    """The sentences near the question, each a point; none when nothing is near."""
    chosen = within(choose(ranking, MAP_POINTS, near_from(ranking.query)), max_words)
    points = (Point(description=cited(item), score=point_score(ranking, item)) for item in chosen)
    return MapReply(points=tuple(point for point in points if point.score > 0))


def point_score(ranking: Ranking, item: Scored) -> float:
    """The score of a sentence as 0 to 100."""
    score = percent(ranking.query, item.score)
    return min(score, BROAD_SCORE) if ranking.query.broad else score


def primer_reply(reading: Reading, ranking: Ranking) -> PrimerReply:
    """The first answer from the reports, and what they leave open."""
    used = select(ranking, PRIMER_FORM)
    answer = "".join(write(ranking, PRIMER_FORM))
    return PrimerReply(
        intermediate_answer=f"## {reading.question.rstrip('?')}\n\n{answer}" if used else answer,
        score=point_score(ranking, used[0]) if used else 0.0,
        follow_up_queries=_next(reading, ranking, used),
    )


async def step_reply(reading: Reading, ranking: Ranking, cache: VectorCache) -> StepReply:
    """The answer to a follow-up question, scored for that question and the one on the whole alike."""
    form = form_of(reading.response_type)
    used = select(ranking, form)
    score = point_score(ranking, used[0]) if used else 0.0
    if used and reading.overall:
        score = round((score + await _score_for_whole(reading.overall, used, cache)) / 2)
    return StepReply(
        response="".join(write(ranking, form)),
        score=score,
        follow_up_queries=_next(reading, ranking, used),
    )


async def rating(reading: Reading, cache: VectorCache) -> RatingReply:
    """How near the best sentence of the described text is to the question, 0 to 5."""
    text = section(reading.instructions, r"(?:the )?(?:text|report|description|data|information)")
    candidates = candidates_of(reading.records) or candidates_of_text(text or reading.instructions)
    query = read_query(reading.question)
    ranking = await rank(query, candidates, cache, STEP_POOL // 2)
    if not ranking.scored:
        return RatingReply(rating=0, reason="There is no text to judge.")
    if query.broad:
        return RatingReply(
            rating=BROAD_RATING, reason="The question is about the whole; this is a part of it."
        )
    share = percent(query, ranking.best) / percent(query, direct_from(query))
    value = next((value for least, value in RATING_STEPS if share >= least), 0)
    return RatingReply(rating=value, reason=f"Closest sentence: {ranking.scored[0].candidate.shown}")


def rewritten(reading: Reading) -> str:
    """The question as it stands alone after the conversation."""
    history = section(
        reading.instructions, r"(?:the )?(?:conversation|history|chat history|conversation history)"
    )
    return stand_alone(reading.question, history) or reading.question


async def hypothetical(reading: Reading, cache: VectorCache) -> str:
    """Stage ``hyde``: the question, and what of the sample report is near it. Nothing is made up."""
    template = section(reading.instructions, r"(?:the )?(?:sample report|template|sample|report)")
    ranking = await rank(read_query(reading.question), candidates_of_text(template), cache, STEP_POOL // 2)
    near = [item.candidate.shown for item in choose(ranking, 2, direct_from(ranking.query))]
    return "\n\n".join([reading.question, *near])


async def _score_for_whole(overall: str, used: Sequence[Scored], cache: VectorCache) -> float:
    asked = await rank(read_query(overall), [item.candidate for item in used], cache)
    return point_score(asked, asked.scored[0])


def _next(reading: Reading, ranking: Ranking, used: Sequence[Scored]) -> tuple[str, ...]:
    asked = [question for question in (reading.question, reading.overall) if question]
    return follow_ups(ranking, used, kinds_of(reading.records), asked, reading.follow_ups)
