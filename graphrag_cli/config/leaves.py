"""Settings before they are a tree: single values by key, each with its origin.

A key is a tuple of names, since the id of a model may hold dots. Keeping values flat makes renaming, overriding
and telling where a value came from the same small operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from graphrag_cli.config.loaded import Origin, OriginKind

Key: TypeAlias = tuple[str, ...]

RANK: Mapping[OriginKind, int] = {"default": 0, "file": 1, "dotenv": 2, "environment": 3, "set": 4, "flag": 5}
"""Which origin wins over which."""

_PART = re.compile(r'"([^"]*)"|([^."]+)')


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value: a scalar, a list, None, or an empty mapping."""

    value: object
    origin: Origin


Leaves: TypeAlias = dict[Key, Leaf]


def dotted(key: Key) -> str:
    """``key`` as people write it; a name that holds a dot is put in quotes."""
    return ".".join(f'"{part}"' if "." in part else part for part in key)


def undotted(text: str) -> Key:
    """The key that ``dotted`` writes as ``text``."""
    return tuple(quoted or plain.strip() for quoted, plain in _PART.findall(text))


def flatten(value: object, origin: Origin, key: Key = ()) -> Iterator[tuple[Key, Leaf]]:
    """The leaves of a nested mapping, all of one origin."""
    if isinstance(value, dict) and value:
        for name, inner in cast("dict[object, object]", value).items():
            yield from flatten(inner, origin, (*key, str(name)))
    else:
        yield key, Leaf(cast("object", value), origin)


def nest(leaves: Mapping[Key, Leaf]) -> dict[str, object]:
    """The nested mapping of ``leaves``."""
    tree: dict[str, object] = {}
    for key, leaf in leaves.items():
        inner = tree
        for name in key[:-1]:
            inner = cast("dict[str, object]", inner.setdefault(name, {}))
        inner[key[-1]] = leaf.value
    return tree


def below(leaves: Mapping[Key, Leaf], prefix: Key) -> list[Key]:
    """Keys of ``leaves`` that begin with ``prefix``, ``prefix`` itself among them."""
    return [key for key in leaves if key[: len(prefix)] == prefix]


def names_below(leaves: Mapping[Key, Leaf], prefix: Key) -> list[str]:
    """Names directly under ``prefix``, in order, each once."""
    return list(dict.fromkeys(key[len(prefix)] for key in below(leaves, prefix) if len(key) > len(prefix)))


def wins(new: Leaf, old: Leaf | None) -> bool:
    """Whether ``new`` replaces ``old`` under the same key: it comes from as strong an origin, or a stronger one."""
    return old is None or RANK[new.origin.kind] >= RANK[old.origin.kind]


def put(leaves: Leaves, key: Key, leaf: Leaf) -> None:
    """Sets ``key``, and removes what contradicts it: values below it, and values where its sections should be."""
    for other in list(leaves):
        shorter, longer = sorted((other, key), key=len)
        if other != key and longer[: len(shorter)] == shorter:
            if other == shorter or wins(leaf, leaves[other]):
                del leaves[other]
            else:
                return
    leaves[key] = leaf
