"""``--fields a,b.c``: parts of a document, in the order asked."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NotRequired, cast, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict  # the one that knows the shapes

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


def check_fields(text: str, form: str) -> None:
    """Refuses what no answer in ``form`` can have, before any model is called and paid for. Raises ``UsageError``.

    Not refused is what only some answers have: stages of ``timing``, columns of records, ``drift``.
    """
    if form not in {"json", "jsonl"}:
        raise UsageError("--fields picks from JSON", hint="add --format json")
    for field in parse_fields(text):
        _check(field)


def pick(document: Mapping[str, object], fields: Sequence[str]) -> dict[str, object]:
    """The parts of ``document`` that ``fields`` name; a name that leads into a list is taken of each item.

    ``citations.id`` gives the list of ids. What this answer does not have is null.
    """
    return {field: _at(document, field.split(".")) for field in fields}


def _at(value: object, path: Sequence[str]) -> object:
    if not path:
        return value
    if isinstance(value, list):
        return [_at(item, path) for item in cast("list[object]", value)]
    if isinstance(value, Mapping):
        return _at(cast("Mapping[str, object]", value).get(path[0]), path[1:])
    return None


def _check(field: str) -> None:
    """Refuses ``field`` when none of the shapes that a value may have leads on by it."""
    shapes: list[Any] = [AnswerShape]
    for name in field.split("."):
        inner = [one for shape in shapes for one in _without_lists(shape)]
        if any(shape is Any or get_origin(shape) is dict for shape in inner):
            # Nobody knows the keys of a mapping beforehand, nor anything of what is below ``Any``.
            shapes = [get_args(shape)[1] for shape in inner if get_origin(shape) is dict]
            if not shapes:
                return
            continue
        keys = {
            key: hint for shape in inner if is_typeddict(shape) for key, hint in get_type_hints(shape).items()
        }
        if not keys:
            raise UsageError(f"--fields: {field!r} leads below a plain value", hint=f"stop before .{name}")
        if name not in keys:
            raise UsageError(f"--fields: an answer has no {field!r}", hint=_nearest(name, list(keys)))
        shapes = [keys[name]]


def _without_lists(shape: Any) -> Iterator[Any]:
    """What a shape is when it is one of several, and what is in it when it is a list."""
    origin = get_origin(shape)
    if origin is NotRequired or origin is list:
        yield from _without_lists(get_args(shape)[0])
    elif origin is not dict and get_args(shape) and not is_typeddict(shape):
        for one in get_args(shape):
            yield from _without_lists(one)
    else:
        yield shape


def _nearest(name: str, keys: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, keys, n=1)
    return f"did you mean {close[0]!r}?" if close else "keys here: " + ", ".join(keys)
