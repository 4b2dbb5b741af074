"""English verbs: what the base form of a past or present form is, as far as a short table and spelling can tell."""

from __future__ import annotations

import functools
from typing import Final

from graphrag_cli.llm.counting.wordpiece import load_tokenizer
from graphrag_cli.llm.extractive.words import IRREGULAR, word_set

_PAST: Final = {past: base for base, past, _ in IRREGULAR}
_PARTICIPLES: Final = frozenset(["been", *(participle for _, _, participle in IRREGULAR)])
_BASES: Final = frozenset(base for base, _, _ in IRREGULAR)
_VOWELS: Final = frozenset("aeiouy")
_UNSTRESSED: Final = ("er", "en", "on", "it", "et", "el", "il", "or", "om", "op", "ip")

_NOT_PAST: Final = word_set("hundred indeed naked red sacred bed need seed speed feed weed steed kindred")
_AFTER_A_VERB: Final = word_set(
    """
    a about after against an and around as at away back before between beyond by down during each every for four
    from her his home how in into it its many more no off on once one out over several some that the their them
    three through to together toward towards two under up upon what when why with within without
    """
)
"""Words that tell a verb in -s from a noun that ends so: one of these, a name or a number comes next."""


def base_of_past(word: str) -> str:
    """The base form of which ``word`` is the simple past ("planned": "plan"); empty when it is none, or unknown."""
    if word in _PAST:
        return _PAST[word]
    if not word.endswith("ed") or word in _NOT_PAST or not word.isalpha():
        return ""
    return _base_of_ed(word)


def is_participle(word: str) -> bool:
    """True for a past participle, as in "was built"."""
    return word in _PARTICIPLES or (word.endswith("ed") and bool(_base_of_ed(word)))


def base_of_present(word: str, after: str) -> str:
    """The base form of which ``word`` is the third person ("carries": "carry") where ``after`` may come next, else nothing."""
    if not word.endswith("s") or word.endswith("ss") or not word.isalpha():
        return ""
    if after and after.lower() not in _AFTER_A_VERB and not after[0].isupper() and not after[0].isdigit():
        return ""
    candidates = [word[:-1], word[:-2], f"{word[:-3]}y" if word.endswith("ies") else ""]
    if word.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        candidates.pop(0)
    if word.endswith("ies") and len(word) > 4:
        candidates.reverse()
    return next((base for base in candidates if len(base) > 1 and _is_word(base)), "")


def is_base(word: str, after: str) -> bool:
    """True for the base form of a verb, as it stands behind several names, where ``after`` may come next."""
    return word in _BASES or (word.islower() and after.lower() in _AFTER_A_VERB and _is_word(word))


@functools.lru_cache(maxsize=4096)
def _base_of_ed(word: str) -> str:
    """The spelling rules backwards; where they leave a choice, a word of the embedded vocabulary is preferred."""
    bare, with_e = word[:-2], word[:-1]
    if len(bare) < 2 or not _VOWELS & set(bare):
        return ""
    if word.endswith("ied"):
        return f"{word[:-3]}y" if len(word) > 4 else with_e
    if bare[-1] == bare[-2]:
        candidates = [bare, bare[:-1]] if _is_word(bare) or bare[-1] in "lsz" else [bare[:-1]]
    else:
        candidates = [with_e, bare] if _wants_e(bare) else [bare, with_e]
    return next((base for base in candidates if _is_word(base)), candidates[0])


def _wants_e(bare: str) -> bool:
    """True where the verb has a final e by its sound or by the consonant that is not doubled ("planed" is of "plane")."""
    if bare.endswith(("c", "v", "u", "dg", "rg", "iz", "us", "ng")):
        return not bare.endswith("ong") and bare != "hang"
    if bare[-1] in _VOWELS or bare[-1] in "wx" or bare[-2] not in _VOWELS or bare[-3:-2] in _VOWELS:
        return False
    syllables = sum(
        letter in _VOWELS and (at == 0 or bare[at - 1] not in _VOWELS) for at, letter in enumerate(bare)
    )
    return syllables == 1 or not (_is_word(bare) or bare.endswith(_UNSTRESSED))


def _is_word(word: str) -> bool:
    return load_tokenizer().token_to_id(word) is not None
