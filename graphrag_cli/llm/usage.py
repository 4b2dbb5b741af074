"""What a run spends: calls and tokens by stage, cost, and the limits that end a run early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from graphrag_cli.events import Usage

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatModel, Embedder, TokenCounter


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may spend; None is no limit. A run that reaches one ends early with its best answer."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    """USD."""
    deadline: float | None = None
    """Seconds from the start of the run."""


class PriceTable(Protocol):
    """Prices of models."""

    def cost(self, model: str, prompt_tokens: int, output_tokens: int) -> float | None:
        """USD; None when the model's price is not known."""
        ...


class UsageMeter:
    """Wraps the models of one run: counts every call, and refuses the next one once a limit is reached.

    Engines never count. A wrapped model raises ``LimitError`` instead of making a call that a limit forbids, and
    ``DeadlineError`` when the deadline passes before or during a call.
    """

    def __init__(self, limits: Limits, prices: PriceTable, tokens: TokenCounter) -> None:
        raise NotImplementedError

    def chat(self, model: ChatModel) -> ChatModel:
        """``model``, metered."""
        raise NotImplementedError

    def embedder(self, model: Embedder) -> Embedder:
        """``model``, metered."""
        raise NotImplementedError

    def usage(self) -> Usage:
        """What was spent so far."""
        raise NotImplementedError
