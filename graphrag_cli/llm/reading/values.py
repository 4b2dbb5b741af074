"""Type guards for decoded JSON."""

from __future__ import annotations

from typing import TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """A JSON object: decoders only make string keys."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[object]]:
    """A JSON array."""
    return isinstance(value, list)


def is_number(value: object) -> TypeGuard[int | float]:
    """A JSON number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def shorten(value: object, limit: int = 60) -> str:
    """``value`` for a message: quoted, on one line, cut in the middle of nowhere if need be."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
