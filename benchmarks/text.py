"""Prose and names for synthetic indexes, made by the column: arrow joins drawn sentences in C."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index.arrow import pa, pc

Rng = np.random.Generator
Column = Any
"""An arrow array."""

_WHO = [
    "keeper",
    "pilot",
    "surveyor",
    "clerk",
    "captain",
    "printer",
    "miller",
    "engineer",
    "physician",
    "trader",
    "smith",
    "teacher",
]
_DID = [
    "recorded",
    "measured",
    "carried",
    "promised",
    "refused",
    "repaired",
    "delivered",
    "inspected",
    "described",
    "counted",
    "sold",
]
_WHAT = [
    "the tide tables",
    "a cargo of grain",
    "the northern light",
    "three sealed letters",
    "the harbour dues",
    "a broken sextant",
    "the winter stores",
    "the old survey",
    "a wooden bridge",
    "the town's ledger",
    "a pair of copper kettles",
    "the signal fires",
]
_WHERE = [
    "at the mouth of the river",
    "in the upper town",
    "beside the salt works",
    "near the customs house",
    "on the eastern reef",
    "under the market hall",
    "along the canal",
    "behind the rope walk",
    "in sight of the islands",
    "at the second lock",
]
_WHEN = [
    "before the ice came",
    "in the spring of that year",
    "during the long strike",
    "after the council had met",
    "while the ferry was laid up",
    "on the day of the fair",
    "when the mill stood still",
    "at the end of the season",
]
_WHY = [
    "because the accounts did not agree",
    "so that the inquiry could begin",
    "although nobody had asked for it",
    "and the council paid for it later",
    "which the newspaper denied",
    "as the agreement of the guilds required",
]

_FIRST = [
    "MIRA",
    "OLE",
    "INGRID",
    "TOMAS",
    "ELSE",
    "HARALD",
    "JOHANNA",
    "PETER",
    "SIGRID",
    "ANDERS",
    "LENA",
    "MARTIN",
    "KAREN",
    "NILS",
    "AGNES",
    "ERIK",
]
_ROOTS = [
    "VOSS",
    "BRANDT",
    "HOLT",
    "SKARN",
    "LUND",
    "MARSH",
    "FELD",
    "STRAND",
    "BERG",
    "DAHL",
    "KLINT",
    "RAV",
    "SUND",
    "TORP",
    "HAUG",
    "VIK",
    "NESS",
    "ODDE",
]
_TAILS = ["", "EN", "SEN", "GAARD", "HOLM", "STAD", "BY", "ROD", "MO", "HEIM", "LAND", "DORF"]
TYPES = ("PERSON", "ORGANIZATION", "GEO", "EVENT", "SHIP")


def sentences(seed: int, count: int = 6000) -> Column:
    """A pool of sentences of 15 to 25 words."""
    draw = Random(seed)
    made = [
        f"The {draw.choice(_WHO)} {draw.choice(_DID)} {draw.choice(_WHAT)} {draw.choice(_WHERE)} "
        f"{draw.choice(_WHEN)}, {draw.choice(_WHY)}."
        for _ in range(count)
    ]
    return pa.array(made)


def prose(rng: Rng, pool: Column, count: int, length: int) -> Column:
    """``count`` texts of ``length`` sentences."""
    drawn = [pc.take(pool, pa.array(rng.integers(0, len(pool), count))) for _ in range(length)]
    return pc.binary_join_element_wise(*drawn, " ")


def titles(count: int) -> Column:
    """Distinct names in capitals: the first ones short, later ones with a number."""
    places = np.arange(count)
    parts: list[Column] = []
    for words in (_FIRST, [root + tail for root in _ROOTS for tail in _TAILS]):
        parts.append(pc.take(pa.array(words), pa.array(places % len(words))))
        places = places // len(words)
    suffix = pc.cast(pa.array(places + 1), pa.string())
    numbered = pc.binary_join_element_wise(*parts, suffix, " ")
    plain = pc.binary_join_element_wise(*parts, " ")
    return pc.if_else(pa.array(places == 0), plain, numbered)


def with_name(names: Column, text: Column, joint: str) -> Column:
    """``name + joint + text`` row by row."""
    return pc.binary_join_element_wise(names, text, joint)


def drawn_types(rng: Rng, count: int) -> Column:
    """An entity type per row."""
    return pc.take(pa.array(TYPES), pa.array(rng.integers(0, len(TYPES), count)))


def hexadecimal(rng: Rng, count: int, digits: int) -> Column:
    """Ids of so many hexadecimal digits."""
    return _strings(_digits(rng, count, digits))


def uuids(rng: Rng, count: int) -> Column:
    """Ids with dashes."""
    digits = _digits(rng, count, 32)
    made = np.full((count, 36), ord("-"), np.uint8)
    made[:, [place for place in range(36) if place not in {8, 13, 18, 23}]] = digits
    return _strings(made)


def _digits(rng: Rng, count: int, digits: int) -> NDArray[np.uint8]:
    alphabet = np.frombuffer(b"0123456789abcdef", np.uint8)
    return alphabet[rng.integers(0, 16, (count, digits), np.uint8)]


def _strings(characters: NDArray[np.uint8]) -> Column:
    """One string per row of a matrix of ASCII codes, without a Python object for any."""
    count, width = characters.shape
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(width)
    return pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(characters.tobytes()))


def lists(owners: NDArray[np.int64], targets: NDArray[np.int64], count: int, ids: Column) -> Column:
    """A list column: for each of ``count`` owners the ids of its targets. Pairs are sorted by owner here."""
    order = np.argsort(owners, kind="stable")
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=count), out=offsets[1:])
    return pa.ListArray.from_arrays(
        pa.array(offsets.astype(np.int32)), pc.take(ids, pa.array(targets[order]))
    )
