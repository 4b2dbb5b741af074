"""What a run spends: calls and tokens by stage, cost, and the limits that end a run early."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from graphrag_cli.errors import DeadlineError, LimitError, SettingsError
from graphrag_cli.events import StageUsage, Usage
from graphrag_cli.llm.base import CallUsage
from graphrag_cli.llm.metered import ANSWER_STAGES, MeteredChat, MeteredEmbedder, Spend

if TYPE_CHECKING:
    from graphrag_cli.llm.base import (
        ChatModel,
        ChatRequest,
        Embedder,
        Message,
        Stage,
        TokenCounter,
    )

T = TypeVar("T")

TOKENS_PER_MESSAGE = 4
"""What chat formats add around each message: its role and separators."""
TOKENS_PER_PROMPT = 3
"""What chat formats add once, to open the reply."""

KEPT_SHARE = 0.2
"""Share of tokens, cost and time that ``keep_for_answer`` keeps."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may spend; None is no limit. A run that reaches one ends early with its best answer."""

    max_calls: int | None = None
    """Calls to chat models; embedding a text is not one."""
    max_tokens: int | None = None
    """Tokens of prompts, replies and embedded texts together."""
    max_cost: float | None = None
    """USD."""
    deadline: float | None = None
    """Seconds from the start of the run."""


class PriceTable(Protocol):
    """Prices of models."""

    def cost(self, model: str, prompt_tokens: int, output_tokens: int) -> float | None:
        """USD; None when the model's price is not known."""
        ...


def count_prompt(messages: Iterable[Message], tokens: TokenCounter) -> int:
    """Tokens that ``messages`` take as a prompt, with what chat formats add around each."""
    return TOKENS_PER_PROMPT + sum(TOKENS_PER_MESSAGE + tokens.count(turn.content) for turn in messages)


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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._prices = prices
        self._tokens = tokens
        self._clock = clock
        self._ends = None if limits.deadline is None else clock() + limits.deadline
        self._stages: dict[str, StageUsage] = {}
        self._cost: float | None = 0.0
        self._counted = False
        self._held = Spend()
        self._kept_calls = 0
        self._kept_share = 0.0

    def keep_for_answer(self) -> None:
        """From now on one call and ``KEPT_SHARE`` of tokens, cost and time are there for the stages that answer only.

        For methods of many calls: a limit then ends the reading, and what was read can still be answered from.
        """
        self._kept_calls = 1
        self._kept_share = KEPT_SHARE

    def chat(self, model: ChatModel) -> ChatModel:
        """``model``, metered."""
        return MeteredChat(model, self)

    def embedder(self, model: Embedder) -> Embedder:
        """``model``, metered."""
        return MeteredEmbedder(model, self)

    def usage(self) -> Usage:
        """What was spent so far. Tokens of embedded texts are always our count."""
        return Usage(dict(self._stages), self._cost, self._counted)

    def remaining_seconds(self) -> float | None:
        """Seconds until the deadline, never negative; None without one."""
        return None if self._ends is None else max(0.0, self._ends - self._clock())

    # ---- used by the wrappers -------------------------------------------------------------------------------

    def admit_chat(self, model: str, request: ChatRequest) -> Spend:
        """Counts the call and holds what its prompt will spend; raises when a limit forbids it."""
        total = Usage(self._stages).total
        answers = request.stage in ANSWER_STAGES
        kept = 0 if answers else self._kept_calls
        if self._limits.max_calls is not None and total.llm_calls >= self._limits.max_calls - kept:
            raise _limit("calls to the model", f"{self._limits.max_calls:,}", "--max-calls")
        held = self._hold(model, lambda: count_prompt(request.messages, self._tokens), answers=answers)
        self._add(request.stage, StageUsage(llm_calls=1))
        return held

    def admit_embedding(self, model: str, texts: Sequence[str]) -> Spend:
        """The same for an embedding call."""
        held = self._hold(model, lambda: sum(map(self._tokens.count, texts)))
        self._add("embed", StageUsage(embedding_calls=1))
        return held

    def settle_chat(self, model: str, stage: Stage, usage: CallUsage, held: Spend) -> None:
        """Replaces what was held by what was used."""
        self._held = self._held - held
        self._counted = self._counted or (usage.counted and usage != CallUsage(counted=True))
        self._add(stage, StageUsage(prompt_tokens=usage.prompt_tokens, output_tokens=usage.output_tokens))
        self._pay(model, usage.prompt_tokens, usage.output_tokens)

    def settle_embedding(self, model: str, texts: Sequence[str], held: Spend) -> None:
        """Replaces what was held by what was used."""
        self._held = self._held - held
        used = sum(map(self._tokens.count, texts))
        self._add("embed", StageUsage(embedding_tokens=used))
        self._pay(model, used, 0)

    def release(self, held: Spend) -> None:
        """Gives back what was held for a call that spent nothing."""
        self._held = self._held - held

    def counted_usage(self, request: ChatRequest, text: str) -> CallUsage:
        """Our count of a call for which the server sent none. Zeros marked as counted are a reply that cost nothing."""
        prompt = count_prompt(request.messages, self._tokens)
        return CallUsage(prompt, self._tokens.count(text), counted=True)

    async def within_deadline(self, work: Awaitable[T], *, answers: bool = False) -> T:
        """Awaits ``work``; raises ``DeadlineError`` when the deadline passes first, and cancels it.

        ``answers`` says that it may use the time kept for the answer.
        """
        if self._ends is None:
            return await work
        timeout = asyncio.timeout(self._seconds_for(answers=answers))
        try:
            async with timeout:
                return await work
        except TimeoutError:
            if timeout.expired():
                raise self._late() from None
            raise

    def _seconds_for(self, *, answers: bool) -> float | None:
        """Seconds that a call has from now; None without a deadline."""
        remaining = self.remaining_seconds()
        if remaining is None or answers or self._limits.deadline is None:
            return remaining
        return max(0.0, remaining - self._kept_share * self._limits.deadline)

    def _hold(self, model: str, count: Callable[[], int], *, answers: bool = False) -> Spend:
        """Checks deadline, tokens and cost against what is spent and what calls under way will spend."""
        usable = 1.0 if answers else 1.0 - self._kept_share
        if self._seconds_for(answers=answers) == 0.0:
            raise self._late()
        if self._limits.max_tokens is None and self._limits.max_cost is None:
            return Spend()
        prompt = count()
        wanted = self._held + Spend(prompt, self._price(model, prompt))
        if self._limits.max_tokens is not None:
            total = Usage(self._stages).total
            spent = total.prompt_tokens + total.output_tokens + total.embedding_tokens
            if spent + wanted.tokens > self._limits.max_tokens * usable:
                raise _limit("tokens", f"{self._limits.max_tokens:,}", "--max-tokens")
        cost = (self._cost or 0.0) + wanted.cost
        if self._limits.max_cost is not None and cost > self._limits.max_cost * usable:
            raise _limit("cost", f"${self._limits.max_cost:g}", "--max-cost")
        held = wanted - self._held
        self._held = wanted
        return held

    def _price(self, model: str, prompt_tokens: int) -> float:
        if self._limits.max_cost is None:
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
        self._cost = None if cost is None or self._cost is None else self._cost + cost

    def _add(self, stage: str, usage: StageUsage) -> None:
        self._stages[stage] = self._stages.get(stage, StageUsage()) + usage

    def _late(self) -> DeadlineError:
        passed = self.remaining_seconds() == 0.0
        what = "passed" if passed else "is near, and the rest of it is for the answer"
        return DeadlineError(
            f"the deadline of {self._limits.deadline:g} s {what}", hint="allow more time with --deadline"
        )


def _limit(what: str, limit: str, flag: str) -> LimitError:
    return LimitError(f"the limit on {what} ({limit}) is reached", hint=f"allow more with {flag}")
