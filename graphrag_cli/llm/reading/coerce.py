"""Decoded JSON to the fields of a reply model, by shape; what had to be mended is said in words.

Nothing is invented: a score that names no number is missing, and an item without a required field is left out,
unless the caller says what a text without a score counts as.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeGuard

from pydantic import BaseModel

from graphrag_cli.llm.reading.lists import embedded_json, read_texts
from graphrag_cli.llm.reading.scalars import read_number, read_text
from graphrag_cli.llm.reading.shape import FieldShape, plain_key, shape_of
from graphrag_cli.llm.reading.values import is_array, is_number, is_object, shorten

_SCORE_AT_END = re.compile(
    r"[\s,;(\[*|–-]*(?:importance\s+)?(?:score|rating|importance)\W{0,5}(\d+(?:\.\d+)?(?:\s*/\s*\d+|\s*%)?)\W*$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Defects:
    """Collects defects under the path of the value at hand, e.g. ``points[2].score``."""

    found: list[str] = field(default_factory=list[str])
    path: str = ""
    unrated: float | None = None
    """What a score counts as that cannot be read although its text can; None leaves the text out."""

    def add(self, text: str, name: str = "") -> None:
        """Notes ``text`` about the field ``name`` at this path."""
        where = ".".join(part for part in (self.path, name) if part)
        self.found.append(f"`{where}` {text}" if where else text)

    def at(self, name: str) -> Defects:
        """The same list, one level deeper."""
        return Defects(self.found, f"{self.path}.{name}" if self.path else name, self.unrated)


def match_score(value: object, model: type[BaseModel]) -> int:
    """How well ``value`` fits: required fields count double, optional ones once; 0 is no fit at all."""
    if not is_object(value):
        return 0
    keys = {plain_key(key) for key in value}
    return sum(1 + shape.required for shape in shape_of(model) if keys.intersection(shape.keys))


def coerce_object(
    value: dict[str, object], model: type[BaseModel], defects: Defects
) -> dict[str, object] | None:
    """The fields of ``model`` out of ``value``; None when a required one is missing."""
    given = _by_field(value, model)
    fields: dict[str, object] = {}
    missing: list[FieldShape] = []
    for shape in shape_of(model):
        if shape.name not in given:
            if shape.required:
                defects.add("is missing", shape.name)
                missing.append(shape)
            continue
        read = _read(given[shape.name], shape, defects)
        if read is not None:
            fields[shape.name] = read
        elif shape.required:
            missing.append(shape)
    return fields if _fill_missing(missing, fields, model, defects.unrated) else None


def _fill_missing(
    missing: list[FieldShape], fields: dict[str, object], model: type[BaseModel], unrated: float | None
) -> bool:
    """A missing list is empty when the rest of the reply is there, and a score beside a text is ``unrated``.

    Anything else that is missing stays so.
    """
    given = {shape.kind for shape in shape_of(model) if shape.required and shape.name in fields}
    for shape in missing:
        if shape.kind == "texts" and given:
            fields[shape.name] = []
        elif shape.kind == "number" and unrated is not None and "text" in given:
            fields[shape.name] = unrated
        else:
            return False
    return True


def _by_field(value: dict[str, object], model: type[BaseModel]) -> dict[str, object]:
    """Values by field name: own names first, then synonyms, so that one key never serves two fields."""
    plain: dict[str, object] = {}
    for key, item in value.items():
        plain.setdefault(plain_key(key), item)
    shapes = shape_of(model)
    given: dict[str, object] = {}
    for shape in shapes:
        if shape.keys[0] in plain:
            given[shape.name] = plain.pop(shape.keys[0])
    for shape in shapes:
        synonym = next((key for key in shape.keys[1:] if key in plain), None)
        if shape.name not in given and synonym is not None:
            given[shape.name] = plain.pop(synonym)
    return given


def _read(value: object, shape: FieldShape, defects: Defects) -> object:
    match shape.kind:
        case "number":
            return _number(value, shape, defects)
        case "text":
            return _text(value, shape, defects)
        case "texts":
            return _texts(value, shape, defects)
        case "items":
            return coerce_items(value, shape, defects)
        case "other":
            return value


def _number(value: object, shape: FieldShape, defects: Defects) -> float | int | None:
    number = read_number(value, high=shape.high)
    if number is None:
        defects.add(f"is {shorten(value)}, not a number", shape.name)
        return None
    if not is_number(value):
        defects.add(f"is {shorten(value)}, read as {number:g}", shape.name)
    low = shape.low if shape.low is not None else number
    high = shape.high if shape.high is not None else number
    kept = min(max(number, low), high)
    if kept != number:
        defects.add(f"is {number:g}, outside {low:g} to {high:g}", shape.name)
    return round(kept) if shape.whole else kept


def _text(value: object, shape: FieldShape, defects: Defects) -> str:
    if not isinstance(value, str):
        defects.add(f"is {_kind_name(value)}, not a text", shape.name)
    return read_text(value) or ""


def _texts(value: object, shape: FieldShape, defects: Defects) -> list[str]:
    texts = read_texts(value)
    if not is_array(value):
        defects.add(f"is {_kind_name(value)}, not a list", shape.name)
    elif any(not isinstance(item, str) for item in value):
        defects.add("holds other things than texts", shape.name)
    elif len(texts) < len(value):
        defects.add("repeats itself or holds empty texts", shape.name)
    return texts


def coerce_items(value: object, shape: FieldShape, defects: Defects) -> list[dict[str, object]] | None:
    """A list of items out of a list, one item, a mapping or JSON in a string; None when not one can be read."""
    if isinstance(value, str):
        defects.add("is a string, not a list", shape.name)
        value = embedded_json(value) or [value]
    elif not is_array(value):
        defects.add(f"is {_kind_name(value)}, not a list", shape.name)
    model = shape.item
    if value is None or model is None:
        return []
    raw = _item_values(value, model)
    items: list[dict[str, object]] = []
    for place, item in enumerate(raw):
        read = _item(item, model, defects.at(f"{shape.name}[{place}]"))
        if read is not None:
            items.append(read)
    return None if raw and not items else items


def _item_values(value: object, model: type[BaseModel]) -> list[object]:
    if is_array(value):
        flat: list[object] = []
        for item in value:
            flat.extend(item if _is_nested(item) else [item])
        return [item for item in flat if item not in (None, "", {}, [])]
    if not is_object(value):
        return [value]
    if match_score(value, model) > 1:
        return [value]
    if value and all(is_number(item) for item in value.values()):
        return [[key, item] for key, item in value.items()]
    lists = [item for item in value.values() if is_array(item)]
    return _item_values(lists[0] if lists else list(value.values()), model)


def _is_nested(item: object) -> TypeGuard[list[object]]:
    return is_array(item) and any(is_object(inner) or is_array(inner) for inner in item)


def _item(value: object, model: type[BaseModel], defects: Defects) -> dict[str, object] | None:
    """One item; left out, with the defect noted, when a required field or its text is missing."""
    known = _as_object(value, model)
    if known is None:
        defects.add(f"is {shorten(value)}, not an object; left out")
        return None
    fields = coerce_object(known, model, defects)
    if fields is None:
        return None
    texts = [fields[shape.name] for shape in shape_of(model) if shape.kind == "text" and shape.required]
    if any(isinstance(text, str) and not text.strip() for text in texts):
        defects.add("has no text; left out")
        return None
    return fields


def _as_object(value: object, model: type[BaseModel]) -> dict[str, object] | None:
    """An item that came as an object, as JSON in a string, as a pair, or as text with its score at the end."""
    if is_object(value):
        if match_score(value, model) == 0 and len(value) == 1:
            only = next(iter(value.values()))
            if is_object(only):
                return only
        return value
    text_field, number_field = _pair_fields(model)
    if isinstance(value, str):
        inner = embedded_json(value)
        if is_object(inner):
            return inner
        if text_field is None:
            return None
        score = _SCORE_AT_END.search(value)
        if score is None or number_field is None:
            return {text_field: value}
        return {text_field: value[: score.start()].strip(), number_field: score.group(1)}
    if is_array(value) and len(value) == 2 and text_field is not None and number_field is not None:
        first, second = value
        pair = (
            (first, second)
            if isinstance(first, str) and read_number(first, high=None) is None
            else (second, first)
        )
        return {text_field: pair[0], number_field: pair[1]}
    return None


def _pair_fields(model: type[BaseModel]) -> tuple[str | None, str | None]:
    """Names of the text and the number of a model that has exactly one of each."""
    required = [shape for shape in shape_of(model) if shape.required]
    return _only(required, "text"), _only(required, "number")


def _only(shapes: Iterable[FieldShape], kind: str) -> str | None:
    names = [shape.name for shape in shapes if shape.kind == kind]
    return names[0] if len(names) == 1 else None


def _kind_name(value: object) -> str:
    if value is None:
        return "null"
    if is_array(value):
        return "a list"
    if is_object(value):
        return "an object"
    return "a string" if isinstance(value, str) else "a number"
