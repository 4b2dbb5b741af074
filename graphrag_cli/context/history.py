"""How much of a conversation goes into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from graphrag_cli.llm.base import TokenCounter


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


def newest_turns(
    history: Sequence[Turn], max_turns: int, max_tokens: int, tokens: TokenCounter
) -> tuple[Turn, ...]:
    """The newest turns, oldest first, that fit ``max_tokens``; ``max_turns`` counts the user's, as GraphRAG does.

    An answer without its question is not kept: some servers insist that the user speaks first.
    """
    kept: list[Turn] = []
    room = max_tokens
    asked = 0
    for turn in reversed(history):
        room -= tokens.count(turn.content)
        asked += turn.role == "user"
        if room < 0 or asked > max_turns:
            break
        kept.append(turn)
    while kept and kept[-1].role == "assistant":
        kept.pop()
    kept.reverse()
    return tuple(kept)


def as_text(history: Sequence[Turn]) -> str:
    """The conversation as plain lines, for a prompt that speaks about it."""
    return "\n".join(f"{turn.role}: {turn.content}" for turn in history)
