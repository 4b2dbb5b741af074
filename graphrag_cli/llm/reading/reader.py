"""Text to a reply model: reasoning off, candidates in turn, the first one that has what is required."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from graphrag_cli.llm.reading.coerce import Defects, coerce_object
from graphrag_cli.llm.reading.decode import clean_text, decode
from graphrag_cli.llm.reading.reasoning import opens_with_reasoning, orphan_close, strip_reasoning
from graphrag_cli.llm.reading.scan import span_at
from graphrag_cli.llm.reading.search import candidates

if TYPE_CHECKING:
    from graphrag_cli.llm.reading.search import Candidate

ReplyT = TypeVar("ReplyT", bound=BaseModel)

_QUOTES = dict.fromkeys(map(ord, "“”„‟″＂"), '"')
_WIDE = dict(zip("：，｛｝［］", ":,{}[]", strict=True))
_STRING_OR_WIDE = re.compile(r'"(?:[^"\\]|\\.)*"|[：，｛｝［］]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Body:
    """The part of a reply that may hold the object."""

    text: str
    defects: tuple[str, ...] = ()
    last: bool = False


def read(
    text: str, model: type[ReplyT], *, cut: bool = False, unrated: float | None = None
) -> tuple[ReplyT | None, list[str]]:
    """``text`` as ``model`` with the defects mended on the way, or None with what is wrong.

    ``cut`` says that the reply was cut by a length limit: then its last, unfinished member is not trusted.
    ``unrated`` is what a text counts as whose score cannot be read; None leaves it out.
    """
    start = ["the reply was cut by the length limit"] if cut else []
    text = clean_text(text.replace("\ufeff", "")).strip()
    if not text:
        return None, [*start, "the reply is empty"]
    failure: list[str] | None = None
    for body in _bodies(text, cut=cut):
        for candidate in candidates(body.text, model, cut=cut, last=body.last):
            if unrated is not None and candidate.alone:
                continue  # any object with a text in it would do
            value, defects = _shape(candidate, model, unrated)
            defects = [*start, *body.defects, *defects]
            if value is not None:
                return value, defects
            failure = failure or defects
        failure = failure or [*start, *body.defects, "there is no JSON object with the asked keys in it"]
    return None, failure or [*start, "the reply holds nothing but reasoning"]


def _bodies(text: str, *, cut: bool) -> Iterator[_Body]:
    if text[0] == '"' and (inner := _json_string(text)):
        yield _Body(inner, ("the object stood in a string",))
    plain = text[0] in "{[" and not opens_with_reasoning(text) and not _reasoning_follows(text)
    if plain:
        yield _Body(text)
    stripped = strip_reasoning(text)
    if not stripped.reasoning:
        if not plain:
            yield _Body(stripped.text)
    elif stripped.text.strip():
        yield _Body(stripped.text.strip())
    elif stripped.unclosed and not cut:
        yield _Body(stripped.unclosed, ("the block of reasoning was not closed",), last=True)
    if (respelt := _respelt(text)) != text:
        yield _Body(respelt, ("its quotes, colons, commas or brackets were not those of JSON",))


def _reasoning_follows(text: str) -> bool:
    """Whether the object at the beginning is itself part of reasoning that a closing tag ends later."""
    closing = orphan_close(text)
    end = span_at(text, 0).end
    return closing is not None and end is not None and end <= closing.start()


def _json_string(text: str) -> str | None:
    try:
        value = decode(text)
    except ValueError:
        return None
    return value.strip() or None if isinstance(value, str) else None


def _respelt(text: str) -> str:
    """``text`` with JSON's own signs: plain quotes in place of all others, no wide colons or brackets around them."""
    if '\\"' in text and '"' not in text.replace('\\"', ""):
        text = _json_string(f'"{text}"') or text
    elif '"' not in text:
        text = unescape(text) if "&quot;" in text else text.translate(_QUOTES)
    return _STRING_OR_WIDE.sub(lambda found: _WIDE.get(found.group(), found.group()), text)


def _shape(
    candidate: Candidate, model: type[ReplyT], unrated: float | None
) -> tuple[ReplyT | None, list[str]]:
    defects = Defects(list(candidate.defects), unrated=unrated)
    fields = coerce_object(candidate.value, model, defects)
    if fields is None:
        return None, defects.found
    try:
        return model.model_validate(fields), defects.found
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        defects.add(str(first["msg"]), ".".join(map(str, first["loc"])))
        return None, defects.found
