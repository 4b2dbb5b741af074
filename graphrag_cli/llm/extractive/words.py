"""Words: found in a text, brought to a common form, and told apart from those that carry no meaning."""

from __future__ import annotations

import functools
import re
from typing import Final


def word_set(words: str) -> frozenset[str]:
    """The words in ``words``."""
    return frozenset(words.split())


STOP_WORDS: Final = word_set(
    """
    a about after again all also am an and any anyone are as at be because been before being between
    both but by can could describe did do does doing done down during each else even every explain
    few for from further get give given had happen happened has have having he her here hers him his
    how i if in into is it its itself just know known let like list made make many may me might more
    most much must my name no nor not of off on once one only or other our out over own please said
    same say she should so some such take tell than that the their them then there these they thing
    things this those through to too under until up upon us use used very was we well were what when
    where whether which while who whom whose why will with within without would you your

    cuándo cómo das de dem den der des du dónde ein eine el en es est et im ist la las
    le les los mit où por pourquoi quand que qui quién quoi qué un und une von wann warum wer wie wo
    y zu
    """
)
"""Words that carry no meaning of their own: English, then the commonest of German, French and Spanish."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def words_of(text: str) -> list[str]:
    """Lower-case words in order; ideographs, which are not parted by spaces, as pairs of neighbours."""
    words: list[str] = []
    for match in _WORD.finditer(text.lower()):
        word = match.group()
        if _IDEOGRAPHS.search(word):
            words += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            words.append(word)
    return words


@functools.lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """``word`` without the commonest English endings: enough to see that "reached" and "reaches" are one."""
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) <= 3 or not word.isascii():
        return word
    for suffix, ending, least in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= least:
            return _undouble(word[: len(word) - len(suffix)] + ending)
    return word.removesuffix("e")


_SUFFIXES: Final = (
    ("ies", "y", 2),
    ("ied", "y", 2),
    ("sses", "ss", 1),
    ("ing", "", 3),
    ("edly", "", 3),
    ("ed", "", 3),
    ("es", "", 3),
    ("al", "", 5),
    ("ss", "ss", 1),
    ("us", "us", 1),
    ("s", "", 3),
)


@functools.lru_cache(maxsize=16384)
def stems_of(text: str) -> frozenset[str]:
    """Stems of the words of ``text`` that carry meaning."""
    return frozenset(stem(word) for word in words_of(text) if word not in STOP_WORDS)


_ENDINGS: Final = word_set("c t tific tist or er ion ation ment y ist ism iv al ic ical ly ed ing ful ness")
_ROOT: Final = 5


@functools.lru_cache(maxsize=8192)
def roots_of(stems: frozenset[str]) -> frozenset[str]:
    """The beginnings of ``stems``: where a stem's is not among them, none is akin to it."""
    return frozenset(one[:_ROOT] for one in stems)


def has_akin(one: str, stems: frozenset[str]) -> bool:
    """True when a form of the word of which ``one`` is the stem is among ``stems``."""
    return one[:_ROOT] in roots_of(stems) and any(akin(one, other) for other in stems)


def akin(one: str, other: str) -> bool:
    """True when two stems look like forms of one word ("scienc", "scientific")."""
    root = 0
    while root < min(len(one), len(other)) and one[root] == other[root]:
        root += 1
    ends = one[root:], other[root:]
    return root >= _ROOT and all(not end or end in _ENDINGS for end in ends)


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word.removesuffix("e")
