"""The ``ChatModel`` that answers with sentences of its prompt."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from graphrag_cli.llm.base import (
    CallUsage,
    ChatRequest,
    Outcome,
    ReplyDelta,
    ReplyEnd,
    ReplyItem,
    count_prompt,
)
from graphrag_cli.llm.extractive.candidates import candidates_of, candidates_of_notes
from graphrag_cli.llm.extractive.parse import Reading, read_request
from graphrag_cli.llm.extractive.query import read_query
from graphrag_cli.llm.extractive.ranking import rank
from graphrag_cli.llm.extractive.replies import fill, hypothetical
from graphrag_cli.llm.extractive.vectors import VectorCache
from graphrag_cli.llm.extractive.weights import POOL, THEME_POOL
from graphrag_cli.llm.extractive.writing import NO_RECORDS, form_of, verdict_of, write

if TYPE_CHECKING:
    from graphrag_cli.llm.base import Embedder, TokenCounter


class ExtractiveChat:
    """``ChatModel`` without a language model: needs an embedder, and counts what it reads and writes with ``tokens``.

    Ends ``no_answer`` when the records it was sent do not answer the question. ``CallParams`` about sampling mean
    nothing to it; a limit on output tokens is kept by saying fewer sentences.
    """

    def __init__(self, embedder: Embedder, tokens: TokenCounter, *, name: str = "extractive") -> None:
        self._name = name
        self._cache = VectorCache(embedder)
        self._tokens = tokens

    @property
    def name(self) -> str:
        """``extractive``, unless settings name it otherwise."""
        return self._name

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """The answer, a sentence a delta when ``request.stream``. Raises ``ModelError`` where the embedder does."""
        outcome, pieces = await self._reply(request)
        pieces = self._within(pieces, request)
        text = "".join(pieces)
        for piece in pieces if request.stream else [text]:
            yield ReplyDelta(piece)
            await asyncio.sleep(0)
        prompt_tokens = count_prompt(request.messages, self._tokens)
        usage = CallUsage(prompt_tokens, self._tokens.count(text), counted=True)
        yield ReplyEnd(outcome, usage, "stop", self._name)

    async def aclose(self) -> None:
        """Nothing to free: the embedder belongs to whoever made it."""

    async def _reply(self, request: ChatRequest) -> tuple[Outcome, list[str]]:
        reading = read_request(request)
        if request.reply_model is not None:
            reply = await fill(request.reply_model, reading, self._cache)
            if reply is not None:
                return "ok", [reply.model_dump_json()]
        if request.stage == "hyde":
            return "ok", [await hypothetical(reading, self._cache)]
        if request.stage == "check":
            return "ok", ["OK"]
        return await self._answer(reading)

    async def _answer(self, reading: Reading) -> tuple[Outcome, list[str]]:
        query = read_query(reading.question)
        candidates = candidates_of_notes(reading.notes) or candidates_of(reading.records, whole=query.open)
        if not candidates:
            return "no_answer", [NO_RECORDS]
        ranking = await rank(query, candidates, self._cache, THEME_POOL if query.focus else POOL)
        outcome: Outcome = "ok" if verdict_of(ranking) == "direct" else "no_answer"
        return outcome, list(write(ranking, form_of(reading.response_type), reading.max_words))

    def _within(self, pieces: list[str], request: ChatRequest) -> list[str]:
        """As many pieces as the limit on output tokens allows, the first in any case; a JSON reply is one piece."""
        limit = request.params.max_completion_tokens or request.params.max_tokens
        if limit is None:
            return pieces
        kept: list[str] = []
        for piece in pieces:
            if kept and self._tokens.count("".join([*kept, piece])) > limit:
                break
            kept.append(piece)
        return kept
