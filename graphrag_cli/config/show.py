"""The settings as they hold, for ``config show``: every key with its value and where that came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, SecretStr

from graphrag_cli.config.leaves import Key, dotted
from graphrag_cli.config.loaded import Origin
from graphrag_cli.config.providers import MASK, without_password
from graphrag_cli.config.schema import is_secret

if TYPE_CHECKING:
    from graphrag_cli.config.loaded import Loaded

MISSING = "(missing)"
DEFAULT = Origin("default")


@dataclass(frozen=True, slots=True)
class Row:
    """One key, its value as YAML would have it, and its origin. Secrets are masked."""

    key: str
    value: str
    origin: Origin


def rows(loaded: Loaded) -> tuple[Row, ...]:
    """Every effective value, in the order of the tree; keys without a usable value say so."""
    found: list[Row] = []
    for key, value in _walk(loaded.settings, ()):
        name = dotted(key)
        if name in loaded.unresolved:
            found.append(Row(name, MISSING, Origin("file", loaded.path.name)))
        else:
            found.append(Row(name, _text(_plain(key, value)), loaded.origins.get(name, DEFAULT)))
    return tuple(found)


def as_yaml(loaded: Loaded) -> str:
    """The effective settings as a YAML document that says the same again; secrets are masked."""
    import yaml

    tree: dict[str, object] = {}
    for key, value in _walk(loaded.settings, ()):
        inner = tree
        for name in key[:-1]:
            inner = cast("dict[str, object]", inner.setdefault(name, {}))
        inner[key[-1]] = MISSING if dotted(key) in loaded.unresolved else _plain(key, value)
    dump = cast("Callable[..., str]", yaml.safe_dump)  # pyright: ignore[reportUnknownMemberType]
    return dump(tree, sort_keys=False, allow_unicode=True, width=10_000)


def _walk(value: object, key: Key) -> Iterator[tuple[Key, object]]:
    if isinstance(value, BaseModel):
        items = {name: cast("object", getattr(value, name)) for name in type(value).model_fields}
    elif isinstance(value, Mapping) and value:
        items = cast("Mapping[str, object]", value)
    else:
        yield key, value
        return
    for name, inner in items.items():
        if key or name != "root":
            yield from _walk(inner, (*key, name))


def _plain(key: Key, value: object) -> object:
    """``value`` as YAML knows it, with what is secret masked."""
    if isinstance(value, SecretStr) or (isinstance(value, str) and is_secret(key)):
        return MASK
    match value:
        case Path():
            return str(value)
        case tuple():
            return [_plain(key, item) for item in cast("tuple[object, ...]", value)]
        case str():
            return without_password(value)
        case _:
            return value


def _text(plain: object) -> str:
    if plain is None:
        return "null"
    return str(plain).lower() if isinstance(plain, bool) else str(plain)
