"""``batch`` as a command: lines, summary, status, resuming, and a kill in the middle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphrag_cli.errors import AuthError, IndexDataError, ModelError, SettingsError
from graphrag_cli.llm.around.purse import Limits
from tests.cli.conftest import Shell
from tests.cli.fakes import events, partial

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("".join(f"question {number}\n" for number in range(1, 6)), encoding="utf-8")
    return path


def documents(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_every_question_has_its_line_and_the_summary_is_conversation(shell: Shell, questions: Path) -> None:
    done = shell.run("batch", str(questions), "--fields", "status,usage.llm_calls")
    lines = documents(done.out)
    assert done.status == 0
    assert [line["id"] for line in lines] == ["1", "2", "3", "4", "5"]
    assert lines[0]["answer"] == {"status": "answered", "usage.llm_calls": 1}
    assert lines[0]["schema"] == "graphrag-cli/batch/1"
    assert done.err.startswith("5 questions: 5 answered; 5 calls, 22 550 tokens, $0.0615; ")
    assert {method for _, method in shell.project.asked} == {"local"}
    assert shell.project.closed == 1


def test_a_question_that_fails_is_a_line_and_status_6(shell: Shell, questions: Path, tmp_path: Path) -> None:
    shell.project.failing = {"question 3": ModelError("500 from the server", hint="later")}
    target = tmp_path / "a.jsonl"
    done = shell.run("batch", str(questions), "-o", str(target), "--method", "basic")
    lines = documents(target.read_text(encoding="utf-8"))
    assert (done.status, done.out) == (6, "")
    assert [line["status"] for line in lines] == ["answered", "answered", "failed", "answered", "answered"]
    assert lines[2]["error"] == {
        "code": "model",
        "message": "500 from the server",
        "hint": "later",
        "exit_status": 5,
    }
    assert "failed: 3: 500 from the server" in done.err
    assert "4 answered, 1 failed" in done.err

    shell.project.failing = {}
    shell.project.asked.clear()
    again = shell.run("batch", str(questions), "-o", str(target), "--method", "basic", "--resume")
    assert again.status == 0
    assert [question.text for question, _ in shell.project.asked] == ["question 3"]
    assert [line["status"] for line in documents(target.read_text(encoding="utf-8"))] == ["answered"] * 5
    assert "5 questions: 1 answered, 4 kept from before" in again.err


def test_a_fault_of_ours_costs_one_question_only(shell: Shell, questions: Path) -> None:
    shell.project.failing = {"question 2": ZeroDivisionError("division by zero")}
    done = shell.run("batch", str(questions), "--quiet")
    assert done.status == 6
    assert documents(done.out)[1]["error"] is not None
    assert done.err == ""


def test_a_partial_answer_is_status_6_too(shell: Shell, questions: Path) -> None:
    from tests.cli.fakes import answer

    shell.play(*events(partial(answer())))
    assert shell.run("batch", str(questions), "-q").status == 6


def test_nothing_is_written_when_nothing_can_be_asked(shell: Shell, questions: Path, tmp_path: Path) -> None:
    shell.project.engine_error = IndexDataError("entities.parquet is missing")
    target = tmp_path / "a.jsonl"
    done = shell.run("batch", str(questions), "-o", str(target))
    assert (done.status, done.out) == (4, "")
    assert not target.exists()


def test_a_key_that_is_refused_again_and_again_ends_the_batch(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("".join(f"q{number}\n" for number in range(50)), encoding="utf-8")
    shell.play(AuthError("401 from the server"))
    done = shell.run("batch", str(path), "-o", str(tmp_path / "a.jsonl"), "-j", "2")
    assert done.status == 5
    assert len(shell.project.asked) < 12
    assert "not asked" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--resume",), "--resume needs a file"),
        (("-j", "0"), "--concurrency"),
        (("--fields", "nothing"), "no 'nothing'"),
    ],
)
def test_usage_errors(shell: Shell, questions: Path, arguments: tuple[str, ...], told: str) -> None:
    done = shell.run("batch", str(questions), *arguments)
    assert done.status == 2
    assert told in done.err
    assert shell.project.asked == []


def test_an_output_that_is_there_is_not_overwritten(shell: Shell, questions: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    target.write_text("precious", encoding="utf-8")
    done = shell.run("batch", str(questions), "-o", str(target))
    assert done.status == 2
    assert "--resume" in done.err
    assert target.read_text(encoding="utf-8") == "precious"


def test_questions_come_from_stdin(shell: Shell) -> None:
    done = shell.run("batch", "-", "--input-format", "jsonl", stdin='{"id": "a", "question": "Who?"}\n')
    assert documents(done.out)[0]["id"] == "a"


SLOW = """
import asyncio, sys
import graphrag_cli.project
from graphrag_cli.cli.boundary import run
from tests.cli.fakes import FakeProject, answer, events
graphrag_cli.project.Project = FakeProject(events(answer()), delay=0.02)
sys.exit(run(["batch", {questions!r}, "-o", {target!r}, "--resume", "-j", "4", "--fields", "status"]))
"""


def test_kills_at_any_moment_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    questions, target = tmp_path / "q.txt", tmp_path / "a.jsonl"
    questions.write_text("".join(f"q{number}\n" for number in range(120)), encoding="utf-8")
    code = SLOW.format(questions=str(questions), target=str(target))
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    seen = 0
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=PROJECT, env=environment, stderr=subprocess.DEVNULL
        )
        begun = time.monotonic()
        while process.poll() is None and time.monotonic() - begun < 20:
            lines = target.read_bytes().count(b"\n") if target.exists() else 0
            if lines >= seen + 10:
                break
            time.sleep(0.005)
        process.kill()
        process.wait()
        seen = target.read_bytes().count(b"\n")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line["id"] for line in documents(target.read_text(encoding="utf-8"))] == [
        str(n) for n in range(1, 121)
    ]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".", "a"))] == ["a.jsonl"]


@pytest.mark.parametrize("target", ["", "folder"])
def test_a_folder_takes_no_lines(
    shell: Shell, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    done = shell.run("batch", str(questions), "-o", target)
    assert (done.status, shell.project.asked) == (2, [])
    assert "it is a folder" in done.err


def test_a_recording_does_not_overwrite_the_questions(shell: Shell, questions: Path) -> None:
    before = questions.read_bytes()
    assert shell.run("batch", str(questions), "--record", str(questions)).status == 2
    assert questions.read_bytes() == before


def test_json_without_end_is_a_usage_error(shell: Shell, tmp_path: Path) -> None:
    deep = tmp_path / "deep.jsonl"
    deep.write_text("[" * 100_000, encoding="utf-8")
    done = shell.run("batch", str(deep))
    assert (done.status, "line 1 is not JSON" in done.err) == (2, True)


def test_a_pipe_takes_lines_as_they_come_and_cannot_be_resumed(
    shell: Shell, questions: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text, "utf-8")
        assert shell.run("batch", str(questions), "-o", str(pipe)).status == 0
        assert [line["id"] for line in documents(read.result(30))] == ["1", "2", "3", "4", "5"]
    assert pipe.is_fifo()
    refused = shell.run("batch", str(questions), "-o", str(pipe), "--resume")
    assert (refused.status, "--resume needs a file" in refused.err) == (2, True)


def test_limits_hold_for_the_whole_batch_and_what_is_left_can_be_asked_later(
    shell: Shell, questions: Path, tmp_path: Path
) -> None:
    target = tmp_path / "a.jsonl"
    arguments = ("batch", str(questions), "-o", str(target), "-j", "1")
    done = shell.run(*arguments, "--max-calls", "2")
    assert (done.status, [line["id"] for line in documents(target.read_text("utf-8"))]) == (6, ["1", "2"])
    assert "5 questions: 2 answered, 3 not asked; 2 calls, " in done.err
    assert done.err.endswith(
        "error: not every question was asked: the limit on calls to the model (2) is reached\n"
        "hint: allow more with --max-calls, and go on with --resume\n"
    )
    again = shell.run(*arguments, "--resume", "--max-cost", "0.03")
    assert again.status == 0
    assert [line["id"] for line in documents(target.read_text("utf-8"))] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("flag", "value", "answered"),
    [
        ("--max-calls", "3", 3),
        ("--max-tokens", "10000", 3),
        ("--max-cost", "0.02", 2),
        ("--deadline", "0.001", 0),
    ],
)
def test_each_limit_ends_a_batch(shell: Shell, questions: Path, flag: str, value: str, answered: int) -> None:
    shell.project.delay = 0.01
    done = shell.run("batch", str(questions), "-j", "1", flag, value)
    assert (done.status, len(documents(done.out))) == (6, answered)
    assert f"{5 - answered} not asked" in done.err
    assert f"allow more {'time ' if flag == '--deadline' else ''}with {flag}\n" in done.err


def test_a_limit_that_every_question_stayed_within_is_not_spoken_of(shell: Shell, questions: Path) -> None:
    done = shell.run("batch", str(questions), "--max-calls", "5")
    assert (done.status, "limit" in done.err, "not asked" in done.err) == (0, False, False)


def test_a_line_may_have_limits_of_its_own(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "a?", "max_calls": 3, "deadline": 1.5}\n"b?"\n', encoding="utf-8")
    assert shell.run("batch", str(path), "--max-calls", "9").status == 0
    assert [question.limits for question, _ in shell.project.asked] == [
        Limits(max_calls=3, deadline=1.5),
        Limits(),
    ]
    assert shell.project.options.limits == Limits(max_calls=9)


@pytest.mark.parametrize(
    "limit", ['"max_calls": 0', '"max_cost": "x"', '"deadline": -1', '"max_tokens": 1.5']
)
def test_a_limit_that_is_none_is_refused(shell: Shell, tmp_path: Path, limit: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f'{{"question": "a?", {limit}}}\n', encoding="utf-8")
    assert shell.run("batch", str(path)).status == 2
    assert shell.project.asked == []


def test_a_flag_that_cannot_be_read_is_told_once_and_nothing_is_asked(shell: Shell, questions: Path) -> None:
    done = shell.run("batch", str(questions), "--community-level", "deep")
    assert (done.status, done.out, shell.project.asked) == (2, "", [])
    assert done.err.count("error") == 1


def test_a_fault_of_the_program_shows_its_traceback_with_debug(shell: Shell, questions: Path) -> None:
    shell.project.failing = {"question 2": ZeroDivisionError("ours")}
    assert "Traceback" not in shell.run("batch", str(questions)).err
    assert (
        "ZeroDivisionError: ours" in shell.run("batch", str(questions), "--debug").err.split("Traceback")[1]
    )


def test_settings_that_no_question_can_do_with_end_the_batch(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "q.txt"
    path.write_text("".join(f"q{n}\n" for n in range(50)), encoding="utf-8")
    shell.play(SettingsError("the price of model 'x' is not known"))
    done = shell.run("batch", str(path), "-j", "1", "--max-cost", "1")
    assert (done.status, len(shell.project.asked)) == (3, 8)


def test_a_cell_may_hold_any_character(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("id,question\na,one\u2028two?\nb,three\x0bfour?\n", encoding="utf-8")
    assert shell.run("batch", str(path), "-j", "1").status == 0
    assert [question.text for question, _ in shell.project.asked] == ["one\u2028two?", "three\x0bfour?"]
