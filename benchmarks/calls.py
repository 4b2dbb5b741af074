"""Values that the endpoint and those who start it share; light, because the measuring process must stay small."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds to the first token and per token after it; each delay is drawn within ±``jitter`` of that."""

    first: float = 0.0
    token: float = 0.0
    jitter: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the endpoint saw it; seconds of a monotonic clock."""

    stage: str
    began: float
    ended: float
    prompt_tokens: int
    asked: str
    """The last message, cut."""
