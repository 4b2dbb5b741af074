"""Which follow-ups are worth asking: closeness of questions to each other, and the policy built on it. Pure.

Follow-ups are chosen one at a time, each weighed by what speaks for it and against its likeness to those chosen
before: maximal marginal relevance (Carbonell and Goldstein, 1998), with the score of the parent's answer as a third
term.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.engines.drift.action import question_key

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SCORE_WEIGHT = 0.35
"""How much a good answer of the parent speaks for its follow-up."""
CLOSENESS_WEIGHT = 0.45
"""How much closeness to the question of the run does."""
NOVELTY_WEIGHT = 0.2
"""How much distance from all follow-ups asked so far does."""

FEW = 16
"""Rows that are multiplied without BLAS."""

DIGITS = 6
"""Similarities are compared to so many digits, so that the order of a sum decides nothing."""


TIE_WEIGHT = 10.0 ** -(DIGITS + 1)
"""Less than the smallest difference between two priorities."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings that decide what is asked. ``places`` is the number of actions per level."""

    n_depth: int
    places: int
    duplicate_threshold: float
    seed: int


def priorities(
    parent_scores: NDArray[np.float64], closeness: NDArray[np.float64], nearest_asked: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Worth of asking each question, 0 to 1.

    ``parent_scores`` are 0 to 100; ``closeness`` is a question's cosine to the question of the run,
    ``nearest_asked`` its largest cosine to a follow-up already asked. Negative cosines count as 0.
    """
    worth = (
        SCORE_WEIGHT * parent_scores / 100
        + CLOSENESS_WEIGHT * np.maximum(0.0, closeness)
        + NOVELTY_WEIGHT * (1 - np.maximum(0.0, nearest_asked))
    )
    return np.round(worth, DIGITS)


def tie_break(seed: int, action_id: str) -> float:
    """A number in [0, 1) that depends on nothing but seed and id."""
    return random.Random(f"{seed}/{action_id}").random()


def share_of_places(free: int, unread: int) -> int:
    """Places of the next level that an action may fill at once when ``unread`` of its level are not read yet.

    ``unread`` counts the action itself. What nobody may fill at once is given out when the whole level is read.
    """
    return free // max(1, unread)


def is_promising(score: float | None, scores_before: Sequence[float]) -> bool:
    """True when an action scored no less than the mean of itself and those of its level read before it."""
    if score is None:
        return False
    return score * (len(scores_before) + 1) >= sum(scores_before) + score


class QuestionSpace:
    """Cosine similarities between the questions of a run. Row 0 is the question of the run itself.

    Works in double precision and rounds, so that a similarity does not depend on which others are computed with it.
    """

    def __init__(self, vector: ArrayLike) -> None:
        first = unit_rows(vector)
        self._count = 0
        self._vectors: NDArray[np.float64] = np.empty((64, first.shape[1]))
        self._similarities: NDArray[np.float64] = np.empty((64, 64))
        self.add(first)

    def __len__(self) -> int:
        return self._count

    @property
    def width(self) -> int:
        """Length of the vectors."""
        return self._vectors.shape[1]

    def add(self, vectors: ArrayLike) -> list[int]:
        """Adds one row per vector and returns their numbers. Shape: ``(n, width)``."""
        new = unit_rows(vectors)
        before, after = self._count, self._count + len(new)
        self._grow(after)
        self._vectors[before:after] = new
        across = np.round(products(new, self._vectors[:after]), DIGITS)
        self._similarities[before:after, :after] = across
        self._similarities[:after, before:after] = across.T
        self._count = after
        return list(range(before, after))

    def _grow(self, rows: int) -> None:
        room = len(self._vectors)
        if rows <= room:
            return
        more = max(rows, 2 * room) - room
        self._vectors = np.pad(self._vectors, ((0, more), (0, 0)))
        self._similarities = np.pad(self._similarities, ((0, more), (0, more)))

    def vector(self, row: int) -> NDArray[np.float32]:
        """The vector of a row, of length 1, as a query for a vector table; shape ``(1, width)``."""
        return self._vectors[row : row + 1].astype(np.float32)

    def between(self, rows: Sequence[int], others: Sequence[int]) -> NDArray[np.float64]:
        """Cosines of ``rows`` to ``others``; shape ``(len(rows), len(others))``."""
        return self._similarities[np.ix_(list(rows), list(others))]


def products(few: NDArray[np.float64], many: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scalar products of each of ``few`` with each of ``many``.

    For a handful of rows without BLAS, whose threads cost more than they save there, the more so on a busy machine.
    """
    if len(few) > FEW:
        return few @ many.T
    return np.einsum("ij,kj->ik", few, many)


def unit_rows(vectors: ArrayLike) -> NDArray[np.float64]:
    """Rows of length 1 in double precision (a zero row stays zero); a single vector becomes one row."""
    rows = np.atleast_2d(np.asarray(vectors, dtype=np.float64))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0, 1.0, lengths)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """What a new question is a near-duplicate of."""

    id: str
    similarity: float


class Standing:
    """Questions that new ones may be merged into: asked or waiting, in the order in which they were raised."""

    def __init__(self, space: QuestionSpace, threshold: float) -> None:
        self._space = space
        self._threshold = threshold
        self._by_key: dict[str, str] = {}
        self._ids: list[str] = []
        self._rows: list[int] = []

    @property
    def ids(self) -> list[str]:
        """Ids of all of them."""
        return list(self._ids)

    def add(self, question_id: str, query: str, row: int) -> None:
        """Lets a question stand; ``row`` is its place in the space."""
        self._by_key.setdefault(question_key(query), question_id)
        self._ids.append(question_id)
        self._rows.append(row)

    def find(self, query: str, row: int | None) -> Duplicate | None:
        """The one that stands for ``query``: the same words, else the nearest if it is near enough, else None."""
        same = self._by_key.get(question_key(query))
        if same is not None:
            return Duplicate(same, 1.0)
        if row is None or not self._rows:
            return None
        similarities = self._space.between([row], self._rows)[0]
        best = int(np.argmax(similarities))
        if similarities[best] < self._threshold:
            return None
        return Duplicate(self._ids[best], float(similarities[best]))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that waits. ``parent_score`` is the best score among those that raised it, 0 to 100."""

    id: str
    row: int
    parent_score: float


@dataclass(frozen=True, slots=True)
class Choice:
    """A question that is to be asked, and its priority at that moment."""

    id: str
    priority: float


def choose_followups(
    waiting: Sequence[Candidate], places: int, asked: Sequence[int], space: QuestionSpace, seed: int
) -> list[Choice]:
    """The best ``places`` of ``waiting``, best first, each chosen in view of those before it. ``asked`` are rows."""
    rows = [candidate.row for candidate in waiting]
    if not rows:
        return []
    scores = np.array([candidate.parent_score for candidate in waiting])
    closeness = space.between(rows, [0])[:, 0]
    nearest = space.between(rows, asked).max(axis=1) if asked else np.zeros(len(rows))
    ties = TIE_WEIGHT * np.array([tie_break(seed, candidate.id) for candidate in waiting])
    chosen: list[Choice] = []
    free = np.ones(len(rows), dtype=np.bool_)
    for _ in range(min(places, len(rows))):
        worth = priorities(scores, closeness, nearest)
        best = int(np.argmax(np.where(free, worth + ties, -1.0)))
        free[best] = False
        chosen.append(Choice(waiting[best].id, float(worth[best])))
        nearest = np.maximum(nearest, space.between(rows, [rows[best]])[:, 0])
    return chosen


MIN_QUESTIONS = 5
"""A reply is asked for at least so many follow-ups (never for more than there are places), to have a choice."""


def questions_to_ask_for(places: int, replies: int) -> int:
    """Follow-ups that each of ``replies`` replies is asked for, so that together they offer twice what has a place.

    More would be paid for and left out: 20 actions asked for 20 questions each would write 400 for 20 places.
    """
    wanted = -(-2 * places // max(1, replies))
    return min(places, max(MIN_QUESTIONS, wanted))
