"""The fake endpoint's embeddings, with what embedding servers get wrong."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from typing import Any

from graphrag_cli.llm.reading.values import is_array
from tests.kit.refusals import Sent, error
from tests.kit.replies import Body, count_tokens, vector

UNPACKED = {
    "embed_no_base64": "Invalid value for 'encoding_format': expected 'float'",
    "embed_vague": "Bad request",
}
"""Modes that refuse base64, and what they say."""
PACKINGS = {"embed_doubles": "<{}d", "embed_big_endian": ">{}f", "embed_odd": "<{}fx"}
"""Modes that pack numbers as nobody expects them: twice as long, the other way round, with a byte more."""


def embeddings(body: Body, modes: list[str], width: int) -> Sent:
    """The reply to an embeddings request."""
    given: object = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not is_array(texts) or not all(isinstance(text, str) for text in texts):
        return error(400, "'input' field must be a string or an array of strings")
    texts = [str(text) for text in texts]
    if not all(texts):
        return error(400, "'$.input' is invalid: empty string")
    settings = {
        name: int(value) for name, _, value in (mode.partition("=") for mode in modes) if value.isdigit()
    }
    longest = settings.get("embed_max")
    if longest is not None and max(map(count_tokens, texts)) > longest:
        return error(400, f"input must have less than {longest} tokens")
    packed = body.get("encoding_format", "float") == "base64"
    for mode, message in UNPACKED.items():
        if packed and mode in modes:
            return error(400, message)
    width = settings.get("width", width)
    width = int(body.get("dimensions") or width)
    data: list[dict[str, Any]] = [
        {"object": "embedding", "index": place, "embedding": vector(text, width)}
        for place, text in enumerate(texts)
    ]
    value: dict[str, Any] = {"object": "list", "data": data, "model": "fake", "usage": {"prompt_tokens": 1}}
    for mode in modes:
        if mode in SPOILS:
            SPOILS[mode](value)
    if packed and "embed_floats" not in modes:
        _base64(value, next((PACKINGS[mode] for mode in modes if mode in PACKINGS), "<{}f"))
    return Sent(200, json.dumps(value))


def _entries(value: Body) -> list[dict[str, Any]]:
    return value["data"]


def _last(change: Callable[[list[float]], object]) -> Callable[[Body], object]:
    """Replaces the last vector by what ``change`` makes of it."""

    def mode(value: Body) -> None:
        entry = _entries(value)[-1]
        entry["embedding"] = change(entry["embedding"])

    return mode


def _base64(value: Body, form: str = "<{}f") -> None:
    """As numbers that can be packed; what is spoilt beyond that stays as it is."""
    entries: list[dict[str, Any]] = value.get("data") or []
    for entry in entries:
        numbers: object = entry["embedding"]
        if is_array(numbers) and all(isinstance(number, float) for number in numbers):
            packed = struct.pack(form.format(len(numbers)), *numbers)
            entry["embedding"] = base64.b64encode(packed).decode()


def _no_index(value: Body) -> None:
    for entry in _entries(value):
        del entry["index"]


def _number_anew(value: Body, number: Callable[[int], object]) -> None:
    """The last vector first, each with its place in another spelling."""
    for place, entry in enumerate(_entries(value)):
        entry["index"] = number(place)
    _entries(value).reverse()


SPOILS: dict[str, Callable[[Body], object]] = {
    "embed_null": lambda value: value.update(data=None),
    "embed_none": lambda value: value.update(data=[]),
    "embed_few": lambda value: _entries(value).pop(),
    "embed_no_data": lambda value: value.pop("data"),
    "embed_ragged": _last(lambda vector: [*vector, 1.0]),
    "embed_nan": _last(lambda vector: [float("nan"), *vector[1:]]),
    "embed_null_number": _last(lambda vector: [None, *vector[1:]]),
    "embed_zero": _last(lambda vector: [0.0 for _ in vector]),
    "embed_base64": _base64,
    "embed_reversed": lambda value: _entries(value).reverse(),
    "embed_no_index": _no_index,
    "embed_from_one": lambda value: _number_anew(value, lambda place: place + 1),
    "embed_index_text": lambda value: _number_anew(value, str),
    "embed_huge": _last(lambda numbers: [10**400, *numbers[1:]]),
    "embed_object_error": lambda value: value.update(object="error", message="no such model", code=404),
}
