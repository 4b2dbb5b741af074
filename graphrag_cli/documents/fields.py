"""``--fields a,b.c``: parts of a document, in the order asked."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import cast

from graphrag_cli.documents.shapes import AnswerShape
from graphrag_cli.errors import UsageError


def parse_fields(text: str) -> tuple[str, ...]:
    """``"status, usage.llm_calls"`` as paths. Raises ``UsageError`` when one is empty."""
    fields = tuple(field.strip() for field in text.split(","))
    if not all(part for field in fields for part in field.split(".")):
        raise UsageError(
            f"--fields {text!r} has an empty name", hint="for example --fields status,usage.llm_calls"
        )
    return fields


def pick(document: Mapping[str, object], fields: Sequence[str]) -> dict[str, object]:
    """The parts of ``document`` that ``fields`` name; a name that leads into a list is taken of each item.

    ``citations.id`` gives the list of ids. Raises ``UsageError`` naming the nearest key.
    """
    return {field: _at(document, field.split("."), field) for field in fields}


def _at(value: object, path: Sequence[str], field: str) -> object:
    if not path:
        return value
    if isinstance(value, list):
        return [_at(item, path, field) for item in cast("list[object]", value)]
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, object]", value)
        if path[0] in mapping:
            return _at(mapping[path[0]], path[1:], field)
        raise UsageError(f"--fields: no key {path[0]!r} in {field!r}", hint=_nearest(path[0], list(mapping)))
    raise UsageError(f"--fields: {field!r} leads below a plain value", hint=f"stop before .{path[0]}")


def _nearest(name: str, keys: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, keys, n=1)
    return f"did you mean {close[0]!r}?" if close else "keys here: " + ", ".join(keys)


def check_fields(text: str, wanted: str) -> None:
    """Refuses before any model is called what can be told to be wrong by then. Raises ``UsageError``."""
    if wanted not in {"json", "jsonl"}:
        raise UsageError("--fields picks from JSON", hint="add --format json")
    known = list(AnswerShape.__annotations__)
    for field in parse_fields(text):
        name = field.partition(".")[0]
        if name not in known:
            raise UsageError(f"--fields: an answer has no {name!r}", hint=_nearest(name, known))
