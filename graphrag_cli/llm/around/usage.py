"""Counts what a run spends: calls and tokens by stage, cost; limits that end it early are kept by its purse."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from graphrag_cli.errors import SettingsError
from graphrag_cli.events import StageUsage, Usage
from graphrag_cli.llm.around.metered import ANSWER_STAGES, MeteredChat, MeteredEmbedder
from graphrag_cli.llm.around.purse import Limits, Purse, Spend
from graphrag_cli.llm.base import CallUsage, count_prompt

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatModel, ChatRequest, Embedder, Stage, TokenCounter

T = TypeVar("T")


class PriceTable(Protocol):
    """Prices of models."""

    def cost(self, model: str, prompt_tokens: int, output_tokens: int) -> float | None:
        """USD; None when the model's price is not known."""
        ...


class UsageMeter:
    """Wraps the models of one run: counts every call, and refuses the next one once a limit is reached.

    Engines never count. A wrapped model raises ``LimitError`` instead of making a call that a limit forbids, and
    ``DeadlineError`` when the deadline passes before or during a call. A call counts when it begins, so that
    calls made side by side cannot overrun ``max_calls`` together, and a call that fails has still been made.
    Tries that an adapter repeats by itself are one call. The run starts when the meter is made.
    """

    def __init__(
        self,
        limits: Limits,
        prices: PriceTable,
        tokens: TokenCounter,
        *,
        shared: Purse | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``shared`` is spent from by other runs too, and holds all of them to its own limits."""
        self._own = Purse(limits, clock=clock)
        self._purses = (self._own,) if shared is None else (self._own, shared)
        self._prices = prices
        self._tokens = tokens
        self._stages: dict[str, StageUsage] = {}
        self._counted = False
        self._keeps = False

    def keep_for_answer(self) -> None:
        """From now on a part of what may be spent is there for the stages that answer only.

        For methods of many calls: a limit then ends the reading, and what was read can still be answered from.
        """
        self._keeps = True

    def chat(self, model: ChatModel) -> ChatModel:
        """``model``, metered."""
        return MeteredChat(model, self)

    def embedder(self, model: Embedder) -> Embedder:
        """``model``, metered."""
        return MeteredEmbedder(model, self)

    def usage(self) -> Usage:
        """What was spent so far. Tokens of embedded texts are always our count."""
        return Usage(dict(self._stages), self._own.cost, self._counted)

    # ---- used by the wrappers -------------------------------------------------------------------------------

    def admit_chat(self, model: str, request: ChatRequest) -> Spend:
        """Counts the call and holds what its prompt will spend; raises when a limit forbids it."""
        reading = self._keeps and request.stage not in ANSWER_STAGES
        held = self._hold(
            model, lambda: count_prompt(request.messages, self._tokens), calls=1, reading=reading
        )
        self._add(request.stage, StageUsage(llm_calls=1))
        return held

    def admit_embedding(self, model: str, texts: Sequence[str]) -> Spend:
        """The same for an embedding call."""
        held = self._hold(model, lambda: sum(map(self._tokens.count, texts)), calls=0, reading=self._keeps)
        self._add("embed", StageUsage(embedding_calls=1))
        return held

    def settle_chat(self, model: str, stage: Stage, usage: CallUsage, held: Spend) -> None:
        """Replaces what was held by what was used."""
        self.release(held)
        self._counted = self._counted or (usage.counted and usage != CallUsage(counted=True))
        self._add(stage, StageUsage(prompt_tokens=usage.prompt_tokens, output_tokens=usage.output_tokens))
        self._pay(model, usage.prompt_tokens, usage.output_tokens)

    def settle_embedding(self, model: str, texts: Sequence[str], held: Spend) -> None:
        """Replaces what was held by what was used."""
        self.release(held)
        used = sum(map(self._tokens.count, texts))
        self._add("embed", StageUsage(embedding_tokens=used))
        self._pay(model, used, 0)

    def release(self, held: Spend) -> None:
        """Gives back what was held for a call that spent nothing."""
        for purse in self._purses:
            purse.release(held)

    def counted_usage(self, request: ChatRequest, text: str) -> CallUsage:
        """Our count of a call for which the server sent none. Zeros marked as counted are a reply that cost nothing."""
        prompt = count_prompt(request.messages, self._tokens)
        return CallUsage(prompt, self._tokens.count(text), counted=True)

    async def within_deadline(self, work: Awaitable[T], *, answers: bool = False) -> T:
        """Awaits ``work``; raises ``DeadlineError`` when a deadline passes first, and cancels it.

        ``answers`` says that it may use the time kept for the answer.
        """
        reading = self._keeps and not answers
        ends = [
            (seconds, purse)
            for purse in self._purses
            if (seconds := purse.remaining_seconds(reading=reading)) is not None
        ]
        if not ends:
            return await work
        seconds, purse = min(ends, key=lambda end: end[0])
        timeout = asyncio.timeout(seconds)
        try:
            async with timeout:
                return await work
        except TimeoutError:
            if timeout.expired():
                raise purse.late() from None
            raise

    def _hold(self, model: str, count: Callable[[], int], *, calls: int, reading: bool) -> Spend:
        """Checks every limit against what is spent and what calls under way will spend."""
        wanted = Spend()
        if any(purse.counts_tokens for purse in self._purses):
            tokens = count()
            wanted = Spend(tokens, self._price(model, tokens))
        for purse in self._purses:
            purse.check(wanted, calls=calls, reading=reading)
        for purse in self._purses:
            purse.hold(wanted)
        return wanted

    def _price(self, model: str, prompt_tokens: int) -> float:
        if all(purse.limits.max_cost is None for purse in self._purses):
            return 0.0
        cost = self._prices.cost(model, prompt_tokens, 0)
        if cost is None:
            raise SettingsError(
                f"the price of model {model!r} is not known, so a limit on cost cannot be held",
                hint="set `price: {input: …, output: …}` (USD per million tokens) for the model, "
                "or limit the run with --max-calls or --max-tokens",
            )
        return cost

    def _pay(self, model: str, prompt_tokens: int, output_tokens: int) -> None:
        cost = self._prices.cost(model, prompt_tokens, output_tokens)
        for purse in self._purses:
            purse.pay(cost)

    def _add(self, stage: str, usage: StageUsage) -> None:
        self._stages[stage] = self._stages.get(stage, StageUsage()) + usage
        for purse in self._purses:
            purse.add(usage)
