"""JSON that others wrote, decoded: all that can be wrong with it is a ``ValueError``, nesting without end too."""

from __future__ import annotations

import json


def decode(text: str, *, strict: bool = True) -> object:
    """The value of ``text``; not ``strict`` takes raw control characters in strings. Raises ``ValueError``."""
    try:
        value: object = json.loads(text, strict=strict)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value
