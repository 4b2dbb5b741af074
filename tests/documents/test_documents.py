"""The documents that programs read."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.documents.build import answer_document, event_document
from graphrag_cli.documents.fields import check_fields, pick
from graphrag_cli.documents.strict import dump_line, dumps
from graphrag_cli.errors import UsageError
from graphrag_cli.events import StepFinished, StepStarted
from tests.cli.fakes import answer, events

OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def test_numbers_that_json_lacks_are_null() -> None:
    odd = replace(answer(), timing={"total": math.nan, "embed": math.inf, "answer": 1.0})
    assert answer_document(odd)["timing"] == {"total": None, "embed": None, "answer": 1.0}
    step = StepFinished("s1", "step", "answered", score=math.nan, seconds=math.inf)
    assert '"score": null' in dumps(event_document(step))


def test_only_drift_has_a_graph() -> None:
    assert "drift" not in answer_document(answer())
    drift = replace(answer("drift"), drift={"schema": "s", "nodes": []})
    assert answer_document(drift).get("drift") == {"schema": "s", "nodes": []}


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_survives_as_one_line_of_utf8(text: str) -> None:
    line = dump_line({"text": text})
    assert line.endswith("\n")
    assert len(line.splitlines()) == 1
    assert not OBEYED.search(line[:-1])
    expected = "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)
    assert json.loads(line.encode("utf-8")) == {"text": expected}


def test_every_event_has_a_line() -> None:
    run = [*events(answer()), StepStarted("s", "map", "q"), StepFinished("s", "map", "failed", error="500")]
    for event in run:
        assert json.loads(dumps(event_document(event)))["kind"] == event.kind


def test_fields_reach_into_lists_and_objects() -> None:
    document = {"a": {"b": [{"c": 1}, {"c": 2}]}, "d": None}
    assert pick(document, ["a.b.c", "d"]) == {"a.b.c": [1, 2], "d": None}


def test_what_this_answer_does_not_have_is_null() -> None:
    document = {"citations": [{"passages": [{"document": None}]}], "timing": {"total": 1.0}}
    fields = ["citations.passages.document.title", "timing.map", "drift.nodes"]
    assert list(pick(document, fields).values()) == [[[None]], None, None]


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("anwser", "no 'anwser'"),
        ("usage.llm_cals", "no 'usage.llm_cals'"),
        ("citations.documents.name", "no 'citations.documents.name'"),
        ("citations.passages.document.name", "no 'citations.passages.document.name'"),
        ("usage.by_stage.map.calls", "no 'usage.by_stage.map.calls'"),
        ("context.sources.why.rank.x", "below a plain value"),
        ("status.x", "below a plain value"),
    ],
)
def test_fields_that_no_answer_has_are_told_beforehand(field: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        check_fields(field, "json")


@pytest.mark.parametrize(
    "field",
    [
        "answer",
        "citations.documents.title",
        "citations.passages.document.title",
        "context.reports.values.title",
        "usage.by_stage.map.llm_calls",
        "timing.map",
        "drift",
        "drift.nodes.query",
    ],
)
def test_fields_that_some_answer_has_are_taken(field: str) -> None:
    check_fields(field, "json")
