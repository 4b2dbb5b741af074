"""From leaves to the frozen tree: unknown keys, relative paths, and errors that name the place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import SecretStr, ValidationError

from graphrag_cli.config.discovery import expanded
from graphrag_cli.config.leaves import Key, Leaf, Leaves, below, dotted, nest, put, undotted
from graphrag_cli.config.loaded import Finding, Origin
from graphrag_cli.config.schema import (
    admits_none,
    allowed,
    field_at,
    first_unknown,
    is_entry,
    is_path,
    is_secret,
    is_section,
    names_at,
    nearest,
)
from graphrag_cli.config.settings import Settings
from graphrag_cli.config.spelling import INDEXING, RENAMES
from graphrag_cli.config.stores import StorageSettings
from graphrag_cli.errors import SettingsError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

SHARES = (
    ("local_search", "text_unit_prop", "community_prop"),
    ("drift_search", "local_search_text_unit_prop", "local_search_community_prop"),
)
"""Shares of one context: section and keys."""
TABLES: Key = ("output_storage", "base_dir")
MOST_SHOWN = 60
"""Characters of a wrong value that an error repeats."""


def drop_unknown(leaves: Leaves) -> list[Finding]:
    """Removes keys that there is no setting for, and says so.

    Raises ``SettingsError`` for one that was given with ``--set``.
    """
    findings: dict[Key, Finding] = {}
    for key in list(leaves):
        at = first_unknown(key)
        if at is None:
            continue
        leaf = leaves.pop(key)
        unknown = key[: at + 1]
        text = f"{leaf.origin}: there is no setting {dotted(unknown)}{_guess(unknown)}"
        if leaf.origin.kind == "set":
            raise SettingsError(text, hint="`graphrag-cli config keys` lists every key")
        findings.setdefault(unknown, Finding("warning", "settings.unknown", dotted(unknown), text))
    return list(findings.values())


def _guess(key: Key) -> str:
    here = key[:-1]
    old = [undotted(name)[-1] for name, _ in RENAMES if undotted(name)[:-1] == here]
    known = [*names_at(here), *old, *(INDEXING if not here else ())]
    return nearest(key[-1], known)


def normalise(leaves: Leaves, root: Path) -> None:
    """Removes nulls that mean "not given", and makes paths absolute, that of the tables always."""
    for key, leaf in list(leaves.items()):
        if leaf.value in (None, {}) and is_entry(key):
            leaves[key] = Leaf({}, leaf.origin)
        elif _is_nothing(key, leaf.value):
            del leaves[key]
        elif isinstance(leaf.value, str) and _is_place(key, leaves):
            place = leaf.value or ("." if key[-1] == "base_dir" else "")
            leaves[key] = Leaf(absolute(place, root), leaf.origin)
    if TABLES not in leaves and _is_place(TABLES, leaves):
        usual = str(StorageSettings.model_fields["base_dir"].default)
        put(leaves, TABLES, Leaf(absolute(usual, root), Origin("default")))


def fit_shares(leaves: Leaves) -> None:
    """Where only one of two shares is given and the other's default no longer fits beside it, gives it what is left.

    The defaults of GraphRAG's releases differ, and a file may count on those of its own.
    """
    for section, *names in SHARES:
        for given, other in (names, names[::-1]):
            leaf, key = leaves.get((section, given)), (section, other)
            share = _share(leaf.value) if leaf and key not in leaves else None
            usual = cast("FieldInfo", field_at(key)).default
            if share is not None and share + usual > 1:
                put(leaves, key, Leaf(round(1 - share, 6), Origin("default")))


def _share(value: object) -> float | None:
    try:
        share = float(value) if isinstance(value, int | float | str) else -1.0
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None


def _is_nothing(key: Key, value: object) -> bool:
    """True for a section with nothing in it, and for null under a key that has no such value."""
    return (value is None and not admits_none(key)) or (value in (None, {}) and is_section(key))


def _is_place(key: Key, leaves: Leaves) -> bool:
    """True when the text under ``key`` names a file or a folder: in a blob store, ``base_dir`` does not."""
    if key[-1] == "base_dir":
        kind = leaves.get((*key[:-1], "type"))
        return kind is None or kind.value == "file"
    return key == ("vector_store", "db_uri") or is_path(key)


def absolute(place: str, root: Path) -> str | None:
    """``place`` made absolute from ``root``; a URL stays, and nothing stays nothing."""
    if not place:
        return None
    if "://" in place:
        return place
    return os.path.normpath(root / expanded(Path(place)))


def validate(leaves: Leaves, root: Path) -> Settings:
    """The settings that ``leaves`` make. Raises ``SettingsError`` naming place, key, value and what is allowed."""
    try:
        return Settings.model_validate({**nest(leaves), "root": root})
    except ValidationError as error:
        problems = dict.fromkeys(_problem(detail, leaves) for detail in error.errors(include_url=False))
        raise SettingsError(
            "\n".join(problems), hint="`graphrag-cli config keys` lists every key and what it may be"
        ) from None


def _problem(detail: ErrorDetails, leaves: Leaves) -> str:
    key = _key_of(detail)
    concerned = [found for found in below(leaves, key) if _is_culprit(found, detail)] or below(leaves, key)
    origin = leaves[concerned[0]].origin if concerned else None
    place = f"{origin}: " if origin else ""
    if detail["type"] == "value_error":
        return f"{place}{dotted(key)}: {detail['msg'].removeprefix('Value error, ')}"
    field = field_at(key)
    should = allowed(field) if field else detail["msg"]
    return f"{place}{dotted(key)} is {_shown(key, leaves, detail['input'])}; it must be {should}"


def _is_culprit(key: Key, detail: ErrorDetails) -> bool:
    """For an error about a whole section: true for the keys that its text names."""
    return key[-1] in detail["msg"]


def _key_of(detail: ErrorDetails) -> Key:
    """The longest part of the error's location that is a key: what follows are branches of unions."""
    parts = [str(part) for part in detail["loc"]]
    sizes = (size for size in range(len(parts), 0, -1) if field_at(tuple(parts[:size])))
    return tuple(parts[: next(sizes, len(parts))])


def _shown(key: Key, leaves: Leaves, value: object) -> str:
    if is_secret(key) or isinstance(value, SecretStr):
        return "something that cannot be used"
    leaf = leaves.get(key)
    if leaf is None and isinstance(value, dict):
        return "a section"
    text = repr(leaf.value if leaf else value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
