"""Questions with what a right answer must cite, contain, or be."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from graphrag_cli import jsontext
from graphrag_cli.errors import UsageError
from graphrag_cli.events import DATASETS, METHODS, Dataset, Method

Outcome: TypeAlias = Literal["answered", "no_data"]
_CASE_KEYS = ("id", "method", "question", "expect")
_EXPECT_KEYS = ("status", "records", "any_of_strings", "all_of_strings")
_SHAPE = "each case has a question, and under expect: records, any_of_strings, all_of_strings or status"


@dataclass(frozen=True, slots=True)
class Case:
    """One question. Empty expectations are not checked."""

    id: str
    method: Method
    question: str
    outcome: Outcome = "answered"
    records: Mapping[Dataset, frozenset[str]] = field(default_factory=dict[Dataset, frozenset[str]])
    """Citation ids of which a right answer cites at least one."""
    any_of: tuple[str, ...] = ()
    """Of which at least one must be in the answer, whatever its case."""
    all_of: tuple[str, ...] = ()


def read_cases(text: str, *, yaml: bool, method: Method) -> list[Case]:
    """The cases in ``text`` (a YAML list, or JSON Lines). Raises ``UsageError`` that names the case."""
    items = _yaml_items(text) if yaml else _json_items(text)
    cases = [_case(number, item, method) for number, item in enumerate(items, start=1)]
    if not cases:
        raise UsageError("there is no case in the file", hint=_SHAPE)
    ids = [case.id for case in cases]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        raise UsageError(
            f"two cases have the id {twice!r}", hint="ids tell results apart: make them different"
        )
    return cases


def _yaml_items(text: str) -> Sequence[object]:
    import yaml

    try:
        value: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"the cases are not YAML: {error}", hint=_SHAPE) from error
    if not isinstance(value, list):
        raise UsageError("the cases are no list", hint=_SHAPE)
    return cast("list[object]", value)


def _json_items(text: str) -> Sequence[object]:
    try:
        return [jsontext.decode(line) for line in text.split("\n") if line.strip()]
    except ValueError as error:
        raise UsageError(f"the cases are not JSON Lines: {error}", hint=_SHAPE) from error


def _case(number: int, item: object, method: Method) -> Case:
    fields = _known(_mapping(item, number), _CASE_KEYS, number)
    question = fields.get("question")
    own_method = fields.get("method", method)
    if not isinstance(question, str) or not question.strip():
        raise UsageError(f"case {number} has no question", hint=_SHAPE)
    if own_method not in METHODS:
        raise UsageError(
            f"case {number}: there is no method {own_method!r}", hint=f"one of {', '.join(METHODS)}"
        )
    expect = fields.get("expect", {})
    wanted = (
        {"status": expect}
        if isinstance(expect, str)
        else _known(_mapping(expect, number), _EXPECT_KEYS, number)
    )
    outcome = wanted.get("status", "answered")
    if outcome not in {"answered", "no_data"}:
        raise UsageError(f"case {number}: an answer cannot be {outcome!r}", hint="answered or no_data")
    return Case(
        id=str(fields.get("id", number)),
        method=own_method,
        question=question.strip(),
        outcome=cast("Outcome", outcome),
        records=_records(wanted.get("records") or {}, number),
        any_of=_strings(wanted.get("any_of_strings"), number),
        all_of=_strings(wanted.get("all_of_strings"), number),
    )


def _known(fields: Mapping[str, object], keys: Sequence[str], number: int) -> Mapping[str, object]:
    """``fields``, unless one is misspelt: a case that expects nothing would pass unseen."""
    for name in fields:
        if name not in keys:
            close = difflib.get_close_matches(name, keys, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"keys here: {', '.join(keys)}"
            raise UsageError(f"case {number}: there is no key {name!r}", hint=hint)
    return fields


def _records(value: object, number: int) -> dict[Dataset, frozenset[str]]:
    found: dict[Dataset, frozenset[str]] = {}
    known: dict[str, Dataset] = {dataset: dataset for dataset in DATASETS}
    for name, ids in _mapping(value, number).items():
        dataset = known.get(name.lower())
        if dataset is None or not isinstance(ids, list):
            raise UsageError(
                f"case {number}: records of {name!r} cannot be read", hint="for example Reports: [2, 7]"
            )
        found[dataset] = frozenset(str(one) for one in cast("list[object]", ids))
    return found


def _strings(value: object, number: int) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UsageError(f"case {number}: strings are no list", hint=_SHAPE)
    return tuple(str(one) for one in cast("list[object]", value))


def _mapping(value: object, number: int) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UsageError(f"case {number} is no mapping", hint=_SHAPE)
    return {str(key): inner for key, inner in cast("dict[object, object]", value).items()}
