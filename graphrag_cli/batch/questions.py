"""Reads questions: plain lines, JSON Lines, CSV. A question may carry its own id, method and options."""

from __future__ import annotations

import csv
import dataclasses
import difflib
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from graphrag_cli import jsontext
from graphrag_cli.errors import UsageError
from graphrag_cli.events import METHODS, Method

if TYPE_CHECKING:
    from graphrag_cli.engines.base import Question

Form: TypeAlias = Literal["txt", "jsonl", "csv"]
Value: TypeAlias = object

_TEXT_KEYS: Final = ("question", "query")
_SEPARATOR: Final = ";"
"""Between the values of a list in a CSV cell."""


@dataclass(frozen=True, slots=True)
class LineOptions:
    """What a line may say beyond the question; None is what the command line or the settings say."""

    response_type: str | None = None
    seed: int | None = None
    community_level: int | Literal["deepest"] | None = None
    include_entities: tuple[str, ...] | None = None
    exclude_entities: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    entity_types: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None
    dynamic: bool | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    deadline: float | None = None

    def applied(self, question: Question) -> Question:
        """``question`` with what the line says."""
        given = {
            field.name: value
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) is not None
        }
        filters = _take(given, ("documents", "entity_types", "since", "until"))
        limits = _take(given, ("max_calls", "max_tokens", "max_cost", "deadline"))
        return dataclasses.replace(
            question,
            filters=dataclasses.replace(question.filters, **filters),
            limits=dataclasses.replace(question.limits, **limits),
            **given,
        )


@dataclass(frozen=True, slots=True)
class BatchQuestion:
    """One question of the input."""

    line: int
    """Where it stands, from 1."""
    id: str
    text: str
    method: Method
    options: LineOptions = LineOptions()


def form_of(name: str) -> Form:
    """The form that a file's name tells; plain lines for any other."""
    suffix = name.rpartition(".")[2].lower()
    if suffix in {"jsonl", "ndjson"}:
        return "jsonl"
    return "csv" if suffix == "csv" else "txt"


def read_questions(text: str, form: Form, method: Method) -> list[BatchQuestion]:
    """The questions of ``text``, in order; ``method`` is for lines that name none.

    Empty lines are skipped, and in plain files lines that begin with ``#``. Raises ``UsageError`` that names the line
    when one cannot be read or two have the same id, and when there is none at all.
    """
    text = text.removeprefix("\ufeff")
    readers: dict[Form, Callable[[str], Iterator[tuple[int, Mapping[str, Value]]]]] = {
        "txt": _plain_lines,
        "jsonl": _json_lines,
        "csv": _csv_rows,
    }
    questions = [_question(line, fields, method) for line, fields in readers[form](text)]
    if not questions:
        raise UsageError("there is no question in the input", hint="one question per line")
    _refuse_same_ids(questions)
    return questions


def _plain_lines(text: str) -> Iterator[tuple[int, Mapping[str, Value]]]:
    for line, content in enumerate(text.split("\n"), start=1):
        question = content.strip()
        if question and not question.startswith("#"):
            yield line, {"question": question}


def _json_lines(text: str) -> Iterator[tuple[int, Mapping[str, Value]]]:
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            value: Value = jsontext.decode(content)
        except ValueError as error:
            raise UsageError(
                f"line {line} is not JSON: {error}", hint="one JSON object or string per line"
            ) from error
        if isinstance(value, str):
            value = {"question": value}
        if not isinstance(value, dict):
            raise UsageError(f"line {line} is no JSON object", hint='for example {"question": "Who led?"}')
        yield line, cast("dict[str, Value]", value)


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, Value]]]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if not set(rows.fieldnames or ()) & set(_TEXT_KEYS):
        raise UsageError("the CSV has no column 'question'", hint="its first line names the columns")
    try:
        for row in rows:
            if None in row:
                raise UsageError(
                    f"line {rows.line_num} has more cells than the header", hint="put quotes around commas"
                )
            yield rows.line_num, {name: cell for name, cell in row.items() if cell}
    except csv.Error as error:
        raise UsageError(
            f"line {rows.line_num} is not CSV: {error}", hint="double the quotes inside quotes"
        ) from error


def _question(line: int, fields: Mapping[str, Value], method: Method) -> BatchQuestion:
    rest = dict(fields)
    texts = [rest.pop(key) for key in _TEXT_KEYS if key in rest]
    text = texts[0] if texts else None
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"line {line} has no question", hint='for example {"question": "Who led?"}')
    own_id = rest.pop("id", None)
    own_method = rest.pop("method", None) or method
    if own_method not in METHODS:
        raise UsageError(
            f"line {line}: there is no method {own_method!r}", hint=f"one of {', '.join(METHODS)}"
        )
    return BatchQuestion(
        line=line,
        id=str(line) if own_id is None else str(own_id),
        text=text.strip(),
        method=own_method,
        options=_options(line, rest),
    )


def _options(line: int, fields: Mapping[str, Value]) -> LineOptions:
    readers: dict[str, Callable[[Value], Value]] = {
        "response_type": _text,
        "seed": _integer,
        "community_level": _level,
        "include_entities": _texts,
        "exclude_entities": _texts,
        "documents": _texts,
        "entity_types": _texts,
        "since": _text,
        "until": _text,
        "dynamic": _flag,
        "max_calls": _count,
        "max_tokens": _count,
        "max_cost": _amount,
        "deadline": _amount,
    }
    values: dict[str, Value] = {}
    for name, value in fields.items():
        if name not in readers:
            close = difflib.get_close_matches(name, [*readers, "question", "id", "method"], n=1)
            hint = (
                f"did you mean {close[0]!r}?"
                if close
                else f"known: question, id, method, {', '.join(readers)}"
            )
            raise UsageError(f"line {line}: there is no option {name!r}", hint=hint)
        try:
            values[name] = readers[name](value)
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"line {line}: {name} cannot be {value!r}", hint="see graphrag-cli batch --help"
            ) from error
    return LineOptions(**cast("dict[str, None]", values))


def _refuse_same_ids(questions: list[BatchQuestion]) -> None:
    lines: dict[str, int] = {}
    for question in questions:
        if question.id in lines:
            raise UsageError(
                f"lines {lines[question.id]} and {question.line} have the same id {question.id!r}",
                hint="ids tell answers apart: make them different",
            )
        lines[question.id] = question.line


def _take(values: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: values.pop(name) for name in names if name in values}


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _integer(value: Value) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError
    return int(value)


def _count(value: Value) -> int:
    if (count := _integer(value)) < 1:
        raise ValueError
    return count


def _amount(value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError
    if not 0 < (amount := float(value)) < math.inf:
        raise ValueError
    return amount


def _level(value: Value) -> Value:
    return value if value == "deepest" else _integer(value)


def _texts(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(_SEPARATOR) if part.strip())
    if not isinstance(value, list):
        raise TypeError
    return tuple(_text(item) for item in cast("list[Value]", value))


def _flag(value: Value) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or value.lower() not in words:
        raise TypeError
    return words[value.lower()]
