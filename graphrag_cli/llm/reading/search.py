"""Candidates for the object that a step asked for, best first, out of one reply's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from graphrag_cli.llm.reading.coerce import match_score
from graphrag_cli.llm.reading.decode import decode, repair
from graphrag_cli.llm.reading.lists import embedded_json
from graphrag_cli.llm.reading.scalars import read_number
from graphrag_cli.llm.reading.scan import Span, complete_prefixes, span_at
from graphrag_cli.llm.reading.shape import FieldShape, plain_key, shape_of
from graphrag_cli.llm.reading.values import is_array, is_object

if TYPE_CHECKING:
    from pydantic import BaseModel

_OPENS = re.compile(r"[{\[]")
_KEY_LINE = re.compile(r"^[\s>#*_\"'`-]*([A-Za-z][\w -]{1,40}?)[\s*_\"'`]*[:=][*_\s]*(.*)$")
_YAML_LIST = re.compile(r"^[\w ]+:[ \t]*\n[ \t]*- ", re.MULTILINE)
_YAML_ANCHOR = re.compile(r"(?:^|\s)[&*]\w")
"""A few of them in each other are a value without end."""
_FENCED = re.compile(r"(?:```|~~~)[\w-]*[ \t]*\n(.*?)(?:```|~~~|$)", re.DOTALL)
_LONGEST_YAML = 20_000
"""Characters; a longer text would be read for seconds."""
_MOST_CUT = 60
"""Brackets that nothing closes; a text with more of them is no reply, and each is a search to its end."""
_MOST_UNREAD = 1000
"""Brackets that close and are no JSON, such as citations in prose."""
_DEEPEST_WRAPPER = 3
_LONGEST_BARE = 500
"""Characters; a longer text without any object is prose, not a value."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that may be the reply, and what had to be done to have it."""

    value: dict[str, object]
    defects: tuple[str, ...] = ()
    alone: bool = False
    """Made of objects that stand by themselves: only what is in them says that they are items."""


@dataclass(slots=True)
class _Found:
    """What one pass over the text came upon."""

    values: list[tuple[object, bool]] = field(default_factory=list[tuple[object, bool]])
    """Decoded objects and lists in order; True where they had to be repaired."""
    cut: list[Span] = field(default_factory=list[Span])
    """Objects and lists whose end is missing."""


def candidates(text: str, model: type[BaseModel], *, cut: bool, last: bool) -> Iterator[Candidate]:
    """Complete objects with the model's keys first, then cut ones, loose items, wrapped ones, bare values.

    ``last`` prefers the last of several equal ones: after reasoning that never ends, the reply comes last.
    """
    found = _search(text, model)
    around = _around(text)
    yield from _complete(found, model, around, last=last)
    yield from _unfinished(text, found.cut, model, cut=cut)
    yield from _loose_items(found, model)
    for value, _ in found.values:
        yield from _wrapped(value, model, _DEEPEST_WRAPPER)
    if not cut:
        yield from _headless(text, model)
        yield from _yaml(text, model)
        yield from _key_lines(text, model)
        yield from _bare(text, model)


def _search(text: str, model: type[BaseModel]) -> _Found:
    found = _Found()
    names = {key for shape in shape_of(model) for key in shape.keys}
    place = 0
    unread = 0
    while (opening := _OPENS.search(text, place)) and len(found.cut) < _MOST_CUT and unread < _MOST_UNREAD:
        place = opening.start() + 1
        span = span_at(text, opening.start())
        if span.end is None:
            found.cut.append(span)
            continue
        value, repaired = _decode_span(text[span.start : span.end], names)
        if value is None:
            unread += 1
            continue
        found.values.append((value, repaired))
        place = span.end
    return found


def _decode_span(text: str, names: set[str]) -> tuple[object, bool]:
    try:
        return decode(text), False
    except ValueError:
        plain = plain_key(text)
        if not any(name in plain for name in names):
            return None, False
    value = repair(text)
    return (value, True) if is_object(value) or is_array(value) else (None, False)


def _around(text: str) -> tuple[str, ...]:
    stripped = text.strip()
    if stripped.startswith(("{", "[")) and stripped.endswith(("}", "]")):
        return ()
    if "```" in text or "~~~" in text:
        return ("the object stood in a Markdown fence",)
    return ("there was text around the object",)


def _complete(
    found: _Found, model: type[BaseModel], around: tuple[str, ...], *, last: bool
) -> Iterator[Candidate]:
    scored = [
        (match_score(value, model), value, repaired)
        for value, repaired in (reversed(found.values) if last else found.values)
    ]
    fitting = sorted((entry for entry in scored if entry[0]), key=lambda entry: -entry[0])
    for _, value, repaired in fitting:
        if is_object(value):
            defects = list(around)
            if repaired:
                defects.append("its quotes, commas or brackets had to be mended")
            if len(fitting) > 1:
                defects.append("there were several objects; the one that fits best was used")
            yield Candidate(value, tuple(defects))


def _unfinished(text: str, spans: list[Span], model: type[BaseModel], *, cut: bool) -> Iterator[Candidate]:
    """What is complete in an object that has no end; repaired whole only when no length limit cut it."""
    note = ("the object has no end; what was complete in it was kept",)
    for span in spans[:3]:
        for prefix in complete_prefixes(text, span.start):
            try:
                value = decode(prefix)
            except ValueError:
                continue
            yield from _as_candidate(value, model, note)
            break
        if not cut:
            yield from _as_candidate(repair(text[span.start :]), model, note)


def _as_candidate(value: object, model: type[BaseModel], defects: tuple[str, ...]) -> Iterator[Candidate]:
    if is_object(value) and match_score(value, model):
        yield Candidate(value, defects)
    elif is_array(value):
        yield from _items_candidate([value], model, defects)


def _loose_items(found: _Found, model: type[BaseModel]) -> Iterator[Candidate]:
    """Items without the object around them: a list at top level, or one object after another."""
    note = ("its items stood outside an object",)
    lists = [value for value, _ in found.values if is_array(value)]
    yield from _items_candidate(lists, model, note)
    objects: list[object] = [value for value, _ in found.values if is_object(value)]
    for candidate in _items_candidate([objects], model, note):
        yield replace(candidate, alone=True)


def _items_candidate(
    lists: list[list[object]], model: type[BaseModel], defects: tuple[str, ...]
) -> Iterator[Candidate]:
    shape = _items_field(model)
    if shape is None or shape.item is None:
        return
    for items in lists:
        if items and any(match_score(item, shape.item) or is_array(item) for item in items):
            yield Candidate({shape.name: items}, defects)
    strings = [items for items in lists if items and all(isinstance(item, str) for item in items)]
    yield from (Candidate({shape.name: items}, defects) for items in strings)


def _items_field(model: type[BaseModel]) -> FieldShape | None:
    fields = [shape for shape in shape_of(model) if shape.kind == "items"]
    return fields[0] if len(fields) == 1 else None


def _wrapped(value: object, model: type[BaseModel], depth: int) -> Iterator[Candidate]:
    """The object inside another one: ``{"result": {…}}``, a tool call's arguments, JSON in a string."""
    if depth == 0:
        return
    if isinstance(value, str):
        value = embedded_json(value)
    inner: list[object] = []
    if is_object(value):
        inner = list(value.values())
    elif is_array(value):
        inner = value
    note = ("the object stood inside another one",)
    for item in inner:
        decoded = embedded_json(item) if isinstance(item, str) else item
        if is_object(decoded) and match_score(decoded, model):
            yield Candidate(decoded, note)
        elif is_array(decoded):
            yield from _items_candidate([decoded], model, note)
    for item in inner:
        yield from _wrapped(item, model, depth - 1)


def _headless(text: str, model: type[BaseModel]) -> Iterator[Candidate]:
    """An object whose opening bracket is missing: ``"points": […]}``."""
    names = "|".join(re.escape(shape.name) for shape in shape_of(model))
    if start := re.search(rf'["\'](?:{names})["\']\s*:', text):
        value = repair("{" + text[start.start() :])
        if is_object(value) and match_score(value, model):
            yield Candidate(value, ("the object has no beginning",))


def _yaml(text: str, model: type[BaseModel]) -> Iterator[Candidate]:
    """A list written as YAML. Every scalar is read as text, so that a date or a "no" stays what was written."""
    if not _YAML_LIST.search(text) or _YAML_ANCHOR.search(text) or len(text) > _LONGEST_YAML:
        return
    import yaml

    fenced = _FENCED.search(text)
    try:
        value: object = yaml.load(fenced.group(1) if fenced else text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return
    if is_object(value) and match_score(value, model):
        yield Candidate(value, ("it was written as YAML, not as JSON",))


def _key_lines(text: str, model: type[BaseModel]) -> Iterator[Candidate]:
    """Lines of ``Key: value``, each value reaching to the next known key."""
    names = {key for shape in shape_of(model) for key in shape.keys}
    values: dict[str, object] = {}
    lines: list[str] = []
    for line in text.splitlines():
        match = _KEY_LINE.match(line)
        if match and plain_key(match.group(1)) in names:
            lines = [match.group(2)]
            values[match.group(1)] = lines
        else:
            lines.append(line)
    if values:
        joined: dict[str, object] = {
            key: "\n".join(map(str, part)).strip() for key, part in values.items() if is_array(part)
        }
        yield Candidate(joined, ("it was written as lines, not as JSON",))


def _bare(text: str, model: type[BaseModel]) -> Iterator[Candidate]:
    """The value alone, for a model that requires only one: a number, or one question."""
    required = [shape for shape in shape_of(model) if shape.required]
    text = text.strip().strip("\"'`* \n")
    if len(required) != 1 or len(text) > _LONGEST_BARE:
        return
    shape = required[0]
    number = shape.kind == "number" and read_number(text, high=shape.high) is not None
    question = shape.kind == "text" and "\n" not in text and text.endswith(("?", "？"))
    if number or question:
        yield Candidate({shape.name: text}, ("it was the bare value, not JSON",))
