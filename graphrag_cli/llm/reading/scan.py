"""Finds where JSON values lie in text, minding strings, and what of a cut one is complete."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

DEEPEST = 60
"""Brackets within brackets; replies have four or five."""

_CLOSER = {"{": "}", "[": "]"}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|([{}\[\],])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Span:
    """A value that opens at ``start``; ``end`` is past its closing bracket, None when that is missing."""

    start: int
    end: int | None


def span_at(text: str, start: int) -> Span:
    """The extent of the object or array that opens at ``start``; without an end too when it is nested too deep."""
    depth = 0
    for place, character in structure(text, start):
        if character in "{[":
            depth += 1
            if depth > DEEPEST:
                break
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return Span(start, place + 1)
    return Span(start, None)


def is_too_deep(text: str) -> bool:
    """Whether ``text`` opens more brackets than any reply does: a model that repeats itself for ever writes such."""
    depth = 0
    for _, character in structure(text):
        if character != ",":
            depth += 1 if character in "{[" else -1
            if depth > DEEPEST:
                return True
    return False


def structure(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Brackets and commas from ``start`` on that stand outside strings, with their places."""
    for found in _TOKEN.finditer(text, start):
        if (mark := found.group(1)) is not None:
            yield found.start(), mark


def complete_prefixes(text: str, start: int, limit: int = 40) -> Iterator[str]:
    """Shorter and shorter beginnings of a cut value, each ended after a complete member and closed.

    A comma or a closing bracket outside strings shows that what is before it is whole: nothing half written
    is kept. At most ``limit`` are tried, longest first.
    """
    ends: deque[tuple[int, str]] = deque(maxlen=limit)
    stack: list[str] = []
    for place, character in structure(text, start):
        if character in "{[":
            stack.append(_CLOSER[character])
            if len(stack) > DEEPEST:
                break
        elif character == ",":
            ends.append((place, "".join(reversed(stack))))
        else:
            if not stack or stack[-1] != character:
                break
            stack.pop()
            ends.append((place + 1, "".join(reversed(stack))))
    for place, closers in reversed(ends):
        yield text[start:place] + closers
