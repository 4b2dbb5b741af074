"""Scored texts (key points, answers of steps) for a reduce prompt: best first, within a budget. Pure.

-----Point 1 (score 85)-----
The ponies were lost on the ice. [Data: Reports (4)]

-----Point 2 (score 40)-----
…
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.context.text import cut_to_tokens, sendable

if TYPE_CHECKING:
    from graphrag_cli.llm.base import TokenCounter

BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Scored:
    """A text with its score, 0 to 100; ``place`` orders those of equal score."""

    text: str
    score: float
    place: tuple[int, ...] = ()
    key: str = ""
    """What it belongs to, for the caller."""


@dataclass(frozen=True, slots=True)
class RankedText:
    """What went in, best first, as sent; ``left_out`` is how many the budget kept out."""

    text: str
    included: tuple[Scored, ...]
    left_out: int
    tokens: int


def best_first(items: Sequence[Scored], min_score: float) -> list[Scored]:
    """Those with text that scored ``min_score`` or more, best first, equal ones by place. A score of 0 never counts."""
    kept = [item for item in items if item.text.strip() and item.score > 0 and item.score >= min_score]
    return sorted(kept, key=lambda item: (-item.score, item.place))


def fit_ranked(items: Sequence[Scored], label: str, budget: int, tokens: TokenCounter) -> RankedText:
    """As many of ``items``, in order, as fit ``budget`` tokens, each under a heading ``label n (score s)``.

    One that does not fit in what is left is skipped, and shorter ones after it still go in. One that is larger than
    the whole budget is cut at a sentence end and marked if nothing else is in yet.
    """
    blocks: list[str] = []
    included: list[Scored] = []
    left = budget
    for item in items:
        head = f"-----{label} {len(included) + 1} (score {item.score:g})-----\n"
        block = head + sendable(item.text.strip())
        size = tokens.count(block + BREAK)
        if size > budget and not included:
            block = head + cut_to_tokens(
                sendable(item.text.strip()), left - tokens.count(head + BREAK), tokens
            )
            size = tokens.count(block + BREAK) if block != head else budget + 1
        if size > left:
            continue
        blocks.append(block)
        included.append(item)
        left -= size
    return _within(blocks, included, len(items), budget, tokens)


def _within(
    blocks: list[str], included: list[Scored], wanted: int, budget: int, tokens: TokenCounter
) -> RankedText:
    """Counts the whole once: joined pieces may take more than their sum."""
    while blocks:
        text = BREAK.join(blocks)
        size = tokens.count(text)
        if size <= budget:
            return RankedText(text, tuple(included), wanted - len(included), size)
        blocks.pop()
        included.pop()
    return RankedText("", (), wanted, 0)
