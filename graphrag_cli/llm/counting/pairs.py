"""Exact token counts in plain Python, for text in characters that the West commonly writes.

tiktoken needs 0.15 s and 80 MB before it counts its first token, which is a good part of what a single question
takes. Most contexts are a few thousand words, most words are one token, and the others repeat. So until a run has
counted a lot, this counts: it splits with tiktoken's own pattern and merges pairs by the same ranks.

It takes text only when every character is one whose class (letter, number, blank) no version of Unicode disputes:
ASCII, Latin-1, most of Latin Extended-A, and the usual typographic marks.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from graphrag_cli.llm.counting.ranks import RankFile, ranks

LONGEST = 200
"""Bytes of a piece between blanks that are merged here; longer ones are no words, and merging is quadratic."""
_KEPT = 100_000
"""Counts of pieces that are remembered."""

_DISPUTED = "\u0130\u0131\u0149\u017f"
"""Letters whose other case is outside the range, or in ASCII: ``'ſ`` would match ``(?i:'s)``."""
_MARKS = (
    "\u2010\u2011\u2012\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2020\u2021\u2022\u2026\u2030\u2032\u2033\u2039"
    "\u203a\u20ac\u2122\u2190\u2191\u2192\u2193\u2212\u2248\u2260\u2264\u2265\u25a0\u25cf\u2605\u2713"
)
CHARACTERS = "".join(
    character
    for character in (*"\t\n\r", *map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x180)), *_MARKS)
    if character not in _DISPUTED
)
_COVERED = re.compile(f"[{re.escape(CHARACTERS)}]*")
_PROPERTY = re.compile(r"\\p\{(\w+)\}")
_CLASS = re.compile(r"\[(?:[^\]\\]|\\.)*\]")


class PairCounter:
    """Counts by the ranks of one encoding; nothing is read before the first count."""

    def __init__(self, name: RankFile) -> None:
        self._name: RankFile = name
        self._split: re.Pattern[str] | None = None
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int | None:
        """Number of tokens in ``text``; None for a text that is not for this counter."""
        if _COVERED.fullmatch(text) is None:
            return None
        if self._split is None:
            self._split = re.compile(spelt_out(ranks(self._name).pattern))
        known, total = self._counts, 0
        for piece in self._split.findall(text):
            size = known.get(piece)
            if size is None:
                size = self._learn(piece)
                if size is None:
                    return None
            total += size
        return total

    def _learn(self, piece: str) -> int | None:
        data = piece.encode()
        if len(data) > LONGEST:
            return None
        if len(self._counts) > _KEPT:
            self._counts = {}
        size = self._counts[piece] = merged(data, ranks(self._name).by_token)
        return size


def merged(data: bytes, by_token: dict[bytes, int]) -> int:
    """How many tokens ``data`` is, once the pair of lowest rank has been joined until no pair has a rank."""
    if data in by_token:
        return 1
    parts = [data[place : place + 1] for place in range(len(data))]
    while len(parts) > 1:
        pairs = [by_token.get(left + right) for left, right in pairwise(parts)]
        found = [rank for rank in pairs if rank is not None]
        if not found:
            break
        place = pairs.index(min(found))
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return len(parts)


def spelt_out(pattern: str) -> str:
    r"""tiktoken's pattern for ``re``: properties such as ``\p{L}`` as the characters of ours that have them."""
    within = _CLASS.sub(lambda found: _PROPERTY.sub(lambda one: _having(one[1]), found[0]), pattern)
    return _PROPERTY.sub(lambda one: f"[{_having(one[1])}]", within)


def _having(category: str) -> str:
    """Members of a character class: a whole class of categories (``L``) or one of them (``Lu``).

    A class that none of ours has is written as one that matches nothing here.
    """
    having = "".join(one for one in CHARACTERS if unicodedata.category(one).startswith(category))
    return re.escape(having) or "\\x00"
