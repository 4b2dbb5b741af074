"""What every section of the settings tree shares: its base class and the ranges that keys name."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
NonNegative = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(gt=0)]
Temperature = Annotated[float, Field(ge=0, le=2)]
Similarity = Annotated[float, Field(ge=-1, le=1)]
Level: TypeAlias = NonNegative | Literal["deepest"]


class Section(BaseModel):
    """Base of every section: frozen, and a misspelt key is an error (the loader has warned with a nearest name)."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", coerce_numbers_to_str=True, protected_namespaces=(), defer_build=True
    )


class CallArgs(Section):
    """Sampling parameters sent with a call. Unset is never sent."""

    temperature: Temperature | None = None
    """Randomness of the reply; 0 is the least."""
    top_p: Share | None = None
    """Only the likeliest tokens that together have this probability are drawn from."""
    n: Positive | None = None
    """Replies asked for; the first one is used."""
    max_tokens: Positive | None = None
    """Longest reply in tokens, for older endpoints."""
    max_completion_tokens: Positive | None = None
    """Longest reply in tokens, hidden reasoning included, for newer endpoints."""
    seed: int | None = None
    """Asks the endpoint for repeatable replies."""
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    """Above 0 discourages what was mentioned already."""
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    """Above 0 discourages repetition."""
    reasoning_effort: str | None = None
    """How much a reasoning model thinks: `low`, `medium`, `high`, or what else the endpoint knows."""
