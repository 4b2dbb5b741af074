"""How close DRIFT's wall time comes to its longest chain of calls, by itself: no endpoint, no process, no adapter.

    python -m benchmarks.drift_latency [--runs 3] [--index FOLDER]

The models are scripted and take their time as a real endpoint does (0.4 s to the first token, 4 ms a token, ±60 %,
drawn from the request). What is left between wall time and chain is what the engine costs: decisions, contexts,
and replies that have to wait for an earlier one of their level (see ``engines/drift/frontier.py``). Beside it stands what
the same calls would take with a barrier after every level.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from graphrag_cli.llm.base import ChatRequest
from graphrag_cli.llm.in_process.scripted import HashEmbedder, Reply, ScriptedChat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.events import Answer, Event

FIRST_TOKEN = 0.4
PER_TOKEN = 0.004
JITTER = 0.6
TOKENS = {"hyde": 250, "primer": 350, "step": 300, "reduce": 500}
EMBED_SECONDS = 0.15
WIDTH = 384
ASKED = "Why did one party reach the South Pole and come home, and the other not?"


@dataclass(frozen=True)
class Timed:
    """One call: its stage, the question it was for, and its seconds."""

    stage: str
    query: str
    seconds: float


class SlowModels:
    """A chat model and an embedder that take their time and remember it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.calls: list[Timed] = []
        self.chat = ScriptedChat(self._reply)
        self.embedder = SlowEmbedder()

    def _reply(self, request: ChatRequest) -> Reply:
        query = request.messages[-1].content
        key = f"{self._seed}/{request.stage}/{query}/{request.messages[0].content if request.stage == 'primer' else ''}"
        draw = random.Random(hashlib.sha256(key.encode()).digest())
        seconds = FIRST_TOKEN * _jitter(draw) + PER_TOKEN * TOKENS[request.stage] * _jitter(draw)
        self.calls.append(Timed(request.stage, query, seconds))
        return Reply(json.dumps(_content(request.stage, draw)), delay=seconds)


class SlowEmbedder(HashEmbedder):
    """A hash embedder that takes ``EMBED_SECONDS``."""

    def __init__(self) -> None:
        super().__init__(WIDTH)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """After a while."""
        await asyncio.sleep(EMBED_SECONDS)
        return await super().embed(texts)


def _jitter(draw: random.Random) -> float:
    return draw.uniform(1 - JITTER, 1 + JITTER)


def _content(stage: str, draw: random.Random) -> Any:
    questions = [f"q{draw.getrandbits(40):x} w{draw.getrandbits(40):x}?" for _ in range(8)]
    score = draw.randint(20, 95)
    match stage:
        case "primer":
            return {"intermediate_answer": "Overview.", "score": score, "follow_up_queries": questions}
        case "step":
            return {"response": "Finding.", "score": score, "follow_up_queries": questions}
        case _:
            return "A text."


@dataclass(frozen=True)
class Figures:
    """Seconds of one run: as measured, its longest chain of calls, and the same calls with a barrier per level."""

    wall: float
    chain: float
    barrier: float
    calls: int


def figures(wall: float, calls: Sequence[Timed], nodes: Sequence[dict[str, Any]]) -> Figures:
    """From the calls and the nodes of the state."""
    ends = sum(call.seconds for call in calls if call.stage in {"hyde", "reduce"}) + EMBED_SECONDS
    ends += max(call.seconds for call in calls if call.stage == "primer")
    steps = {call.query: call.seconds for call in calls if call.stage == "step"}
    until: dict[str, float] = {}
    levels: dict[int, float] = {}
    for node in nodes:
        if node["level"] is None:
            continue
        before = until.get(node["parents"][0], 0.0) + EMBED_SECONDS if node["parents"] else 0.0
        until[node["id"]] = before + steps.get(node["query"], 0.0)
        if node["level"]:
            levels[node["level"]] = max(levels.get(node["level"], 0.0), steps.get(node["query"], 0.0))
    barrier = ends + sum(seconds + EMBED_SECONDS for seconds in levels.values())
    return Figures(wall, ends + max(until.values()), barrier, len(calls))


async def measure(seed: int, index: str | None) -> Figures:
    """One run at the default settings over ``index`` (unset: the sample)."""
    from graphrag_cli.config.settings import DriftSearchSettings
    from graphrag_cli.engines.base import Question
    from graphrag_cli.engines.drift.engine import DriftSearch

    models = SlowModels(seed)
    engine = DriftSearch(_tools(models, index), DriftSearchSettings())
    question = Question(ASKED, "multiple paragraphs", seed=seed, community_level=2)
    began = time.perf_counter()
    answer = await _last(engine.stream(question))
    wall = time.perf_counter() - began
    state = cast("dict[str, Any]", answer.drift)
    return figures(wall, models.calls, state["nodes"])


async def _last(events: Any) -> Answer:
    from graphrag_cli.events import RunFinished

    found: Event | None = None
    async for event in events:
        found = event
    assert isinstance(found, RunFinished)
    return found.answer


def _tools(models: SlowModels, index: str | None) -> Any:
    from pathlib import Path

    from graphrag_cli.config.prompts import PLACEHOLDERS, load_prompts
    from graphrag_cli.config.settings import Settings
    from graphrag_cli.engines.base import Toolbox
    from graphrag_cli.index.open import open_folder
    from graphrag_cli.index.vectors.index_vectors import IndexVectors
    from graphrag_cli.llm.counting.tokens import counter_for
    from graphrag_cli.resources import shipped

    root = Path(index) if index else shipped("sample_index")
    settings = Settings.model_validate({"root": root})
    snapshot = open_folder(root / "output")
    return Toolbox(
        snapshot=snapshot,
        vectors=IndexVectors(settings, snapshot),
        chat=models.chat,
        embedder=models.embedder,
        tokens=counter_for("gpt-4o"),
        prompts=load_prompts(settings, PLACEHOLDERS),
        prices=_NoPrices(),
    )


class _NoPrices:
    def cost(self, model: str, prompt_tokens: int, output_tokens: int) -> float | None:
        return None


def main() -> None:
    """Prints a line per run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--index", help="folder of a project whose vectors are 384 wide")
    args = parser.parse_args()
    for seed in range(args.runs):
        found = asyncio.run(measure(seed, args.index))
        print(
            f"seed {seed}: {found.calls} calls, wall {found.wall:.2f} s, longest chain {found.chain:.2f} s "
            f"(× {found.wall / found.chain:.2f}; aim ≤ {1.15 * found.chain + 1:.2f} s), "
            f"with a barrier per level at least {found.barrier:.2f} s"
        )


if __name__ == "__main__":
    main()
