"""A question, looked at: its words, what kind of thing it asks for, and whether it names anything at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from graphrag_cli.llm.extractive.words import stem, stems_of, word_set

Wanted: TypeAlias = Literal["number", "date", "cause", "means"]

_NUMBER_QUESTION = re.compile(
    r"\bhow (?:many|much|far|long|cold|high|old|big|large|deep|fast|tall|heavy|often)\b", re.I
)
_DATE_QUESTION = re.compile(r"\bwhen\b|\b(?:what|which|in what) (?:year|date|day|month|time)\b", re.I)
_ONE_FACT = r"\b(?:who|whose|whom|when|where|which|how (?:many|much|far|long|cold|high|low|old|big|large|deep|fast|tall|heavy|often))\b"
_POINTING = re.compile(_ONE_FACT, re.I)
"""Asks for a fact even where it names nothing ("Who is he?"); "What is this about?" does not."""
_FACTUAL = re.compile(
    rf"{_ONE_FACT}|"
    r"\b(?:what|in what)(?: exact)? (?:is|was|year|date|day|month|time|kind|sort|colou?r|name|number)\b|\bdid\b.*\bever\b",
    re.I,
)
_DATE = re.compile(
    r"\b(?:1\d{3}|20\d{2})\b|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? \d|\b\d{1,2} (?:jan|feb|"
    r"mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.I,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred|thousand|"
    r"million|half|dozen)\b",
    re.I,
)
_WHY = re.compile(r"\b(?:why|what (?:made|caused|led|drove)|for what reason|reasons?|causes?)\b", re.I)
_HOW = re.compile(r"\bhow (?:did|do|does|was|were|is|are|could|can|had|has|have)\b|\bby what means\b", re.I)
_CAUSE = re.compile(
    r"\b(?:because|since (?!\d)|so that|in order to|owing to|due to|thanks to|for fear|out of (?:fear|love|pride|hope|need|loyalty)|"
    r"as a result|therefore|thus|hence|led to|caused|forced|prevented|drove|made (?:it|him|her|them|the|[A-Z]\w+)|meant that|"
    r"so (?:\w+ ){1,3}that|too \w+ (?:to|for)|cost|reason|lay in)\b",
)
_MEANS = re.compile(
    r"\b(?:by \w+ing|with the help of|by means of|thanks to|used|using|so that|in order to|until|through|which (?:kept|let|made|gave|saved|helped)|"
    r"helped|allowed|enabled|made)\b"
)
_GENERIC: Final = frozenset(
    stem(word)
    for word in word_set(
        """
        main major key top central overall general important significant theme themes topic topics subject subjects
        summary summarise summarize summarised overview story stories dataset data document documents text texts
        corpus collection information content contents idea ideas point points discuss discussed cover covered
        happens narrative book report reports article articles event events insight insights takeaway takeaways
        lesson lessons record records run runs recur recurring part parts
        role roles
        """
    )
)
_PLAY = re.compile(r"\b(?:part|role)\b.*?\b(play(?:s|ed)?)\b", re.I)
_PARTS = re.compile(
    r",?\s+(?:and|but|or)\s+(?=(?:how|what|when|where|which|who|whom|whose|why)\b)",
    re.I,
)
_LEAST_PART: Final = 3
MOST_THEME_WORDS: Final = 3
_EDGE: Final = ".,;:!?\"'“”‘’()"


@dataclass(frozen=True, slots=True)
class Query:
    """A question, looked at."""

    text: str
    terms: frozenset[str]
    """Stems of its words that carry meaning."""
    wanted: Wanted | None
    open: bool
    """True when it asks for no single fact ("Why …", "What part did …")."""
    broad: bool
    """True when it names nothing ("What are the main themes?")."""
    focus: str = ""
    """Its theme, where it names little else ("rescue and survival"), without words that only say that it asks."""
    parts: tuple[str, ...] = ()
    """The questions that it is made of, where these are several."""
    key: str = ""
    """Its rarer words, once a context has told which these are."""
    covered: bool = False
    """True once a context has shown enough of the theme's words in some form."""


def read_query(text: str) -> Query:
    """``text`` looked at."""
    terms = stems_of(text)
    wanted: Wanted | None = None
    if _NUMBER_QUESTION.search(text):
        wanted = "number"
    elif _DATE_QUESTION.search(text):
        wanted = "date"
    elif _WHY.search(text):
        wanted = "cause"
    elif _HOW.search(text):
        wanted = "means"
    telling = terms - _GENERIC
    factual = _FACTUAL.search(text) is not None
    broad = not telling and (bool(terms) or _POINTING.search(text) is None)
    played = _PLAY.search(text)
    if played and len(telling) > 1:
        telling -= {stem(played.group(1).lower())}
    theme = telling != terms and len(telling) <= MOST_THEME_WORDS and not broad
    focus = focus_of(text, telling) if theme else ""
    return Query(
        text,
        telling or terms,
        wanted,
        open=broad or not factual,
        broad=broad,
        focus=focus,
        parts=parts_of(text),
    )


def parts_of(text: str) -> tuple[str, ...]:
    """The questions in ``text`` when there are several of some length, else nothing."""
    parts = tuple(part.strip() for part in _PARTS.split(text) if part.strip())
    return parts if len(parts) > 1 and all(len(part.split()) >= _LEAST_PART for part in parts) else ()


def focus_of(text: str, telling: frozenset[str]) -> str:
    """``text`` from its first to its last telling word, without generic ones ("rescue and survival")."""
    words = [word for word in text.split() if not stems_of(word) or stems_of(word) & telling]
    at = [number for number, word in enumerate(words) if stems_of(word) & telling]
    return " ".join(words[at[0] : at[-1] + 1]).strip(_EDGE) if at else ""


def has_wanted(wanted: Wanted, text: str) -> bool:
    """True when ``text`` holds the kind of thing that is asked for."""
    return _SIGNS[wanted].search(text) is not None


_SIGNS: Final[dict[Wanted, re.Pattern[str]]] = {
    "number": _NUMBER,
    "date": _DATE,
    "cause": _CAUSE,
    "means": _MEANS,
}
