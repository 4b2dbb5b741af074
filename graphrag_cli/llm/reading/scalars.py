"""Numbers and texts out of whatever stands where they were due."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from graphrag_cli.llm.reading.values import is_array, is_number, is_object

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_LETTER = r"[^\W\u3040-\u9fff\uac00-\ud7a3]"
"""What a number is no part of when it touches one: not the letters of the East, which stand beside numbers as units."""
_FRACTION = re.compile(rf"({_NUMBER})\s*(?:/|／|out\s+of|of|von|sur|de)\s*({_NUMBER})", re.IGNORECASE)
_PERCENT = re.compile(rf"({_NUMBER})\s*(?:%|％|percent)", re.IGNORECASE)
_PLAIN = re.compile(rf"(?<!{_LETTER})(?<![.,])({_NUMBER})(?!{_LETTER}|[.,]\d)")
_CHINESE = re.compile(r"(?:\w{0,4}[:：])?\s*([零〇一二两三四五六七八九十百]{1,6})\s*分?")
_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2} | {
    digit: at for at, digit in enumerate("三四五六七八九", 3)
}
_UNITS = {"十": 10, "百": 100}
_TEXT_KEYS = (
    "text", "content", "answer", "response", "query", "question", "description", "value",
    "follow_up_query", "title", "summary",
)  # fmt: skip
_NUMBER_KEYS = ("value", "score", "rating", "number", "overall")


def read_number(value: object, *, high: float | None) -> float | None:
    """``value`` as a finite number, or None when it names none.

    Shares ("8/10", "85%") are taken of ``high`` where there is one. Words such as "high" are no number.
    """
    if is_number(value):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return _number_in(value, high)
    if is_object(value):
        return _only_number(value, high)
    if is_array(value) and len(value) == 1:
        return read_number(value[0], high=high)
    return None


def _number_in(text: str, high: float | None) -> float | None:
    if found := _FRACTION.search(text):
        part, whole = _float(found.group(1)), _float(found.group(2))
        if whole <= 0:
            return None
        return part if high is None or whole == high else part / whole * high
    if found := _PERCENT.search(text):
        share = _float(found.group(1))
        return share if high is None else share / 100 * high
    if found := _CHINESE.fullmatch(text.strip()):
        return _chinese(found.group(1))
    numbers = [_float(found.group(1)) for found in _PLAIN.finditer(text)]
    if len(numbers) == 1:
        return numbers[0]
    return numbers[0] if numbers and _PLAIN.match(text.lstrip()) else None


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def _chinese(text: str) -> float:
    """八十五 and 八五 are 85."""
    if not any(unit in text for unit in _UNITS):
        return float("".join(str(_DIGITS[digit]) for digit in text))
    total = digit = 0
    for character in text:
        if character in _UNITS:
            total += (digit or 1) * _UNITS[character]
        digit = _DIGITS.get(character, 0)
    return float(total + digit)


def _only_number(value: Mapping[str, object], high: float | None) -> float | None:
    for key in _NUMBER_KEYS:
        if key in value and (number := read_number(value[key], high=high)) is not None:
            return number
    return None


def read_text(value: object) -> str | None:
    """``value`` as text: lists become lines, objects their main text or ``key: value`` lines; None for null."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if is_array(value):
        return "\n".join(text for item in value if (text := read_text(item)))
    if is_object(value):
        return main_text(value) or "\n".join(
            f"{key}: {text}" for key, item in value.items() if (text := read_text(item)) is not None
        )
    return None


def main_text(value: Mapping[str, object]) -> str | None:
    """The one text of an object that stands where a text was due; None when it has several or none."""
    plain = {key.casefold(): item for key, item in value.items()}
    for key in _TEXT_KEYS:
        if isinstance(item := plain.get(key), str) and item.strip() and len(value) <= 3:
            return item
    texts = [item for item in value.values() if isinstance(item, str) and item.strip()]
    return texts[0] if len(texts) == 1 and len(value) <= 2 else None
