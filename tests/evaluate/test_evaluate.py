"""Answers against what was expected of them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from graphrag_cli.documents.build import answer_document
from graphrag_cli.errors import UsageError
from graphrag_cli.evaluate.cases import Case, read_cases
from graphrag_cli.evaluate.junit import junit
from graphrag_cli.evaluate.score import score, totals
from graphrag_cli.events import Answer
from tests.cli.fakes import CITATIONS, answer

GOOD = replace(answer(), citations=CITATIONS[:2])


def faults(case: Case, outcome: Answer = GOOD) -> tuple[str, ...]:
    return score(case, answer_document(outcome), None, 1.0).faults


def test_cases_are_read_from_yaml_and_json_lines() -> None:
    yaml = """
- {id: a, method: basic, question: 'Who?', expect: {records: {Sources: [2, 7]}, any_of_strings: [x]}}
- {question: 'What?', expect: no_data}
"""
    first, second = read_cases(yaml, yaml=True, method="local")
    assert (first.id, first.method, first.records, first.any_of) == (
        "a",
        "basic",
        {"sources": {"2", "7"}},
        ("x",),
    )
    assert (second.id, second.method, second.outcome) == ("2", "local", "no_data")
    assert read_cases('{"question": "Who?"}\n', yaml=False, method="drift")[0].method == "drift"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "no case"),
        ("a: 1", "no list"),
        ("[1]", "case 1 is no mapping"),
        ("[{id: 1}]", "case 1 has no question"),
        ("[{question: q, method: x}]", "no method 'x'"),
        ("[{question: q, expect: perhaps}]", "cannot be 'perhaps'"),
        ("[{question: q, expect: {records: {Files: [1]}}}]", "'Files'"),
        ("[{question: q, id: 1}, {question: r, id: 1}]", "two cases have the id '1'"),
        ("[{", "not YAML"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_cases(text, yaml=True, method="local")


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        (Case("1", "local", "q"), None),
        (Case("1", "local", "q", records={"entities": frozenset({"5", "6"})}), None),
        (Case("1", "local", "q", any_of=("AMUNDSEN LED", "x")), None),
        (
            Case("1", "local", "q", records={"reports": frozenset({"5"})}),
            "cites none of the expected records",
        ),
        (Case("1", "local", "q", any_of=("Scott",)), "contains none of ['Scott']"),
        (Case("1", "local", "q", all_of=("cold", "Scott")), "does not contain ['Scott']"),
        (Case("1", "local", "q", outcome="no_data"), "status is answered, expected no_data"),
    ],
)
def test_what_is_wrong_is_said(case: Case, fault: str | None) -> None:
    assert faults(case) == (() if fault is None else (fault,))


def test_a_citation_that_does_not_resolve_is_a_fault() -> None:
    assert faults(Case("1", "local", "q"), answer()) == ("citations that do not resolve: sources (99)",)


def test_shares_count_records() -> None:
    case = Case("1", "local", "q", records={"entities": frozenset({"5"}), "reports": frozenset({"1"})})
    one = score(case, answer_document(answer()), None, 1.0)
    assert (one.recall, one.precision, one.resolved) == (1 / 2, 1 / 3, 2 / 3)


def test_a_question_that_failed_is_a_fault() -> None:
    one = score(Case("1", "local", "q"), None, "500", 1.0)
    assert (one.faults, one.passed) == (("no answer: 500",), False)


def test_totals_are_by_method_and_of_all() -> None:
    good = score(Case("1", "local", "q"), answer_document(GOOD), None, 1.0)
    bad = score(Case("2", "drift", "q"), None, "500", 1.0)
    assert [(total.name, total.passed, total.cases) for total in totals([good, bad])] == [
        ("local", 1, 1),
        ("drift", 0, 1),
        ("all", 1, 2),
    ]
    assert len(totals([good])) == 1


def test_junit_names_failures_and_survives_any_text() -> None:
    scores = [
        score(Case("1", "local", "a\x00<&>\ud800"), answer_document(GOOD), None, 1.25),
        score(Case("2", "local", "q", any_of=("\x1b",)), answer_document(GOOD), None, 0.5),
    ]
    root = ET.fromstring(junit(scores))
    suite = root[0]
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["time"]) == ("2", "1", "1.750")
    assert suite[0].attrib["name"] == "1: a\ufffd<&>\ufffd"
    assert suite[1][0].tag == "failure"


@pytest.mark.parametrize(
    ("case", "meant"),
    [
        ("{question: Who led, expct: no_data}", "expect"),
        ("{question: Who led, expect: {recods: {Sources: [9]}}}", "records"),
        ("{question: Who led, expect: {any_of_string: [zebra]}}", "any_of_strings"),
    ],
)
def test_a_misspelt_key_does_not_pass_unseen(case: str, meant: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_cases(f"- {case}", yaml=True, method="local")
    assert refused.value.hint == f"did you mean {meant!r}?"
