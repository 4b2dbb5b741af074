"""What a reply model asks for, in the few kinds that replies are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import UnionType
from typing import Annotated, Literal, TypeAlias, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

Kind: TypeAlias = Literal["text", "number", "texts", "items", "other"]


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One field: how it is called, what kind of value it takes, and within which bounds."""

    name: str
    keys: tuple[str, ...]
    """Every spelling it goes by, in the form of ``plain_key``; its own name first."""
    kind: Kind
    required: bool
    low: float | None = None
    high: float | None = None
    whole: bool = False
    item: type[BaseModel] | None = None
    """The model of one item, for kind ``items``."""


def plain_key(key: str) -> str:
    """``Follow-Up Queries`` and ``follow_up_queries`` are the same key."""
    return re.sub(r"[\W_]+", "", key).casefold()


@lru_cache(maxsize=64)
def shape_of(model: type[BaseModel]) -> tuple[FieldShape, ...]:
    """The fields of ``model``, in order."""
    return tuple(_field(name, info) for name, info in model.model_fields.items())


def _field(name: str, info: FieldInfo) -> FieldShape:
    annotation, metadata = _unwrap(info.annotation, tuple(info.metadata))
    low = next((float(bound.ge) for bound in metadata if isinstance(bound, Ge)), None)  # pyright: ignore[reportArgumentType]
    high = next((float(bound.le) for bound in metadata if isinstance(bound, Le)), None)  # pyright: ignore[reportArgumentType]
    kind, item = _kind(annotation)
    keys = tuple(dict.fromkeys(plain_key(key) for key in (name, *_aliases(info))))
    return FieldShape(name, keys, kind, info.is_required(), low, high, annotation is int, item)


def _unwrap(annotation: object, metadata: tuple[object, ...]) -> tuple[object, tuple[object, ...]]:
    """Takes ``Annotated`` and ``| None`` off."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        return _unwrap(inner, (*metadata, *more, *_field_metadata(more)))
    if origin in (Union, UnionType):
        kept = [part for part in get_args(annotation) if part is not type(None)]
        if len(kept) == 1:
            return _unwrap(kept[0], metadata)
    return annotation, metadata


def _field_metadata(parts: list[object]) -> Iterator[object]:
    for part in parts:
        if isinstance(part, FieldInfo):
            yield from part.metadata


def _kind(annotation: object) -> tuple[Kind, type[BaseModel] | None]:
    if annotation is str:
        return "text", None
    if annotation is int or annotation is float:
        return "number", None
    if get_origin(annotation) in (tuple, list):
        item, _ = _unwrap(get_args(annotation)[0], ())
        if item is str:
            return "texts", None
        if isinstance(item, type) and issubclass(item, BaseModel):
            return "items", item
    return "other", None


def _aliases(info: FieldInfo) -> list[str]:
    match info.validation_alias:
        case str(alias):
            return [alias]
        case AliasChoices(choices=choices):
            return [choice for choice in choices if isinstance(choice, str)]
        case _:
            return []
