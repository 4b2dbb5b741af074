"""English verbs: what the base form of a past or present form is, as far as a short table and spelling can tell."""

from __future__ import annotations

import functools
from typing import Final

from graphrag_cli.llm.extractive.words import word_set
from graphrag_cli.llm.wordpiece import load_tokenizer

_IRREGULAR: Final = """
arise arose arisen; become became become; begin began begun; bend bent bent; bind bound bound; bite bit bitten; blow blew blown;
break broke broken; bring brought brought; build built built; burn burnt burnt; buy bought bought; catch caught caught;
choose chose chosen; cling clung clung; come came come; creep crept crept; cut cut cut; deal dealt dealt; dig dug dug;
do did done; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed;
feel felt felt; fight fought fought; find found found; flee fled fled; fly flew flown; forbid forbade forbidden;
forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got got; give gave given; go went gone;
grow grew grown; hang hung hung; have had had; hear heard heard; hide hid hidden; hit hit hit; hold held held; hurt hurt hurt;
keep kept kept; know knew known; lay laid laid; lead led led; leap leapt leapt; learn learnt learnt; leave left left;
lend lent lent; let let let; lie lay lain; lose lost lost; make made made; mean meant meant; meet met met; pay paid paid;
put put put; read read read; ride rode ridden; ring rang rung; rise rose risen; run ran run; say said said; see saw seen;
seek sought sought; sell sold sold; send sent sent; set set set; shake shook shaken; shine shone shone; shoot shot shot;
show showed shown; shrink shrank shrunk; shut shut shut; sing sang sung; sink sank sunk; sit sat sat; sleep slept slept;
speak spoke spoken; spend spent spent; split split split; spread spread spread; stand stood stood; steal stole stolen;
stick stuck stuck; strike struck struck; swear swore sworn; sweep swept swept; swim swam swum; take took taken;
teach taught taught; tear tore torn; tell told told; think thought thought; throw threw thrown; understand understood understood;
undertake undertook undertaken; wake woke woken; wear wore worn; weep wept wept; win won won; withdraw withdrew withdrawn;
write wrote written
"""
_FORMS: Final = [form.split() for form in _IRREGULAR.split(";")]
_PAST: Final = {past: base for base, past, _ in _FORMS}
_PARTICIPLES: Final = frozenset(["been", *(participle for _, _, participle in _FORMS)])
_BASES: Final = frozenset(base for base, _, _ in _FORMS)
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


def is_base(word: str) -> bool:
    """True for the base form of a verb that the table knows."""
    return word in _BASES


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
