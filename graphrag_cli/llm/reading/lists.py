"""Lists of texts out of whatever stands where one was due."""

from __future__ import annotations

import re

from graphrag_cli.llm.reading.decode import decode, repair
from graphrag_cli.llm.reading.scalars import main_text, read_text
from graphrag_cli.llm.reading.values import is_array, is_object

_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,3}(?:[.)](?!\d)\s*|:\s+)|\(?[a-z]\)\s+|[QF]\d{1,3}[.:)]\s*)")
_INLINE_NUMBERS = re.compile(r"(?:(?<=\s)|^)\d{1,3}[.)]\s+")
_NOTHING = frozenset({"", "none", "n/a", "na", "null", "nil", "-", "[]", "no follow-up questions", "none."})


def embedded_json(text: str) -> object:
    """The value of a string that holds JSON itself; None when it does not look so."""
    text = text.strip()
    if not (text[:1] in "[{" and text[-1:] in "]}" and text):
        return None
    try:
        return decode(text)
    except ValueError:
        return repair(text)


def read_texts(value: object) -> list[str]:
    """``value`` as a list of texts: numbering and bullets off, empty ones and repetitions out."""
    texts: dict[str, str] = {}
    for text in _texts(value):
        text = _BULLET.sub("", text).strip()
        if text.casefold() not in _NOTHING:
            texts.setdefault(" ".join(text.split()).casefold(), text)
    return list(texts.values())


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        inner = embedded_json(value)
        return split_lines(value) if inner is None else _texts(inner)
    if is_array(value):
        return [text for item in value for text in _item_texts(item)]
    if is_object(value):
        lists = [item for item in value.values() if is_array(item)]
        if lists:
            return [text for items in lists for text in _texts(items)]
        one = main_text(value)
        return [one] if one is not None and len(value) > 1 else _texts(list(value.values()))
    return []


def _item_texts(item: object) -> list[str]:
    """A list inside a list is taken apart; anything else is one text."""
    if is_array(item):
        return _texts(item)
    text = read_text(item)
    return [] if text is None else [text]


def split_lines(text: str) -> list[str]:
    """A numbered or bulleted text as its items, whether each has its own line or not."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        marked = [line for line in lines if _BULLET.match(line)]
        return marked if len(marked) > 1 else lines
    pieces = [piece.strip(" ;") for piece in _INLINE_NUMBERS.split(text)]
    kept = [piece for piece in pieces if piece]
    return kept if len(kept) > 1 and _INLINE_NUMBERS.match(text.lstrip()) else [text]
