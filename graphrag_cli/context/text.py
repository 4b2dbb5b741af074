"""Small operations on text that many builders share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_cli.llm.base import TokenCounter

CUT_MARK = " […]"
"""Stands where a text was shortened to fit its budget."""

# Everything below U+0020 but tab, newline and carriage return; DEL and C1; lone surrogates, which no encoder takes.
_UNSENDABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SENTENCE_END = re.compile(r"[.!?…。！？](?:[\"'”’»)\]]*)(?=\s|$)|[。！？]|\n")


def sendable(text: str) -> str:
    """``text`` without control characters and lone surrogates."""
    return _UNSENDABLE.sub("", text)


def cut_to_tokens(text: str, limit: int, tokens: TokenCounter) -> str:
    """``text`` shortened to at most ``limit`` tokens, at a sentence end where one lies in the kept half, and marked.

    Empty when not even the mark fits.
    """
    if tokens.count(text) <= limit:
        return text
    room = limit - tokens.count(CUT_MARK)
    while room > 0:
        kept = tokens.truncate(text, room)
        ends = [match.end() for match in _SENTENCE_END.finditer(kept)]
        if ends and ends[-1] >= len(kept) // 2:
            kept = kept[: ends[-1]]
        shortened = kept.rstrip() + CUT_MARK
        # Joining text and mark can cost a token more than the two apart.
        if kept.strip() and tokens.count(shortened) <= limit:
            return shortened
        room -= 1
    return ""
