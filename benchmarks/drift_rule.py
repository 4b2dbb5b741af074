"""What DRIFT's rule for asking costs and brings, on a simulated clock: no calls, no contexts, the frontier alone.

    python -m benchmarks.drift_rule [--runs 40] [--places 20] [--depth 3]

Steps take 0.4 s to the first token and 4 ms a token, ±60 %; embedding a reply's follow-ups takes 0.15 s; scores are
drawn from 20 to 95. Printed are means over runs, for the levels of follow-ups alone: seconds on that clock, the
longest chain of calls in the graph, what a barrier after every level would take, and the mean score of the parents of
what was asked (drawing at random would come to 57.5; the best that can be had is what the barrier would allow).
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.engines.drift.action import DriftAction
from graphrag_cli.engines.drift.frontier import Frontier
from graphrag_cli.engines.drift.selection import Policy, QuestionSpace
from graphrag_cli.engines.drift.state import QueryState, RunHeader
from graphrag_cli.events import ModelNames
from graphrag_cli.llm.in_process.scripted import hash_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH = 64
EMBED_SECONDS = 0.15
CONCURRENCY = 32
TOKENS = 300
QUESTION = "the question"


@dataclass(frozen=True)
class Figures:
    """Seconds as simulated, of the longest chain, and with barriers; mean score of parents from level 2 on."""

    wall: float
    chain: float
    barrier: float
    parents: float


class Simulation:
    """One run on a clock of its own."""

    def __init__(self, seed: int, policy: Policy) -> None:
        self._draw = random.Random(seed)
        self._state = QueryState(RunHeader(QUESTION, seed, ModelNames(None, None), {}))
        self._frontier = Frontier(self._state, policy, QuestionSpace(hash_vector(QUESTION, WIDTH)))
        self._places = policy.places
        self._seconds: dict[str, float] = {}
        self._waiting: deque[DriftAction] = deque()
        self._events: list[tuple[float, int, bool, DriftAction]] = []
        self._number = itertools.count()
        self._free = CONCURRENCY

    def run(self) -> Figures:
        """Plays the run to its end."""
        root = DriftAction(QUESTION)
        root.record_answer("overview", 50, self._questions(2 * self._places))
        self._start(self._frontier.start(root, self._vectors(root)), 0.0)
        now = 0.0
        while self._events:
            now, _, replied, action = heapq.heappop(self._events)
            if replied:
                self._free += 1
                action.record_answer("finding", self._draw.randint(20, 95), self._questions(5))
                embed = EMBED_SECONDS if self._frontier.needs_vectors(action) else 0.0
                self._at(now + embed, action, replied=False)
                self._start((), now)
            else:
                self._start(self._frontier.finished(action, self._vectors(action)), now)
        return self._figures(now)

    def _start(self, actions: Sequence[DriftAction], now: float) -> None:
        self._waiting += actions
        while self._waiting and self._free:
            action = self._waiting.popleft()
            self._free -= 1
            self._seconds[action.id] = 0.4 * self._jitter() + 0.004 * TOKENS * self._jitter()
            self._at(now + self._seconds[action.id], action, replied=True)

    def _at(self, when: float, action: DriftAction, *, replied: bool) -> None:
        heapq.heappush(self._events, (when, next(self._number), replied, action))

    def _jitter(self) -> float:
        return self._draw.uniform(0.4, 1.6)

    def _questions(self, count: int) -> list[str]:
        return [f"q{self._draw.getrandbits(40):x} w{self._draw.getrandbits(40):x}" for _ in range(count)]

    def _vectors(self, action: DriftAction) -> NDArray[np.float32]:
        return np.stack([hash_vector(child.query, WIDTH) for child in action.follow_ups])

    def _figures(self, wall: float) -> Figures:
        asked = sorted((a for a in self._state.actions if a.level), key=lambda action: action.order or 0)
        until: dict[str, float] = {}
        slowest: dict[int, float] = {}
        for action in asked:
            parent = self._state.parents(action)[0]
            before = until[parent.id] + EMBED_SECONDS if parent.id in until else 0.0
            until[action.id] = before + self._seconds[action.id]
            level = action.level or 0
            slowest[level] = max(slowest.get(level, 0.0), self._seconds[action.id])
        barrier = sum(slowest.values()) + EMBED_SECONDS * (len(slowest) - 1)
        scores = [self._state.parents(action)[0].score or 0.0 for action in asked if (action.level or 0) > 1]
        return Figures(wall, max(until.values()), barrier, fmean(scores) if scores else 0.0)


def main() -> None:
    """Prints one line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--places", type=int, default=20)
    parser.add_argument("--depth", type=int, default=3)
    args = parser.parse_args()
    runs = [Simulation(seed, Policy(args.depth, args.places, 0.95, seed)).run() for seed in range(args.runs)]
    print(
        f"{args.runs} runs, {args.depth} levels of {args.places}: "
        f"{fmean(run.wall for run in runs):.2f} s; longest chain {fmean(run.chain for run in runs):.2f} s; "
        f"with barriers {fmean(run.barrier for run in runs):.2f} s; "
        f"mean score of parents {fmean(run.parents for run in runs):.1f}"
    )


if __name__ == "__main__":
    main()
