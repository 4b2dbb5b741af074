"""The main clause of a sentence that begins with a name: who did what, in the words of the record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from graphrag_cli.llm.extractive.verbs import base_of_past, base_of_present, is_base, is_participle
from graphrag_cli.llm.extractive.words import stems_of, word_set

MOST_WORDS: Final = 16
"""Of what follows the verb. A longer clause makes no question that one could take in."""

_FEW: Final = 2
_ARTICLE_OR_RANK = re.compile(
    r"(?:The|the|Agent|Lieutenant|Captain|Commander|Sir|Dr\.|Mr\.|Mrs\.|Professor) "
)
_APPOSITION = re.compile(r", (?![^,]*\bbut\b)[^,;:.]{3,90}, (?=[a-z])")
_JOINT = re.compile(r"(?:, and |, | and )(?:the )?")
_OF = re.compile(r" of (?:the )?")
_ADVERBS: Final = word_set(
    "also then later still soon once twice first already even now thus therefore always finally earlier long just"
)
_RELATIVE = re.compile(r"^(?:was|is) (?:a|an|the) [^.,;]{3,60}? (?:who|that|which) (?=[a-z]+ )")
_AUXILIARIES: Final = word_set("was were is are had has have")
_STOP = re.compile(
    r"(?<![A-Z])[.!?](?= |$)|:(?! [A-Z\d])|[;()\[\]–—“”\"]|\s-\s|,? \b(?:which|who|whose|whom|where|when|while|although|though|until|because|since|so that|"
    r"but|before|after|than|if|unless|thanks to|and (?:was|were|is|are|had|has|then|so|thus|never|later|in|on|at|after|there|with))\b"
)
"""Where another clause begins, or what is in brackets or quoted."""
_LIST = re.compile(r", (?!\w+ing )(?:[\w’'-]+ ){1,4}?(?:and|or) ")
"""The comma of a list, which goes on behind it; at any other the clause ends."""
_AND_VERB = re.compile(r",? and (\w+) ")
_DATE = re.compile(
    r" (?:on|in|of|from|between|by|at|since|during|late in|early in)(?: the)?(?: (?:early|late|mid|spring|summer|autumn|winter|night|"
    r"morning|evening|afternoon|middle|end|beginning|start|first|last|next|days?|weeks?|months?|years?))*(?: of)?"
    r"(?: \d{1,2}(?: (?:or|and|to) \d{1,2})?)?(?: (?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December))?(?: \d{4}(?:[–-]\d{2,4})?)?$"
)
"""When it happened, at the end of a clause: no part of what is asked."""
_DANGLING: Final = word_set(
    "nobody nothing he she it they him them this these those there here i we you its itself"
)
"""Words for something that another sentence names."""
_OWNED: Final = word_set("his her")
"""After several names nobody can tell whose."""
_OPEN_END: Final = word_set(
    "a an and as at by for from his her in into its of on or that the their to toward towards with"
)
"""Words that lead on to what was cut off behind them."""
_OPEN_NOUN: Final = word_set("everyone everybody anyone anybody those all what one")
"""Words that say nothing without the clause that was cut off behind them."""


@dataclass(frozen=True, slots=True)
class Clause:
    """``Roald Amundsen`` · ``build`` · ``his whole plan on sledge dogs``, said of the past."""

    subject: str
    """As it stands inside a sentence."""
    names: tuple[str, ...]
    """Those in the subject."""
    auxiliary: str
    """What the question has before the subject: "did", "was", "had" …"""
    verb: str
    """Base form, or the participle after an auxiliary; empty after a form of "be" alone."""
    said: str
    """The verb as it stands in the record."""
    rest: str

    @property
    def plural(self) -> bool:
        """True for several names."""
        return len(self.names) > 1


Known: TypeAlias = Mapping[str, Sequence[str]]
"""Names by their first word, in small letters."""


def by_first_word(names: Iterable[str]) -> Known:
    """``names`` as ``read_clause`` wants them."""
    known: dict[str, list[str]] = {}
    for name in names:
        known.setdefault(_first_word(name), []).append(name)
    return known


def read_clause(sentence: str, known: Known) -> Clause | None:
    """The main clause of ``sentence``, if it begins with one of ``known`` and its verb can be told; else None."""
    subject = _subject(sentence, known)
    if subject is None:
        return None
    text, names, end = subject
    end = _after_apposition(sentence, end)
    if sentence[end : end + 1] != " ":
        return None
    predicate = sentence[end + 1 :]
    if relative := _RELATIVE.match(predicate):  # "was the explorer who led …": what counts is that he led
        predicate = predicate[relative.end() :]
    words = predicate.split(" ")
    while words and words[0] in _ADVERBS:
        words.pop(0)
    plural = len(names) > 1
    found = _predicate(words, plural)
    if found is None:
        return None
    auxiliary, verb, said, words = found
    rest = _clipped(words, text)
    told = rest.lower().split()
    unclear = _DANGLING | _OWNED if plural else _DANGLING
    if len(told) > MOST_WORDS or not stems_of(rest) or not unclear.isdisjoint(told):
        return None
    return Clause(text, names, auxiliary, verb, said, rest)


def _subject(sentence: str, known: Known) -> tuple[str, tuple[str, ...], int] | None:
    """The names that the sentence begins with, how they stand inside a sentence, and where they end."""
    article = _ARTICLE_OR_RANK.match(sentence)
    start = article.end() if article else 0
    first = _name_at(sentence, start, known)
    if not first:
        return None
    names = [first]
    end = start + len(first)
    while joint := _JOINT.match(sentence, end):
        other = _name_at(sentence, joint.end(), known)
        if not other:
            break
        names.append(other)
        end = joint.end() + len(other)
    belonging = _OF.match(sentence, end)
    if belonging and (owner := _name_at(sentence, belonging.end(), known)):
        end = belonging.end() + len(owner)
    text = sentence[:end]
    return (text[:1].lower() + text[1:] if text.startswith("The ") else text), tuple(names), end


def _name_at(sentence: str, start: int, known: Known) -> str:
    """The longest of ``known`` that stands at ``start``, as it stands there, whole words only."""
    rest = sentence[start : start + 80]
    lower = rest.lower()
    found = [
        name
        for name in known.get(_first_word(rest), ())
        if lower.startswith(name.lower()) and not rest[len(name) : len(name) + 1].isalnum()
    ]
    return rest[: len(max(found, key=len))] if found else ""


def _first_word(text: str) -> str:
    return text.lower().split(" ", 1)[0].rstrip(",;:.")


def _after_apposition(sentence: str, end: int) -> int:
    """Where the verb's part begins: behind ", a wealthy Norwegian," or ", who had sailed before,"."""
    apposition = _APPOSITION.match(sentence, end)
    return apposition.end() - 1 if apposition else end


def _predicate(words: list[str], plural: bool) -> tuple[str, str, str, list[str]] | None:
    """Auxiliary, verb, the verb as it stands there, and what follows; None where the first of ``words`` is no verb."""
    if len(words) < _FEW:
        return None
    first, rest = words[0], words[1:]
    if first in _AUXILIARIES:
        return _with_auxiliary(first, rest, plural)
    if rest[0] == "and" and len(rest) > _FEW and base_of_past(rest[1]):
        first, rest = rest[1], rest[2:]  # "conceived and led the expedition"
    if base := base_of_past(first):
        return "did", base, first, rest
    if plural and is_base(first, rest[0]):
        return "do", first, first, rest
    if not plural and (base := base_of_present(first, rest[0])):
        return "does", base, first, rest
    return None


def _with_auxiliary(first: str, rest: list[str], plural: bool) -> tuple[str, str, str, list[str]] | None:
    """The same for a predicate that begins with a form of "be" or "have"."""
    while rest and (rest[0] in _ADVERBS or rest[0].endswith("ly")):
        rest = rest[1:]
    if not rest or rest[0] in {"not", "no", "to"}:
        return None
    if is_participle(rest[0]):
        return first, rest[0], f"{first} {rest[0]}", rest[1:]
    if first in {"had", "has", "have"}:
        return ("did" if first == "had" else "do" if plural else "does"), "have", first, rest
    return first, "", first, rest


def _clipped(words: Sequence[str], subject: str) -> str:
    """``words`` up to where another clause begins, without a date at the end."""
    text = " " + " ".join(words)
    stop = _STOP.search(text)
    if stop and stop.group() in '“”"':
        return ""
    text = text[: stop.start()] if stop else text
    for joint in _AND_VERB.finditer(text):
        other = joint.group(1)
        if (
            base_of_past(other)
            or base_of_present(other, text[joint.end() :].split(" ")[0])
            or other in subject.split()
        ):
            text = text[: joint.start()]
            break
    comma = text.find(", ")
    if comma >= 0 and not _LIST.match(text, comma):
        text = text[:comma]
        if len(text.split()) <= _FEW:
            return ""  # "a classified, high-stakes mission"
    kept = _DATE.sub("", text.rstrip(" ,")).split()
    while kept and kept[-1].lower() in _OPEN_END:
        kept.pop()
    return "" if kept and kept[-1] in _OPEN_NOUN else " ".join(kept)
