"""The JSON replies of the steps, filled from the same scores as the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from graphrag_cli.llm.extractive.candidates import candidates_of, candidates_of_text
from graphrag_cli.llm.extractive.choosing import choose
from graphrag_cli.llm.extractive.followups import follow_ups
from graphrag_cli.llm.extractive.names import Names
from graphrag_cli.llm.extractive.parse import Reading, section
from graphrag_cli.llm.extractive.query import read_query
from graphrag_cli.llm.extractive.ranking import (
    Ranking,
    Scored,
    answer_score,
    direct_from,
    near_from,
    percent,
    rank,
)
from graphrag_cli.llm.extractive.rewriting import stand_alone
from graphrag_cli.llm.extractive.vectors import VectorCache
from graphrag_cli.llm.extractive.weights import BROAD_SCORE, MAP_POOL, POOL, PRIMER_POOL, STEP_POOL
from graphrag_cli.llm.extractive.writing import (
    Form,
    by_record,
    cited,
    form_of,
    select,
    statements,
    within,
    write,
)
from graphrag_cli.llm.replies import MapReply, Point, PrimerReply, RatingReply, Reply, RewriteReply, StepReply

MAP_POINTS: Final = 10
"""Points of one map batch at most."""

POOLS: Final[dict[type[BaseModel], int]] = {MapReply: MAP_POOL, PrimerReply: PRIMER_POOL}

PRIMER_FORM: Final = Form(8, "paragraphs", 3)

RATING_STEPS: Final = ((1.4, 5), (1.0, 4), (0.75, 3), (0.5, 2), (0.25, 1))
"""Least share of the way from nothing to an answer, for each rating."""

NOTHING_HERE: Final = "The records do not answer this."

FOLLOW_UP_SHARE: Final = 0.6
"""A sentence raises a question from this share of the best one's score on."""

BROAD_RATING: Final = 3
"""Every report bears on a question that asks about everything."""


async def fill(reply_model: type[BaseModel], reading: Reading, cache: VectorCache) -> Reply | None:
    """The reply that ``reply_model`` describes; None when it is not one of ``llm/replies.py``."""
    if issubclass(reply_model, RewriteReply):
        return RewriteReply(question=rewritten(reading))
    if issubclass(reply_model, RatingReply):
        return await rating(reading, cache)
    if not issubclass(reply_model, MapReply | PrimerReply | StepReply):
        return None
    pool = POOLS.get(reply_model, STEP_POOL)
    query = read_query(reading.question)
    candidates = candidates_of(reading.records, whole=query.open)
    overall = read_query(reading.overall or reading.question)
    is_whole = overall == query
    if issubclass(reply_model, StepReply) and is_whole:
        pool = POOL
    ranking = await rank(query, candidates, cache, pool)
    if issubclass(reply_model, MapReply):
        return map_reply(ranking, reading.max_words)
    if issubclass(reply_model, PrimerReply):
        return primer_reply(reading, ranking)
    whole = ranking if is_whole else await rank(overall, [item.candidate for item in ranking.scored], cache)
    return step_reply(reading, ranking, whole)


def map_reply(ranking: Ranking, max_words: int | None) -> MapReply:
    """The sentences near the question, each a point; none when nothing is near."""
    chosen = within(choose(ranking, MAP_POINTS, near_from(ranking.query), passages=True), max_words)
    points = (Point(description=cited(item), score=point_score(ranking, item)) for item in chosen)
    return MapReply(points=tuple(point for point in points if point.score > 0))


def point_score(ranking: Ranking, item: Scored) -> float:
    """The score of a sentence as 0 to 100."""
    score = percent(ranking.query, item.score)
    return min(score, BROAD_SCORE) if ranking.query.broad else score


def primer_reply(reading: Reading, ranking: Ranking) -> PrimerReply:
    """The first answer from the reports.

    A question that names what it is about is itself the best one to ask of the other records, and needs no other to
    be asked first; of one that names nothing, particulars are asked.
    """
    used = select(ranking, PRIMER_FORM)
    near = [item for item in ranking.scored if item.score >= direct_from(ranking.query)]
    answer = "".join(write(ranking, PRIMER_FORM))
    return PrimerReply(
        intermediate_answer=f"{_heading(used[0])}{answer}" if used else NOTHING_HERE,
        score=round(answer_score(ranking, used, used[0].score)) if used else 0.0,
        follow_up_queries=_next(reading, used, near) if ranking.query.broad else (),
    )


def step_reply(reading: Reading, ranking: Ranking, whole: Ranking) -> StepReply:
    """The answer to a follow-up question, scored for the question on the whole, and lower where it misses its own.

    ``whole`` ranks the same sentences for the question on the whole. What to ask next is chosen for that one, so that
    steps do not wander off.
    """
    used = select(ranking, form_of(reading.response_type))
    near = {item.candidate.shown: item.score for item in whole.scored}
    best = max((near.get(item.candidate.shown, 0.0) for item in used), default=0.0)
    on_whole = answer_score(whole, used, best)
    score = round(min(on_whole, (on_whole + answer_score(ranking, used, used[0].score)) / 2)) if used else 0.0
    floor = max(near_from(whole.query), FOLLOW_UP_SHARE * whole.best)
    return StepReply(
        response=_text(used) or NOTHING_HERE,
        score=score,
        follow_up_queries=_next(reading, used, [item for item in whole.scored if item.score >= floor]),
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


def _text(used: Sequence[Scored]) -> str:
    """An answer in one paragraph."""
    return " ".join(statement for group in by_record(used) for statement in statements(group))


def _heading(best: Scored) -> str:
    """The title of the report that answers best, as a heading."""
    return f"## {best.candidate.names[0]}\n\n" if best.candidate.names else ""


def _next(reading: Reading, used: Sequence[Scored], near: Sequence[Scored]) -> tuple[str, ...]:
    """Questions from the sentences ``near``; none where nothing was answered: what is about something else leads nowhere."""
    asked = [question for question in (reading.question, reading.overall) if question]
    return follow_ups(near, used, Names(reading.records), asked, reading.follow_ups) if used else ()
