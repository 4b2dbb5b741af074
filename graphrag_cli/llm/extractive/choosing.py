"""Which of the ranked sentences make an answer: none that says again what another said, and what belongs together."""

from __future__ import annotations

from collections.abc import Sequence

from graphrag_cli.llm.extractive.query import Query
from graphrag_cli.llm.extractive.ranking import Ranking, Scored, near_from, own_score
from graphrag_cli.llm.extractive.weights import (
    DIRECT,
    GOING_ON,
    PARTICULAR,
    REPETITION_WEIGHT,
    SAID_SHARE,
    SAME_RECORD,
    STEP_SHARE,
)


def choose(ranking: Ranking, count: int, floor: float, *, passages: bool = False) -> list[Scored]:
    """At most ``count`` sentences (or passages) of at least ``floor``, best first, none repeating another (MMR)."""
    near = near_from(ranking.query)
    left = [item for item in ranking.scored if item.score >= min(floor, near)]
    chosen: list[Scored] = []
    while sum(1 if passages else item.candidate.sentences for item in chosen) < count:
        fitting = [
            item
            for item in left
            if item.score >= floor or _goes_on(item, chosen, ranking.query) or _is_particular(item, chosen)
        ]
        if not fitting:
            break
        fitting = [item for item in fitting if _has_room(item, chosen, count)] or fitting
        best = max(fitting, key=lambda item: (_marginal(item, chosen, ranking), -item.row))
        left.remove(best)
        if not _adds_nothing(best, chosen):
            chosen = [*(other for other in chosen if not _within(other, best)), best]
    return chosen


def _goes_on(item: Scored, chosen: Sequence[Scored], query: Query) -> bool:
    """True for the sentence of a source right before or after a chosen one, where no single fact is asked for."""
    candidate = item.candidate
    return (
        query.open
        and candidate.weight is None
        and candidate.group[0] == "sources"
        and any(
            other.candidate.group == candidate.group and abs(other.candidate.place - candidate.place) == 1
            for other in chosen
        )
    )


def _is_particular(item: Scored, chosen: Sequence[Scored]) -> bool:
    """True for the first note of a step that has no other in the answer yet: what was asked on for is told too."""
    candidate = item.candidate
    return (
        bool(chosen and candidate.asked)
        and (candidate.weight or 0.0) >= PARTICULAR
        and own_score(item) >= DIRECT
        and all(other.candidate.asked != candidate.asked for other in chosen)
    )


def _has_room(item: Scored, chosen: Sequence[Scored], count: int) -> bool:
    """False for a note of a step that has most of an answer of ``count`` sentences already."""
    step = item.candidate.asked
    return not step or sum(other.candidate.asked == step for other in chosen) < count * STEP_SHARE


def _adds_nothing(item: Scored, chosen: Sequence[Scored]) -> bool:
    """True when nearly every word of the sentence, and each of its figures, was said by those chosen before."""
    said = frozenset[str]().union(*(other.candidate.stems for other in chosen))
    own = item.candidate.stems
    if any(_within(item, other) for other in chosen):
        return True
    new = own - said
    return len(new) <= (1 - SAID_SHARE) * len(own) and not any(word.isdigit() for word in new)


def _within(one: Scored, other: Scored) -> bool:
    """True when ``other`` says all of ``one`` word for word."""
    return one.candidate.shown in other.candidate.shown


def _marginal(item: Scored, chosen: Sequence[Scored], ranking: Ranking) -> float:
    if not chosen:
        return item.score
    vectors = ranking.vectors
    closest = max(float(vectors[item.row] @ vectors[other.row]) for other in chosen)
    score = item.score - REPETITION_WEIGHT * max(0.0, closest)
    if _goes_on(item, chosen, ranking.query):
        return score + GOING_ON
    if ranking.query.open:
        score -= SAME_RECORD * sum(other.candidate.group == item.candidate.group for other in chosen)
    return score
