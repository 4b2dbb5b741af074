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


def forms_in(table: str) -> list[tuple[str, str, str]]:
    """Base form, simple past and past participle of the verbs in ``table``, which semicolons part."""
    rows = (row.split() for row in table.split(";"))
    return [(base, past, participle) for base, past, participle in rows]


IRREGULAR: Final = forms_in(
    """
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
)
"""Verbs whose past does not end in -ed."""

_BASES: Final = {form: base for base, *forms in IRREGULAR for form in forms}


@functools.lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """``word`` without the commonest English endings: enough to see that "reached" and "reaches" are one."""
    word = word.removesuffix("'s").removesuffix("’s")
    word = _BASES.get(word, word)
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
