"""What a question would cost, found by rehearsing it: the real engine runs with models that send nothing.

Because retrieval, context building and batching are the real ones, calls and prompt tokens of local, basic and
the map step of global come out exactly as the run will send them. Where a later prompt depends on what a model
replies (reduce, DRIFT, ratings), the rehearsal assumes replies of a stated size and says so.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from graphrag_cli.engines.collect import collect
from graphrag_cli.events import Method, StageUsage, Usage
from graphrag_cli.llm.base import CallUsage, ChatRequest, ReplyDelta, ReplyEnd, ReplyItem, Stage, count_prompt
from graphrag_cli.llm.replies import MapReply, Point, PrimerReply, RatingReply, RewriteReply, StepReply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from graphrag_cli.engines.base import Engine, Question
    from graphrag_cli.llm.base import Embedder, TokenCounter

REPLY_TOKENS: Final[Mapping[Stage, int]] = {
    "answer": 500,
    "reduce": 700,
    "map": 400,
    "rate": 60,
    "hyde": 250,
    "primer": 500,
    "step": 500,
    "rewrite": 40,
}
"""Tokens that a reply of each stage is taken to have: what models of today commonly write."""

POINTS_PER_BATCH = 5
WORD = "word "
_REHEARSED = re.compile(r"(?:word ?)+|rehearsed question [\d.]+")
"""What ``RehearsingChat`` writes where a run goes on to embed it: answers, and follow-up questions."""

ASSUMED: Final[Mapping[Method, tuple[str, ...]]] = {
    "basic": ("the length of the answer",),
    "local": ("the length of the answer",),
    "global": ("the length of map replies, and so of the reduce prompt", "the length of the answer"),
    "drift": (
        "the hypothetical answer, and so which reports the primer reads",
        "that every step raises as many follow-ups as it is asked for, none of them twice",
        "the length of replies, and so of the reduce prompt",
    ),
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens a run is expected to take. ``assumed`` lists what is not known before it runs."""

    method: Method
    by_stage: Mapping[str, StageUsage]
    cost_usd: float | None
    exact_stages: tuple[str, ...]
    """Stages whose calls and prompt tokens are exact."""
    assumed: tuple[str, ...]

    @property
    def total(self) -> StageUsage:
        """The sum over all stages."""
        return Usage(self.by_stage).total


async def estimate(engine: Engine, question: Question, *, embeds: bool) -> Estimate:
    """Rehearses ``question`` on ``engine``, whose models must be those of this module.

    ``embeds`` says that the embedder is the real one (it runs on this machine); otherwise the records that
    retrieval finds are stand-ins, and nothing is exact.
    """
    answer = await collect(engine.stream(replace(question, stream=False)))
    exact, assumed = _certainty(engine.method, question.dynamic, embeds)
    if question.history and question.resume is None:
        exact, assumed = (), ("how the question is rewritten to stand alone", *assumed)
    return Estimate(engine.method, answer.usage.by_stage, answer.usage.cost_usd, exact, assumed)


def _certainty(method: Method, dynamic: bool, embeds: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    assumed = ASSUMED[method]
    if method == "global":
        if dynamic:
            return (), ("that every report is rated relevant", *assumed)
        return ("map",), assumed
    if not embeds:
        return (), ("which records are nearest: the embedding model is not asked", *assumed)
    return (("embed", "answer"), assumed) if method != "drift" else ((), assumed)


class RehearsingChat:
    """``ChatModel`` that sends nothing: counts the prompt and replies in the shape and size that are usual."""

    def __init__(self, name: str, tokens: TokenCounter, followups: int) -> None:
        self._name = name
        self._tokens = tokens
        self._followups = followups
        self._asked = 0

    @property
    def name(self) -> str:
        """Name of the model it stands for."""
        return self._name

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """One delta of the stage's usual length."""
        self._asked += 1
        size = REPLY_TOKENS.get(request.stage, REPLY_TOKENS["answer"])
        text = WORD * size if request.reply_model is None else self._reply(request.reply_model, size)
        yield ReplyDelta(text)
        prompt = count_prompt(request.messages, self._tokens)
        yield ReplyEnd("ok", CallUsage(prompt, size, counted=True), "stop")

    async def aclose(self) -> None:
        """Nothing to free."""

    def _reply(self, reply_model: type[BaseModel], size: int) -> str:
        text = WORD * size
        follow_ups = tuple(f"rehearsed question {self._asked}.{number}" for number in range(self._followups))
        replies: dict[type[BaseModel], BaseModel] = {
            MapReply: MapReply(
                points=(Point(description=text[: len(text) // POINTS_PER_BATCH], score=50),)
                * POINTS_PER_BATCH
            ),
            RatingReply: RatingReply(rating=5),
            PrimerReply: PrimerReply(intermediate_answer=text, score=50, follow_up_queries=follow_ups),
            StepReply: StepReply(response=text, score=50, follow_up_queries=follow_ups),
            RewriteReply: RewriteReply(question=WORD * size),
        }
        return replies[reply_model].model_dump_json()


class RehearsingEmbedder:
    """``Embedder`` that sends nothing: a text gets a vector of the index's width that is like no other text's.

    With ``real``, an embedder that runs on this machine, only what a rehearsing model wrote gets such a stand-in.
    """

    def __init__(self, name: str, width: int, real: Embedder | None) -> None:
        self._name = name
        self._width = width
        self._real = real

    @property
    def name(self) -> str:
        """Name of the model it stands for."""
        return self._name

    @property
    def width(self) -> int:
        """Width of the index's vectors."""
        return self._width

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape ``(len(texts), width)``, unit rows."""
        import numpy as np

        vectors = np.stack(
            [np.random.default_rng(hash_text(text)).standard_normal(self._width) for text in texts]
        ).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        asked = [place for place, text in enumerate(texts) if not _REHEARSED.fullmatch(text)]
        if self._real is not None and asked:
            vectors[asked] = await self._real.embed([texts[place] for place in asked])
        return vectors

    async def aclose(self) -> None:
        """Closes the real one."""
        if self._real is not None:
            await self._real.aclose()


def hash_text(text: str) -> int:
    """A number from 0 to 2⁶⁴ - 1, the same for the same text in every process."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")
