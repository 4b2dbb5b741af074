"""What keys there are: the settings tree as data, by introspection of its classes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from graphrag_cli.config.base import Section
from graphrag_cli.config.leaves import Key
from graphrag_cli.config.settings import Settings

_BEGINNING = 3
"""Letters from which on a beginning says which name is meant."""


def members(annotation: object) -> tuple[object, ...]:
    """The types that ``annotation`` is a union of; itself, where it is none. ``Annotated`` is kept."""
    if get_origin(annotation) in (Union, UnionType):
        return tuple(inner for arg in get_args(annotation) for inner in members(arg))
    return (annotation,)


def bare(annotation: object) -> object:
    """``annotation`` without ``Annotated``."""
    return cast("object", get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation


def section_of(annotation: object) -> type[Section] | None:
    """The section class that ``annotation`` admits."""
    for member in members(annotation):
        if isinstance(member, type) and issubclass(member, Section):
            return member
    return None


def entry_type(annotation: object) -> object | None:
    """The type of the entries, where ``annotation`` is a mapping by free names (model ids, headers)."""
    for member in members(annotation):
        if get_origin(member) is dict:
            return cast("object", get_args(member)[1])
    return None


def entry_names(annotation: object) -> tuple[str, ...] | None:
    """The only names that entries may have; None where any will do."""
    for member in members(annotation):
        if get_origin(member) is dict:
            key_type = cast("object", get_args(member)[0])
            return tuple(get_args(key_type)) if get_origin(key_type) is Literal else None
    return None


def field_at(key: Key) -> FieldInfo | None:
    """The field that ``key`` names; None when it names none, or an entry of a mapping as such."""
    section: type[Section] | None = Settings
    if key[:1] == ("root",):
        return None
    field: FieldInfo | None = None
    names = iter(key)
    for name in names:
        if section is None:
            return None
        field = section.model_fields.get(name)
        if field is None:
            return None
        if entry_type(field.annotation) is not None:
            if next(names, None) is None:
                return field
            inner = entry_type(field.annotation)
            section, field = section_of(inner), FieldInfo.from_annotation(cast("type[object]", inner))
        else:
            section = section_of(field.annotation)
    return field


def is_section(key: Key) -> bool:
    """True when ``key`` names a section or a mapping, not a single value."""
    field = field_at(key)
    return field is not None and (
        section_of(field.annotation) is not None or entry_type(field.annotation) is not None
    )


def is_entry(key: Key) -> bool:
    """True when ``key`` is an entry, itself a section, of a mapping by free names, such as one model."""
    above = field_at(key[:-1])
    return above is not None and section_of(entry_type(above.annotation)) is not None


def first_unknown(key: Key) -> int | None:
    """Position in ``key`` of the first name that there is no setting for; None when all are known."""
    for size in range(1, len(key) + 1):
        if field_at(key[:size]) is None:
            return size - 1
    return None


def names_at(prefix: Key) -> tuple[str, ...]:
    """Names that may stand under ``prefix``; empty where any may."""
    if not prefix:
        return tuple(name for name in Settings.model_fields if name != "root")
    field = field_at(prefix)
    if field is None:
        return ()
    if section := section_of(field.annotation):
        return tuple(section.model_fields)
    return entry_names(field.annotation) or ()


def nearest(name: str, known: Iterable[str]) -> str:
    """`` (did you mean …?)`` when one of ``known`` is like ``name``, else nothing."""
    near = alike(name, known)
    return f" (did you mean {near[0]}?)" if near else ""


def alike(name: str, known: Iterable[str]) -> list[str]:
    """Those of ``known`` that ``name`` may have meant: those that it begins, else those that are like it."""
    import difflib  # only where something is wrong

    names = list(dict.fromkeys(known))
    begun = [one for one in names if len(name) >= _BEGINNING and one.startswith(name)]
    return begun or difflib.get_close_matches(name, names, n=3, cutoff=0.6)


def keys_like(prefix: str, known: Iterable[str]) -> list[str]:
    """Up to three of the dotted keys ``known``: those whose last name or section is like that of ``prefix``."""
    keys = list(known)
    last = prefix.rstrip(".").rpartition(".")[2]
    names = alike(last, (part for key in keys for part in key.split(".")))
    return [key for name in names for key in keys if name in key.split(".")][:3]


def is_secret(key: Key) -> bool:
    """True when the value under ``key`` must never be shown: keys, connection strings, and headers, which may hold keys."""
    field = field_at(key)
    return "headers" in key[:-1] or (field is not None and SecretStr in members(field.annotation))


def is_path(key: Key) -> bool:
    """True when the value under ``key`` is a path."""
    field = field_at(key)
    return field is not None and Path in members(field.annotation)


def admits_none(key: Key) -> bool:
    """True when null is a value of its own under ``key``."""
    field = field_at(key)
    return field is not None and NoneType in members(field.annotation)


_NAMES: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
    Path: "a path",
    SecretStr: "text",
    NoneType: "null",
}


def allowed(field: FieldInfo) -> str:
    """What may stand under a key, in words: ``a whole number, at least 1``."""
    parts = [_allowed_one(member, field.metadata) for member in members(field.annotation)]
    return " or ".join(parts)


def _allowed_one(member: object, metadata: list[object]) -> str:
    if get_origin(member) is Annotated:
        inner, *own = get_args(member)
        constraints = [
            item for extra in own for item in (extra.metadata if isinstance(extra, FieldInfo) else [extra])
        ]
        return _allowed_one(inner, cast("list[object]", constraints))
    if get_origin(member) is Literal:
        choices = [str(choice) for choice in get_args(member)]
        return choices[0] if len(choices) == 1 else "one of " + ", ".join(choices)
    if get_origin(member) is tuple:
        return "a list of text"
    if get_origin(member) is dict or (isinstance(member, type) and issubclass(member, Section)):
        return "a section"
    return _NAMES.get(cast("object", member), "a value") + (
        _range(metadata) if member in (int, float) else ""
    )


def _range(metadata: list[object]) -> str:
    low = next((item.ge for item in metadata if isinstance(item, Ge)), None)
    above = next((item.gt for item in metadata if isinstance(item, Gt)), None)
    high = next((item.le for item in metadata if isinstance(item, Le)), None)
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if above is not None:
        return f" above {above}"
    return f", at least {low}" if low is not None else ""
