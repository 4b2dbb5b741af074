"""``check-answers`` as a command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_cli.errors import ModelError
from tests.cli.conftest import Shell
from tests.cli.fakes import CITATIONS, answer, events

CASES = """
- {id: a, question: 'Who led?', expect: {records: {Entities: [5]}, any_of_strings: [Amundsen]}}
- {id: b, question: 'Who lost?', expect: {any_of_strings: [Scott]}}
"""


@pytest.fixture
def cases(shell: Shell, tmp_path: Path) -> Path:
    shell.play(*events(replace(answer(), citations=CITATIONS[:2])))
    path = tmp_path / "cases.yaml"
    path.write_text(CASES, encoding="utf-8")
    return path


def test_what_does_not_pass_is_said_with_status_6(shell: Shell, cases: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done = shell.run("check-answers", str(cases), "--junit", str(report))
    assert done.status == 6
    assert "b: Who lost?" in done.out
    assert "contains none of ['Scott']" in done.out
    assert "1 of 2" in done.out.splitlines()[-1]
    assert '<failure message="contains none of' in report.read_text(encoding="utf-8")


def test_a_share_may_be_enough(shell: Shell, cases: Path) -> None:
    assert shell.run("check-answers", str(cases), "--min-pass", "0.5", "-q").status == 0


def test_as_json(shell: Shell, cases: Path) -> None:
    document = json.loads(shell.run("check-answers", str(cases), "-f", "json", "-q").out)
    assert document["schema"] == "graphrag-cli/answer-check/1"
    assert [case["passed"] for case in document["cases"]] == [True, False]


def test_a_batch_can_be_checked_later(shell: Shell, cases: Path, tmp_path: Path) -> None:
    questions, answers = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    questions.write_text('{"id": "a", "question": "Who led?"}\n', encoding="utf-8")
    shell.run("batch", str(questions), "-o", str(answers))
    shell.project.asked.clear()
    done = shell.run("check-answers", str(cases), "--answers", str(answers))
    assert shell.project.asked == []
    assert "no answer: not among the answers" in done.out


def test_a_question_that_fails_is_counted(shell: Shell, cases: Path) -> None:
    shell.project.failing = {"Who led?": ModelError("500")}
    done = shell.run("check-answers", str(cases))
    assert "no answer: 500" in done.out
    assert "0 of 2" in done.out


def test_cases_that_cannot_be_read_are_a_usage_error(shell: Shell, tmp_path: Path) -> None:
    assert shell.run("check-answers", str(tmp_path / "no.yaml")).status == 2


def test_answers_that_lack_what_is_scored_are_refused(shell: Shell, cases: Path, tmp_path: Path) -> None:
    questions, answers = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    questions.write_text('{"id": "a", "question": "Who led?"}\n', encoding="utf-8")
    shell.run("batch", str(questions), "-o", str(answers), "--fields", "status,answer")
    done = shell.run("check-answers", str(cases), "--answers", str(answers))
    assert (done.status, "--fields answer,citations,context,status" in done.err) == (2, True)


def test_what_is_no_line_of_a_batch_is_refused(shell: Shell, cases: Path, tmp_path: Path) -> None:
    answers = tmp_path / "a.jsonl"
    answers.write_text('{"id": "a"}\n', encoding="utf-8")
    done = shell.run("check-answers", str(cases), "--answers", str(answers))
    assert (done.status, "line 1 of" in done.err) == (2, True)


def test_a_case_that_a_limit_left_unasked_says_so(shell: Shell, cases: Path) -> None:
    done = shell.run("check-answers", str(cases), "-j", "1", "--max-calls", "1")
    assert done.status == 6
    assert "no answer: the limit on calls to the model (1) is reached" in done.out


def test_a_share_beyond_all_is_refused(shell: Shell, cases: Path) -> None:
    assert shell.run("check-answers", str(cases), "--min-pass", "80").status == 2
    assert shell.project.asked == []
