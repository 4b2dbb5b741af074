"""The JSON Schemas hold for what is really printed, and for nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import run_in_process

REPOSITORY = Path(__file__).parents[2]
ROOT = ("--root", str(REPOSITORY))
METHODS = ("local", "basic", "global", "drift")


def validator(name: str) -> Any:
    schema: dict[str, Any] = json.loads(run_in_process("schema", name).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def ask(method: str, form: str, *arguments: str) -> str:
    small = ("--depth", "1", "--followups", "2") if method == "drift" else ()
    return run_in_process("query", method, "Who led?", "-q", "-f", form, *small, *ROOT, *arguments).out


@pytest.mark.parametrize("method", METHODS)
def test_answers_are_as_their_schema_says(method: str) -> None:
    document = json.loads(ask(method, "json"))
    validator("answer").validate(document)
    assert ("drift" in document) is (method == "drift")
    if method == "drift":
        validator("state").validate(document["drift"])


@pytest.mark.parametrize("method", METHODS)
def test_every_line_of_jsonl_is_as_its_schema_says(method: str) -> None:
    check = validator("event")
    kinds: list[str] = []
    for line in ask(method, "jsonl").splitlines():
        document = json.loads(line)
        check.validate(document)
        kinds.append(document["kind"])
    assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")


def test_errors_are_as_their_schemas_say(tmp_path: Path) -> None:
    for form, name in (("json", "error"), ("jsonl", "event")):
        done = run_in_process("query", "local", "Who?", "--root", str(tmp_path), "-f", form)
        validator(name).validate(json.loads(done.out.splitlines()[-1]))


def test_lines_of_a_batch_are_as_their_schema_says(tmp_path: Path) -> None:
    questions = tmp_path / "q.jsonl"
    questions.write_text(
        '"Who led?"\n{"question": "What?", "method": "basic", "documents": ["no such"]}\n', encoding="utf-8"
    )
    done = run_in_process("batch", str(questions), *ROOT)
    lines = [json.loads(line) for line in done.out.splitlines()]
    for line in lines:
        validator("batch").validate(line)
    assert [line["status"] for line in lines] == ["answered", "failed"]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("check", ("config", "check")),
        ("check", ("doctor",)),
        ("index", ("index", "info")),
        ("index-check", ("index", "check")),
        ("estimate", ("query", "local", "Who?", "--dry-run")),
    ],
)
def test_reports_are_as_their_schemas_say(name: str, command: tuple[str, ...]) -> None:
    done = run_in_process(*command, *ROOT, "--format", "json")
    validator(name).validate(json.loads(done.out))


def test_a_key_too_many_and_a_key_too_few_are_refused() -> None:
    check = validator("answer")
    document = json.loads(ask("basic", "json"))
    assert not check.is_valid({**document, "extra": 1})
    del document["citations"]
    assert not check.is_valid(document)


def test_keys_are_explained() -> None:
    assert "False: the index has no such record." in run_in_process("schema", "answer").out
