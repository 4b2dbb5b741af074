"""What may be spent, what was, and what calls under way will spend: of one run, or of several together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from graphrag_cli.errors import DeadlineError, LimitError
from graphrag_cli.events import StageUsage

KEPT_SHARE = 0.2
"""Share of tokens, cost and time that is kept for the answer by methods of many calls; of several runs' calls too."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be spent; None is no limit. A run that reaches one ends early with its best answer."""

    max_calls: int | None = None
    """Calls to chat models; embedding a text is not one."""
    max_tokens: int | None = None
    """Tokens of prompts, replies and embedded texts together."""
    max_cost: float | None = None
    """USD."""
    deadline: float | None = None
    """Seconds from the start."""


@dataclass(frozen=True, slots=True)
class Spend:
    """Tokens and USD that calls under way will spend at least."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spend) -> Spend:
        return Spend(self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Spend) -> Spend:
        return Spend(self.tokens - other.tokens, max(0.0, self.cost - other.cost))


class Purse:
    """Holds to ``Limits``. Time runs from when it is made.

    A part of everything is kept for the calls that write an answer: whoever only reads is refused earlier. One run keeps
    one call; several runs together keep ``KEPT_SHARE`` of theirs, as they may be about to answer all at once.
    """

    def __init__(
        self, limits: Limits, *, shared: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.usage = StageUsage()
        self.cost: float | None = 0.0
        """USD; None once the price of a call is not known."""
        self._held = Spend()
        self._clock = clock
        self._ends = None if limits.deadline is None else clock() + limits.deadline
        self._kept_calls = math.ceil(KEPT_SHARE * (limits.max_calls or 0)) if shared else 1
        self._refusal: LimitError | DeadlineError | None = None

    @property
    def counts_tokens(self) -> bool:
        """True when it must know what a call will spend before it is made."""
        return self.limits.max_tokens is not None or self.limits.max_cost is not None

    @property
    def exhausted(self) -> LimitError | DeadlineError | None:
        """The limit that was reached, once a call was refused or the time is over."""
        return self.late() if self.remaining_seconds() == 0.0 else self._refusal

    def remaining_seconds(self, *, reading: bool = False) -> float | None:
        """Seconds until the deadline, never negative, for ``reading`` less what is kept; None without one."""
        if self._ends is None or self.limits.deadline is None:
            return None
        kept = KEPT_SHARE * self.limits.deadline if reading else 0.0
        return max(0.0, self._ends - self._clock() - kept)

    def check(self, wanted: Spend, *, calls: int, reading: bool) -> None:
        """Raises ``LimitError`` or ``DeadlineError`` when ``calls`` that will spend ``wanted`` may not be made."""
        limits, usable = self.limits, 1.0 - KEPT_SHARE if reading else 1.0
        kept = self._kept_calls if reading else 0
        if calls and limits.max_calls is not None and self.usage.llm_calls + calls > limits.max_calls - kept:
            self._refuse("calls to the model", f"{limits.max_calls:,}", "--max-calls")
        if self.remaining_seconds(reading=reading) == 0.0:
            self._refusal = self.late()
            raise self._refusal
        under_way = self._held + wanted
        spent = self.usage.prompt_tokens + self.usage.output_tokens + self.usage.embedding_tokens
        if limits.max_tokens is not None and spent + under_way.tokens > limits.max_tokens * usable:
            self._refuse("tokens", f"{limits.max_tokens:,}", "--max-tokens")
        if limits.max_cost is not None and (self.cost or 0.0) + under_way.cost > limits.max_cost * usable:
            self._refuse("cost", f"${limits.max_cost:g}", "--max-cost")

    def hold(self, wanted: Spend) -> None:
        """A call that will spend ``wanted`` is under way."""
        self._held = self._held + wanted

    def release(self, held: Spend) -> None:
        """It is not any more."""
        self._held = self._held - held

    def add(self, usage: StageUsage) -> None:
        """Something was spent."""
        self.usage = self.usage + usage

    def pay(self, usd: float | None) -> None:
        """It cost so much; None is not known."""
        self.cost = None if usd is None or self.cost is None else self.cost + usd

    def late(self) -> DeadlineError:
        """The error of whoever waited beyond ``remaining_seconds``."""
        passed = self.remaining_seconds() == 0.0
        what = "passed" if passed else "is near, and the rest of it is for the answer"
        return DeadlineError(
            f"the deadline of {self.limits.deadline:g} s {what}", hint="allow more time with --deadline"
        )

    def _refuse(self, what: str, limit: str, flag: str) -> None:
        self._refusal = LimitError(
            f"the limit on {what} ({limit}) is reached", hint=f"allow more with {flag}"
        )
        raise self._refusal
