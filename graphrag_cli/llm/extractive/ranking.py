"""How near sentences are to a question: similarity of embeddings, a bonus for shared words, what says the same merged.

Embedding a sentence costs some 4 ms, and a context holds hundreds. So words alone choose ``POOL`` candidates first,
and vectors are kept for the calls that follow (a DRIFT run sees the same records again and again).

The numbers it goes by are in ``weights``.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from graphrag_cli.llm.extractive.notes import FULL_SCORE, Citations, merged
from graphrag_cli.llm.extractive.query import Query, has_wanted
from graphrag_cli.llm.extractive.weights import (
    AROUND_SHARE,
    BESIDE_WORTH,
    BROAD_SCORE,
    COVERED_SHARE,
    CUE_BONUS,
    DIRECT,
    DIRECT_OPEN,
    DIRECT_THEME,
    DIRECT_UNSAID,
    DUPLICATE,
    EARLY_WORTH,
    FIRST_ROUND,
    KEY_SHARE,
    KEY_SHARE_FOCUS,
    KEY_WEIGHT,
    KIN_SHARE,
    KIND_BONUS,
    MISSING_PENALTY,
    MISSING_PENALTY_OPEN,
    NEAR,
    NEAR_OPEN,
    NEAR_THEME,
    NOTE_WEIGHT,
    OPENING_WORTH,
    OVERLAP_BONUS,
    PART_SHARE,
    PERFECT,
    POOL,
    RECORD_EVIDENCE,
    RECORD_SHARE,
    RECORD_WORTH,
    REPORT_BONUS,
    SHARED_WORTH,
    SHORT,
    SHORT_PENALTY,
    WORDS_WORTH,
    WORDS_WORTH_THEME,
)
from graphrag_cli.llm.extractive.words import has_akin, stems_of, words_of

if TYPE_CHECKING:
    from graphrag_cli.llm.extractive.vectors import VectorCache, Vectors

Group: TypeAlias = tuple[str, str]
"""A record: data set and id."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may go into an answer.

    ``shown`` is how it stands there (with a title or the sentence before it where it needs one); ``group`` is the
    record it comes from, ``place`` its number in it.
    """

    shown: str
    embedded: str
    """What its vector is made of: ``shown``, and in a report the heading that says what it is about."""
    stems: frozenset[str]
    around: frozenset[str]
    """Stems of the sentences beside it and of its heading: what they name, it often speaks of without naming it."""
    citations: Citations
    group: Group
    place: int
    weight: float | None = None
    """Reduce: the score that an earlier step gave it, 0 to 1."""
    asked: str = ""
    """Reduce: the question that this step answered."""
    names: tuple[str, ...] = ()
    """What it is about, where its record says so."""
    heading: str = ""
    """Reports: the heading it stands under."""
    lead: str = ""
    """The sentence before it, where ``shown`` begins with it."""
    about: str = ""
    """Reports: title and opening, which tell what the whole report is about."""
    sentences: int = 1
    """How many sentences it is."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score; ``row`` is its row among the vectors."""

    candidate: Candidate
    score: float
    row: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates that were looked at, best first, near-duplicates merged; ``vectors`` has a row for each."""

    query: Query
    scored: tuple[Scored, ...]
    vectors: Vectors
    weights: Mapping[str, float]
    """Of each term of the question, adding up to 1."""

    @property
    def best(self) -> float:
        """The best score, 0 without candidates."""
        return self.scored[0].score if self.scored else 0.0


def direct_from(query: Query) -> float:
    """The score from which on a sentence answers ``query``."""
    if is_theme(query):
        return DIRECT_THEME if query.covered else DIRECT_UNSAID
    return DIRECT_OPEN if query.open else DIRECT


def near_from(query: Query) -> float:
    """The score from which on a sentence is on the subject of ``query``."""
    if is_theme(query):
        return NEAR_THEME
    return NEAR_OPEN if query.open else NEAR


def is_theme(query: Query) -> bool:
    """True for a question about a theme, which is told in other words than its own."""
    return query.open and bool(query.focus)


async def rank(
    query: Query, candidates: Sequence[Candidate], cache: VectorCache, pool: int = POOL
) -> Ranking:
    """The candidates nearest to ``query``, scored: a score is about a cosine, 0 to a little over 1.

    Two rounds: words choose the first candidates; what their records turn out to be worth chooses the rest.
    """
    import numpy as np

    weights = term_weights(query, candidates)
    absent = missing_weight(candidates, weights)
    query = replace(with_key(query, weights), covered=absent <= COVERED_SHARE)
    worth = prior_worth(candidates, weights)
    about = await _about(query, candidates, worth, cache, pool)
    first = best_of(worth, range(len(candidates)), math.ceil(pool * FIRST_ROUND))
    if not first:
        return Ranking(query, (), np.zeros((0, 0), dtype=np.float32), weights)
    cosines = await _cosines(query, [candidates[at].embedded for at in first], cache)
    found = {**record_worth([candidates[at] for at in first], cosines), **about}
    beside = worth_beside([candidates[at] for at in first], cosines) if query.open else {}
    worth = [
        value
        + RECORD_WORTH * found.get(candidate.group, 0.0)
        + BESIDE_WORTH * beside.get((candidate.group, candidate.place), 0.0)
        for value, candidate in zip(worth, candidates, strict=True)
    ]
    taken = set(first)
    second = best_of(worth, [at for at in range(len(candidates)) if at not in taken], pool - len(first))
    chosen = [candidates[at] for at in sorted([*first, *second])]
    vectors = await cache.vectors([candidate.embedded for candidate in chosen])
    cosines = await _cosines(query, [candidate.embedded for candidate in chosen], cache)
    if query.open:
        cosines = with_records(chosen, cosines, about)
    missing = (MISSING_PENALTY_OPEN if query.open else MISSING_PENALTY) * absent
    scores = [
        score_of(query, candidate, cosine, weights) - missing
        for candidate, cosine in zip(chosen, cosines, strict=True)
    ]
    order = sorted(range(len(chosen)), key=lambda row: (-scores[row], row))
    scored = [Scored(chosen[row], scores[row], row) for row in order]
    return Ranking(query, merge_duplicates(scored, vectors), vectors, weights)


async def _cosines(query: Query, texts: Sequence[str], cache: VectorCache) -> list[float]:
    """Similarity of each text to the question, or to the middle of them all where nothing is named."""
    import numpy as np

    parts = query.parts if query.open else ()
    rows = await cache.vectors([query.focus or query.text, query.key, *parts, *texts])
    vectors = rows[2 + len(parts) :]
    share = KEY_SHARE_FOCUS if query.focus else KEY_SHARE
    asked = (1 - share) * rows[0] + share * rows[1]
    if query.broad:
        asked = vectors.mean(axis=0)
    asked /= max(float(np.linalg.norm(asked)), 1e-12)
    cosines = vectors @ asked
    if parts:
        nearest = (vectors @ rows[2 : 2 + len(parts)].T).max(axis=1)
        cosines = np.maximum(cosines, (1 - PART_SHARE) * cosines + PART_SHARE * nearest)
    return [float(cosine) for cosine in cosines]


async def _about(
    query: Query, candidates: Sequence[Candidate], worth: Sequence[float], cache: VectorCache, pool: int
) -> dict[Group, float]:
    """Similarity to the question of what each report is about, for as many reports as half the pool."""
    openings = [at for at, candidate in enumerate(candidates) if candidate.about and candidate.place == 0]
    chosen = [candidates[at] for at in best_of(worth, openings, pool // 2)]
    if not chosen:
        return {}
    cosines = await _cosines(query, [candidate.about for candidate in chosen], cache)
    return {candidate.group: cosine for candidate, cosine in zip(chosen, cosines, strict=True)}


def prior_worth(candidates: Sequence[Candidate], weights: dict[str, float]) -> list[float]:
    """What each candidate promises before anything is embedded: shared words, rank of its record, place in it."""
    ranks = record_ranks(candidates)
    return [
        SHARED_WORTH * shared_weight(candidate, weights)
        + (candidate.weight or 0.0)
        + EARLY_WORTH / (1 + ranks[candidate.group])
        + (OPENING_WORTH if candidate.place == 0 else 0.0)
        for candidate in candidates
    ]


def record_worth(candidates: Sequence[Candidate], cosines: Sequence[float]) -> dict[Group, float]:
    """The best cosine found in each record."""
    worth: dict[Group, float] = {}
    for candidate, cosine in zip(candidates, cosines, strict=True):
        worth[candidate.group] = max(worth.get(candidate.group, 0.0), cosine)
    return worth


def worth_beside(candidates: Sequence[Candidate], cosines: Sequence[float]) -> dict[tuple[Group, int], float]:
    """The best cosine found beside each place of a record: what follows a sentence tells more of the same."""
    worth: dict[tuple[Group, int], float] = {}
    for candidate, cosine in zip(candidates, cosines, strict=True):
        for place in (candidate.place - 1, candidate.place + 1):
            spot = (candidate.group, place)
            worth[spot] = max(worth.get(spot, 0.0), cosine)
    return worth


def with_records(
    candidates: Sequence[Candidate], cosines: Sequence[float], about: Mapping[Group, float]
) -> list[float]:
    """``cosines``, drawn towards how near each one's record is as a whole."""
    groups: dict[Group, list[float]] = {}
    for candidate, cosine in zip(candidates, cosines, strict=True):
        groups.setdefault(candidate.group, []).append(cosine)
    whole = {
        group: max(statistics.fmean(sorted(found)[-RECORD_EVIDENCE:]), about.get(group, 0.0))
        for group, found in groups.items()
    }
    return [
        (1 - RECORD_SHARE) * cosine + RECORD_SHARE * whole[candidate.group]
        for candidate, cosine in zip(candidates, cosines, strict=True)
    ]


def best_of(worth: Sequence[float], among: Sequence[int], count: int) -> list[int]:
    """The ``count`` of ``among`` that are worth most, in the order given."""
    best = sorted(among, key=lambda at: (-worth[at], at))[: max(0, count)]
    return sorted(best)


def record_ranks(candidates: Sequence[Candidate]) -> dict[Group, int]:
    """For each record its number in its table, from 0: tables list the nearest or weightiest records first."""
    ranks: dict[Group, int] = {}
    tables: Counter[str] = Counter()
    for candidate in candidates:
        if candidate.group not in ranks:
            ranks[candidate.group] = tables[candidate.group[0]]
            tables[candidate.group[0]] += 1
    return ranks


def term_weights(query: Query, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Weight of each term of the question, rarer ones heavier; they add up to 1."""
    counts: Counter[str] = Counter()
    for candidate in candidates:
        counts.update(query.terms & candidate.stems)
    raw = {term: math.log(1 + len(candidates) / (1 + counts[term])) for term in sorted(query.terms)}
    total = sum(raw.values()) or 1.0
    return {term: weight / total for term, weight in raw.items()}


def with_key(query: Query, weights: dict[str, float]) -> Query:
    """``query`` with the words that tell it from others in this context; words that are everywhere left out."""
    least = KEY_WEIGHT * sum(weights.values()) / max(1, len(weights))
    words = [
        word for word in query.text.split() if any(weights.get(term, 0.0) >= least for term in stems_of(word))
    ]
    return replace(query, key=" ".join(word.strip(".,;:!?") for word in words) or query.text)


def missing_weight(candidates: Sequence[Candidate], weights: dict[str, float]) -> float:
    """Share of the question's terms, by weight, that no record has: 0 to 1."""
    present = frozenset[str]().union(*(candidate.stems for candidate in candidates))
    return sum(weight for term, weight in weights.items() if not _presence(term, present))


def shared_weight(candidate: Candidate, weights: dict[str, float]) -> float:
    """Share of the question's terms, by weight, that the sentence has, those beside it in part: 0 to 1."""
    own = sum(weight * _presence(term, candidate.stems) for term, weight in weights.items())
    beside = sum(weight for term, weight in weights.items() if term in candidate.around - candidate.stems)
    return own + AROUND_SHARE * beside


def _presence(term: str, stems: frozenset[str]) -> float:
    """1 when ``term`` is among ``stems``, less when only a word akin to it is, else 0."""
    if term in stems:
        return 1.0
    return KIN_SHARE if has_akin(term, stems) else 0.0


def score_of(query: Query, candidate: Candidate, cosine: float, weights: dict[str, float]) -> float:
    """Cosine plus bonuses; a note of an earlier step also brings the score it was given."""
    score = cosine + OVERLAP_BONUS * shared_weight(candidate, weights)
    if query.wanted and has_wanted(query.wanted, candidate.shown):
        score += KIND_BONUS if query.wanted in {"number", "date"} else CUE_BONUS
    if query.open:
        score += REPORT_BONUS if candidate.group[0] == "reports" else 0.0
        score -= SHORT_PENALTY * max(0, SHORT - len(candidate.shown.split())) / SHORT
    if candidate.weight is not None:
        score = (1 - NOTE_WEIGHT) * score + NOTE_WEIGHT * candidate.weight
    return score


def own_score(item: Scored) -> float:
    """The score of a note without what its step's score brings."""
    weight = item.candidate.weight
    return item.score if weight is None else (item.score - NOTE_WEIGHT * weight) / (1 - NOTE_WEIGHT)


def merge_duplicates(scored: Sequence[Scored], vectors: Vectors) -> tuple[Scored, ...]:
    """``scored``, best first, where those that say the same are one with the citations of all."""
    kept: list[Scored] = []
    for item in scored:
        twin = next((at for at, other in enumerate(kept) if same(item, other, vectors)), None)
        if twin is None:
            kept.append(item)
            continue
        first = kept[twin]
        cited = merged(first.candidate.citations, item.candidate.citations)
        kept[twin] = replace(first, candidate=replace(first.candidate, citations=cited))
    return tuple(kept)


def same(one: Scored, other: Scored, vectors: Vectors) -> bool:
    """True when two sentences say the same."""
    if one.candidate.shown == other.candidate.shown:
        return True
    return float(vectors[one.row] @ vectors[other.row]) >= DUPLICATE and _numbers_agree(
        one.candidate.shown, other.candidate.shown
    )


def _numbers_agree(one: str, other: str) -> bool:
    """Sentences alike but for their figures contradict each other, and both are shown."""
    figures_of_one = {word for word in words_of(one) if word.isdigit()}
    figures_of_other = {word for word in words_of(other) if word.isdigit()}
    return figures_of_one <= figures_of_other or figures_of_other <= figures_of_one


def percent(query: Query, score: float) -> float:
    """A score of this module as 0 to 100: 50 where answers begin, less than 30 where a sentence is just near."""
    near, direct = near_from(query), direct_from(query)
    low = near - (direct - near) / 2
    if score < direct:
        return round(FULL_SCORE / 2 * max(0.0, (score - low) / (direct - low)))
    return round(FULL_SCORE / 2 * (1 + min(1.0, (score - direct) / (PERFECT - direct))))


def answer_score(ranking: Ranking, said: Sequence[Scored], best: float) -> float:
    """How far sentences answer the question of ``ranking``, 0 to 100: nearness of the best one, and the words taken up.

    An answer that is near to the question but speaks of little that it asks for is worth much less.
    """
    if ranking.query.broad:
        return min(percent(ranking.query, best), BROAD_SCORE)
    stems = frozenset[str]().union(*(item.candidate.stems for item in said))
    around = frozenset[str]().union(*(item.candidate.around for item in said)) - stems
    covered = sum(
        weight * max(_presence(term, stems), AROUND_SHARE if term in around else 0.0)
        for term, weight in ranking.weights.items()
    )
    worth = WORDS_WORTH_THEME if is_theme(ranking.query) else WORDS_WORTH
    return percent(ranking.query, best) * (1 - worth + worth * covered)
