"""Context windows of models that are known by name; everything else is found out, or set."""

from __future__ import annotations

import re

_WINDOWS: tuple[tuple[str, int], ...] = (
    (r"gpt-5", 400_000),
    (r"gpt-4\.1", 1_047_576),
    (r"o1-mini|o1-preview", 128_000),
    (r"o[134](?:-|$)", 200_000),
    (r"gpt-4o|chatgpt-4o|gpt-4-turbo|gpt-4-\d*-?preview|gpt-4-vision", 128_000),
    (r"gpt-4-32k", 32_768),
    (r"gpt-4(?:-0\d{3})?$", 8_192),
    (r"gpt-3\.5-turbo-0613$|gpt-3\.5-turbo-instruct", 4_096),
    (r"gpt-(?:3\.5|35)-turbo", 16_385),
    (r"text-embedding-(?:3-small|3-large|ada-002)", 8_192),
)


def known_window(model: str) -> int | None:
    """Tokens of prompt and reply together that ``model`` takes; None when the name does not tell."""
    name = model.lower().rpartition("/")[2]
    return next((window for pattern, window in _WINDOWS if re.match(pattern, name)), None)
