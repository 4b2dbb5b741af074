"""The frontier played without models, tasks or clocks: replies follow from the question, arrival is drawn."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.engines.drift.action import DriftAction
from graphrag_cli.engines.drift.frontier import Frontier
from graphrag_cli.engines.drift.recall import open_questions
from graphrag_cli.engines.drift.selection import Policy, QuestionSpace
from graphrag_cli.engines.drift.state import QueryState, RunHeader
from graphrag_cli.events import Json, ModelNames
from graphrag_cli.llm.in_process.scripted import hash_vector

QUESTION = "who reached the pole first"
WORDS = [
    "pole",
    "ship",
    "dog",
    "tent",
    "sledge",
    "depot",
    "pony",
    "ice",
    "camp",
    "winter",
    "motor",
    "plan",
    "map",
    "fram",
    "food",
]
WIDTH = 48


@dataclass(frozen=True)
class World:
    """What every question would be answered: a function of its text and ``salt``."""

    salt: int = 0
    most_follow_ups: int = 6
    fails: float = 0.1

    def draw(self, query: str) -> random.Random:
        return random.Random(hashlib.sha256(f"{self.salt}/{query}".encode()).digest())

    def answer(self, action: DriftAction) -> None:
        """Ends ``action`` as its question decides."""
        draw = self.draw(action.query)
        if draw.random() < self.fails:
            action.record_failure("the model is down")
            return
        follow_ups = [
            " ".join(draw.sample(WORDS, draw.randint(1, 4)))
            for _ in range(draw.randint(0, self.most_follow_ups))
        ]
        answer = "" if draw.random() < 0.1 else f"Answer to {action.query}"
        action.record_answer(answer, draw.randint(0, 100), follow_ups)


def vectors(texts: Sequence[str]) -> NDArray[np.float32] | None:
    return np.stack([hash_vector(text, WIDTH) for text in texts]) if texts else None


def policy(n_depth: int = 3, places: int = 4, threshold: float = 0.9, seed: int = 7) -> Policy:
    return Policy(n_depth, places, threshold, seed)


@dataclass
class Played:
    """A game: the state, what was asked in the order of starting, and the largest number out at once."""

    state: QueryState
    frontier: Frontier
    asked: list[str]

    @property
    def json(self) -> Json:
        return self.state.serialize()


def begin(rules: Policy, world: World) -> tuple[Played, list[DriftAction]]:
    state = QueryState(RunHeader(QUESTION, rules.seed, ModelNames("none", "hash"), {}))
    frontier = Frontier(state, rules, QuestionSpace(hash_vector(QUESTION, WIDTH)))
    root = DriftAction(QUESTION)
    draw = world.draw("root")
    root.record_answer("overview", 50, [" ".join(draw.sample(WORDS, 3)) for _ in range(8)])
    first = frontier.start(root, vectors([child.query for child in root.follow_ups]))
    return Played(state, frontier, []), first


def go_on(
    game: Played, running: list[DriftAction], world: World, arrival: random.Random, most: int | None = None
) -> None:
    """Answers what runs, in an order that ``arrival`` draws, at most ``most`` of them."""
    running = list(running)
    game.asked += [action.query for action in running]
    while running and (most is None or most > 0):
        action = running.pop(arrival.randrange(len(running)))
        world.answer(action)
        more = game.frontier.finished(action, vectors([child.query for child in action.follow_ups]))
        game.asked += [child.query for child in more]
        running += more
        most = None if most is None else most - 1


def play(rules: Policy, world: World, arrival: random.Random) -> Played:
    """A whole run."""
    game, first = begin(rules, world)
    go_on(game, first, world, arrival)
    assert game.frontier.done
    game.frontier.close()
    return game


def take_up(state: QueryState, rules: Policy) -> tuple[Played, list[DriftAction]]:
    """A loaded state, ready to go on."""
    frontier = Frontier(state, rules, QuestionSpace(hash_vector(QUESTION, WIDTH)))
    texts = open_questions(state)
    first = frontier.resume({text: hash_vector(text, WIDTH) for text in texts})
    return Played(state, frontier, []), first


def resume(state: QueryState, rules: Policy, world: World, arrival: random.Random) -> Played:
    """A resumed run to its end."""
    game, first = take_up(state, rules)
    go_on(game, first, world, arrival)
    assert game.frontier.done
    game.frontier.close()
    return game
