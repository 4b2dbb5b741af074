"""Lines on disk: whole, in order, each once, whatever moment the program was killed at."""

from __future__ import annotations

import json
import shutil
import tempfile
from asyncio import CancelledError
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.batch.journal import FileWriter, InOrder, StreamWriter, read_kept, waiting_path
from graphrag_cli.batch.line import Done, answered, failed
from graphrag_cli.batch.questions import BatchQuestion
from graphrag_cli.errors import ModelError, UsageError
from tests.cli.fakes import answer

QUESTIONS = [BatchQuestion(line, str(line), f"question {line}", "local") for line in range(1, 7)]
IDS = [question.id for question in QUESTIONS]


def line(number: int, *, fails: bool = False) -> Done:
    question = QUESTIONS[number]
    if fails:
        return failed(question, ModelError("500"), 0.1)
    return answered(question, answer(), 0.1, ["status"])


def ids_in(path: Path) -> list[str]:
    return [json.loads(text)["id"] for text in path.read_text(encoding="utf-8").splitlines()]


@given(st.permutations(range(6)))
def test_lines_come_out_in_order_whatever_order_they_come_in(order: Sequence[int]) -> None:
    in_order = InOrder(IDS)
    out = [done.id for number in order for done in in_order.take(line(number))]
    assert out == IDS
    assert in_order.early == []


@given(st.permutations(range(6)), st.data())
def test_a_kill_at_any_byte_loses_only_what_was_in_flight(order: Sequence[int], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "killed" / "answers.jsonl"
        finished = data.draw(st.integers(0, 6), label="finished before the kill")
        running = Path(folder) / "running"
        running.mkdir()
        with FileWriter(running / path.name, IDS) as writer:
            for number in order[:finished]:
                writer.write(line(number))
            shutil.copytree(running, path.parent)  # what is there when it is killed
        if finished < 6:
            torn = line(order[finished]).text
            with path.open("a", encoding="utf-8") as file:
                file.write(torn[: data.draw(st.integers(0, len(torn) - 1), label="bytes of the torn line")])
        kept = read_kept(path, QUESTIONS)
        assert {done.id for done in kept} == {QUESTIONS[number].id for number in order[:finished]}
        rest = [number for number in range(6) if QUESTIONS[number].id not in {done.id for done in kept}]
        with FileWriter(path, IDS, kept) as writer:
            for number in reversed(rest):
                writer.write(line(number))
        assert ids_in(path) == IDS
        assert not waiting_path(path).exists()


def test_unordered_lines_are_there_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with FileWriter(path, None) as writer:
        writer.write(line(3))
        assert ids_in(path) == ["4"]
        writer.write(line(0))
    assert ids_in(path) == ["4", "1"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, CancelledError])
def test_a_stream_gets_early_lines_though_those_before_them_never_come(
    error: type[BaseException] | None,
) -> None:
    written: list[str] = []
    with suppress(KeyboardInterrupt, CancelledError), StreamWriter(written.append, IDS) as writer:
        for number in (4, 0, 2):
            writer.write(line(number))
        assert [json.loads(text)["id"] for text in written] == ["1"]
        if error is not None:
            raise error
    assert [json.loads(text)["id"] for text in written] == ["1", "3", "5"]


def test_a_stream_that_takes_no_more_is_not_written_to_again() -> None:
    written: list[str] = []
    with suppress(BrokenPipeError), StreamWriter(written.append, IDS) as writer:
        writer.write(line(1))
        raise BrokenPipeError
    assert written == []


def test_an_early_line_waits_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with FileWriter(path, IDS) as writer:
        writer.write(line(1))
        assert ids_in(path) == []
        assert ids_in(waiting_path(path)) == ["2"]
        writer.write(line(0))
        assert ids_in(path) == ["1", "2"]


def test_what_waits_goes_into_the_file_at_the_end_and_is_sorted_in_later(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with FileWriter(path, IDS) as writer:
        for number in (4, 0, 2):
            writer.write(line(number))
    assert ids_in(path) == ["1", "3", "5"]
    assert not waiting_path(path).exists()
    with FileWriter(path, IDS, read_kept(path, QUESTIONS)) as writer:
        for number in (1, 3, 5):
            writer.write(line(number))
    assert ids_in(path) == IDS


def test_what_failed_is_asked_again_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with FileWriter(path, IDS) as writer:
        for number in range(6):
            writer.write(line(number, fails=number == 2))
    kept = read_kept(path, QUESTIONS)
    assert [done.id for done in kept] == ["1", "2", "4", "5", "6"]
    with FileWriter(path, IDS, kept) as writer:
        assert ids_in(path) == ["1", "2"]
        writer.write(line(2))
    assert ids_in(path) == IDS
    assert "failed" not in path.read_text(encoding="utf-8")


def test_a_question_that_changed_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with FileWriter(path, IDS) as writer:
        writer.write(line(0))
    other = [BatchQuestion(1, "1", "another question", "local")]
    assert read_kept(path, other) == []
    assert read_kept(path, [BatchQuestion(1, "1", "question 1", "drift")]) == []


def test_a_file_of_something_else_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"mine": 1}\n{"mine": 2}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"line 1 of .* is no line of a batch"):
        read_kept(path, QUESTIONS)


def test_lines_hold_separators_that_are_no_newline(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    odd = [BatchQuestion(1, "1", "a\u2028b\x85c\x0bd", "local")]
    with FileWriter(path, ["1"]) as writer:
        writer.write(answered(odd[0], answer(), 0.1, ["status"]))
    assert [done.id for done in read_kept(path, odd)] == ["1"]
