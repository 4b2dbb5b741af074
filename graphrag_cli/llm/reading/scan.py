"""Finds where JSON values lie in text, minding strings, and what of a cut one is complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_CLOSER = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Span:
    """A value that opens at ``start``; ``end`` is past its closing bracket, None when that is missing."""

    start: int
    end: int | None


def span_at(text: str, start: int) -> Span:
    """The extent of the object or array that opens at ``start``."""
    depth = 0
    for place, character in structure(text, start):
        if character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return Span(start, place + 1)
    return Span(start, None)


def structure(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Brackets and commas from ``start`` on that stand outside strings, with their places."""
    in_string = False
    escaped = False
    for place in range(start, len(text)):
        character = text[place]
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "{}[],":
            yield place, character


def complete_prefixes(text: str, start: int, limit: int = 40) -> Iterator[str]:
    """Shorter and shorter beginnings of a cut value, each ended after a complete member and closed.

    A comma or a closing bracket outside strings shows that what is before it is whole: nothing half written
    is kept. At most ``limit`` are tried, longest first.
    """
    ends: list[tuple[int, str]] = []
    stack: list[str] = []
    for place, character in structure(text, start):
        if character in "{[":
            stack.append(_CLOSER[character])
        elif character == ",":
            ends.append((place, "".join(reversed(stack))))
        else:
            if not stack or stack[-1] != character:
                break
            stack.pop()
            ends.append((place + 1, "".join(reversed(stack))))
    for place, closers in reversed(ends[-limit:]):
        yield text[start:place] + closers
