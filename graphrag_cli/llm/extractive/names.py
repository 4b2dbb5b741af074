"""Names in a text, and what kind of thing they name, as far as words can tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from graphrag_cli.llm.extractive.candidates import readable_name
from graphrag_cli.llm.extractive.parse import Record
from graphrag_cli.llm.extractive.words import STOP_WORDS, word_set

Kind: TypeAlias = Literal["person", "place", "ship", "event", "organization", "thing"]

_NAME_WORD = r"(?:[A-ZÀ-ÖØ-Þ][\w’'-]*[\wß]|[A-ZÀ-ÖØ-Þ]\.)"
_NAME = re.compile(rf"{_NAME_WORD}(?:\s+(?:(?:of|the|de|von|van|der|du|la)\s+){{0,2}}{_NAME_WORD})*")
_POSSESSIVE = re.compile(r"['’]s?$")
_TIMES: Final = word_set(
    """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday spring summer autumn winter christmas easter data sources reports
    entities
    """
)
_KINDS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (
        "event",
        re.compile(
            r"\b(?:expedition|journey|march|race|voyage|war|battle|crisis|conference|mission|operation|event|campaign|attack|festival|trial|search|strike|false start|outbreak|project|programme|program)\b",
            re.I,
        ),
    ),
    ("ship", re.compile(r"\b(?:ship|vessel|whaler|steamer|schooner|barque|yacht|boat)\b", re.I)),
    (
        "organization",
        re.compile(
            r"\b(?:society|navy|army|museum|company|institute|university|committee|association|agency|office|government|council|club|newspaper|organi[sz]ation|corporation|party of|team|unit|bank|guild|press)\b",
            re.I,
        ),
    ),
    (
        "place",
        re.compile(
            r"\b(?:depot|camp|base|hut|island|bay|glacier|cape|mount|mountain|range|sea|ocean|land|town|city|village|port|harbou?r|country|place|point|pole|coast|station|river|lake|valley|plateau|shelf|region|home|building|room|facility)\b",
            re.I,
        ),
    ),
)
_PERSON = re.compile(
    r"\b(?:he|she|his|her|who|man|woman|explorer|captain|lieutenant|officer|leader|geologist|scientist|surgeon|doctor|professor|king|queen|sailor|author|brother|sister|wife|husband|father|mother|son|daughter|agent|photographer|merchant|engineer|cook|skier|commander|born)\b",
    re.I,
)


def names_in(text: str) -> list[str]:
    """Proper names in ``text``, in order, each once; a capital that only opens a sentence is none."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        name = _trimmed(match.group())
        alone = " " not in name
        if not name or name.lower() in _TIMES or len(name) < 3:
            continue
        if alone and (name.lower() in STOP_WORDS or _opens(text, match.start())):
            continue
        found.setdefault(name)
    return list(found)


def kinds_of(records: Sequence[Record]) -> dict[str, Kind]:
    """The kind of each entity that the records describe, by its readable name."""
    return {
        readable_name(record.title): kind_of(record.title, record.text)
        for record in records
        if record.dataset == "entities"
    }


def kind_of(name: str, description: str = "") -> Kind:
    """What ``name`` is, from its own words, else from the first sentence about it."""
    for kind, pattern in _KINDS:
        if pattern.search(name):
            return kind
    opening = description[:160]
    person = _PERSON.search(opening)
    if person and " " in name:
        return "person"
    found: list[tuple[int, Kind]] = [
        (match.start(), kind) for kind, pattern in _KINDS if (match := pattern.search(opening))
    ]
    if person:
        found.append((person.start(), "person"))
    if found:
        return min(found)[1]
    return "person" if not description and " " in name else "thing"


def with_article(name: str, kind: Kind) -> str:
    """``name`` as it stands in a sentence: ships and events take "the"."""
    if name.lower().startswith("the ") or kind not in {"ship", "event"}:
        return name
    return f"the {name}"


def kind_among(kinds: Mapping[str, Kind], name: str) -> Kind:
    """The kind of ``name``: as the records have it, else by its words."""
    return kinds.get(name) or kind_of(name)


def _trimmed(name: str) -> str:
    words = list(_without_opening(_POSSESSIVE.sub("", name).split()))
    while words and words[-1].lower() in _TIMES:
        words.pop()
    return " ".join(words)


def _without_opening(words: list[str]) -> Iterator[str]:
    """Drops "The", "When" and the like that a sentence opens with."""
    dropping = True
    for word in words:
        if dropping and word.lower() in STOP_WORDS:
            continue
        dropping = False
        yield word


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'“‘(")
    return not before or before[-1] in ".!?:…"
