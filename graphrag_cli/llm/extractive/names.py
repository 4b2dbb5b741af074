"""Names in a text, and what kind of thing they name, as far as words can tell."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from graphrag_cli.llm.extractive.candidates import readable_name
from graphrag_cli.llm.extractive.clauses import Known, by_first_word
from graphrag_cli.llm.extractive.parse import Record
from graphrag_cli.llm.extractive.words import STOP_WORDS, word_set, words_of

Kind: TypeAlias = Literal["person", "place", "ship", "event", "organization", "thing"]

_NAME_WORD = r"(?:(?:Lt|Dr|Mr|Mrs|Capt|Prof|St|[A-ZÀ-ÖØ-Þ])\.|[A-ZÀ-ÖØ-Þ][\w-]*(?:[’'](?!s\b)[\w-]+)*)"
_JOINT = r"(?: (?:de|von|van|der|du|la))? "
_NAME = re.compile(
    rf"{_NAME_WORD} of (?:the )?{_NAME_WORD}(?:{_JOINT}{_NAME_WORD})*|{_NAME_WORD}(?:{_JOINT}{_NAME_WORD})*"
)
_PEOPLE = re.compile(r"(?:ish|ians?|ese)$")
_PREDICATE = re.compile(
    r"\b(?:was|is|were|are)\s+((?:(?!who\b|which\b|that\b|whose\b|where\b|and\b)[\w’'-]+\s+){1,8})"
)
_TIMES: Final = word_set(
    """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday spring summer autumn winter christmas easter data sources reports
    entities
    """
)
_KIND_WORDS: Final[tuple[tuple[Kind, frozenset[str]], ...]] = (
    (
        "event",
        word_set(
            """
            expedition journey march race voyage war battle crisis conference mission operation event campaign
            attack festival trial search strike start outbreak project programme program
            """
        ),
    ),
    ("ship", word_set("ship vessel whaler steamer schooner barque yacht boat")),
    (
        "organization",
        word_set(
            """
            society navy army museum company institute university committee association agency office government
            council club newspaper organisation organization corporation party team unit bank guild press ministry
            """
        ),
    ),
    (
        "place",
        word_set(
            """
            depot camp base hut island bay glacier cape mount mountain range sea ocean land town city village port
            harbour harbor country place point pole coast station river lake valley plateau shelf region home
            building room facility
            """
        ),
    ),
    (
        "person",
        word_set(
            """
            he she his her who man woman explorer captain lieutenant officer leader geologist scientist surgeon
            doctor professor king queen sailor author brother sister wife husband father mother son daughter agent
            photographer merchant engineer cook skier commander born
            """
        ),
    ),
)
"""Words that tell what something is, in its name or at the beginning of its description."""

_RANKS: Final = word_set("lieutenant lt captain capt commander dr mr mrs miss professor prof sir dame")
_OPENING_CHARACTERS: Final = 160
_OPENERS: Final = word_set(
    """
    although besides despite earlier eventually finally however instead later meanwhile moreover nevertheless only since soon
    still though thus today together unlike yesterday yet
    """
)
"""Words that have a capital because a sentence opens with them."""
_PLACED: Final = word_set("at in near from to towards toward off")


@functools.lru_cache(maxsize=4096)
def names_in(text: str) -> tuple[str, ...]:
    """Proper names in ``text``, in order, each once; a capital that only opens a sentence is none."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        name = _trimmed(match.group())
        if len(name) < 3 or name.lower() in _TIMES:
            continue
        if " " not in name and (_opens(text, match.start()) or _is_no_name(name)):
            continue
        found.setdefault(name)
    return tuple(found)


class Names:
    """What the names in some records stand for, found out one by one when asked."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._text = "\n".join(record.text for record in records)
        entities = {readable_name(record.title): record for record in records if record.dataset == "entities"}
        ends = [readable_name(end) for record in records for end in record.ends or ()]
        self._descriptions = {name: record.text for name, record in entities.items()}
        self._by_last_word: dict[str, set[str]] = {}
        mentioned = [name for record in records for name in names_in(record.text)]
        whole_names = dict.fromkeys((*entities, *ends, *(name for name in mentioned if " " in name)))
        for name in whole_names:
            self._by_last_word.setdefault(last_word(name), set()).add(name)
        self.known: Known = by_first_word(dict.fromkeys((*whole_names, *mentioned)))
        """Every name in the records."""
        self._kinds: dict[str, Kind] = {}
        self._before: dict[str, Counter[str]] = {}

    def full(self, name: str) -> str:
        """The whole name of which ``name`` is the last part, where only one such is known."""
        known = self._by_last_word.get(last_word(name), set())
        longer = [whole for whole in known if whole.lower().endswith(f" {name.lower()}")]
        return name if name in known or len(longer) != 1 else longer[0]

    def kind(self, name: str) -> Kind:
        """What ``name`` is, by its own words, its description, or how the records use it."""
        if name not in self._kinds:
            self._kinds[name] = self._find_kind(name)
        return self._kinds[name]

    def in_sentence(self, name: str) -> str:
        """``name`` with "the" where the records, or what it is, ask for it."""
        if name.lower().startswith("the "):
            return name
        before = self._words_before(name)
        mostly = before["the"] > 0 and before["the"] * 2 >= before.total()
        return f"the {name}" if mostly or self.kind(name) in {"ship", "event"} else name

    def at(self, name: str) -> str:
        """``name`` as a place where something happens."""
        before = self._words_before(name)
        preposition = "in" if before["in"] > before["at"] else "at"
        return f"{preposition} {self.in_sentence(name)}"

    def _find_kind(self, name: str) -> Kind:
        kind = kind_by_words(reversed(name.split()))
        if kind and kind != "person":
            return kind
        predicate = _PREDICATE.search(self._descriptions.get(name, "")[:_OPENING_CHARACTERS])
        if predicate:
            told = kind_by_words(word for word in predicate.group(1).split() if word.islower())
            if told:
                return told
        before = self._words_before(name)
        if before["the"] * 2 > before.total():
            return "thing"
        if sum(before[word] for word in _PLACED) * 2 > before.total():
            return "place"
        return "person" if " " in name else "thing"

    def _words_before(self, name: str) -> Counter[str]:
        """How often each word stands before ``name``."""
        if name not in self._before:
            found = re.findall(rf"\b(\w+)\s+{re.escape(name)}\b", self._text)
            self._before[name] = Counter(word.lower() for word in found)
        return self._before[name]


def kind_by_words(words: Iterable[str]) -> Kind | None:
    """The kind that the first telling one of ``words`` names."""
    for word in words:
        for kind, telling in _KIND_WORDS:
            if word.lower() in telling:
                return kind
    return None


def last_word(name: str) -> str:
    """The telling part of a name."""
    words = words_of(name)
    return words[-1] if words else ""


def _trimmed(name: str) -> str:
    """``name`` without rank and without the "At" or "When" that a sentence opens with ("One Ton Depot" stays)."""
    words = name.split()
    while words and words[0] != "One" and words[0].lower().rstrip(".") in STOP_WORDS | _OPENERS | _RANKS:
        words.pop(0)
    while words and (words[-1].lower() in _TIMES or _PEOPLE.search(words[-1])):
        words.pop()
    return " ".join(words)


def _is_no_name(word: str) -> bool:
    """Words that have a capital without being a name: peoples and the adjectives made from them, "I"."""
    return word.lower() in STOP_WORDS or _PEOPLE.search(word) is not None


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'“‘(")
    return not before or before[-1] in ".!?:…\n"
