"""``query``: what goes to stdout, what to stderr, and the exit status, per format."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_cli.cli.boundary import run
from graphrag_cli.cli.render.base import follow
from graphrag_cli.errors import AuthError, CliError, IndexDataError, ModelError, SettingsError, UsageError
from graphrag_cli.events import Event, Reasoning, RunFinished, TextDelta
from tests.cli.conftest import Shell
from tests.cli.fakes import TEXT, answer, events, partial

SOURCES = """
Sources
  1  Entities (5)  ROALD AMUNDSEN — The race
  2  Sources (2)   The race
  3  Sources (99)  no such record in the index
"""
NOTE = "note: the server asked us to wait 2 s\n"


def test_in_a_pipe_stdout_holds_the_answer_alone(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?")
    assert (done.status, done.out) == (0, TEXT + "\n")
    assert done.err == NOTE + SOURCES


def test_sources_that_were_asked_for_are_data(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "--sources", "full")
    quoted = SOURCES.replace("  3  Sources", '       "They reached the pole."\n  3  Sources')
    assert done.out == TEXT + "\n" + quoted
    assert done.err == NOTE


def test_quiet_leaves_stderr_empty(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "--quiet")
    assert (done.out, done.err) == (TEXT + "\n", "")


@pytest.mark.parametrize(("flag", "told"), [("--usage", "1 call"), ("--explain", "ROALD AMUNDSEN")])
def test_what_a_flag_asks_for_is_told_also_with_quiet(shell: Shell, flag: str, told: str) -> None:
    done = shell.run("query", "local", "Who led?", "--quiet", flag)
    assert told in done.err
    assert NOTE not in done.err


def test_a_file_that_was_written_is_named(shell: Shell, tmp_path: Path) -> None:
    place = str(tmp_path / "answer.md")
    assert shell.run("query", "local", "Who led?", "-o", place).err.endswith(f"wrote {place}\n")
    assert shell.run("query", "local", "Who led?", "-o", place, "-q").err == ""


def test_a_question_without_a_method_is_told_so(shell: Shell) -> None:
    done = shell.run("query", "Who led?")
    assert (done.status, shell.project.asked) == (2, [])
    assert 'hint: name a method: graphrag-cli query local "Who led?"' in done.err
    assert "No such command" in shell.run("query", "locl").err


def test_markdown_lists_sources_as_markdown(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "-f", "markdown", "--sources", "short")
    assert done.out.startswith(TEXT)
    assert "\n## Sources\n\n1. Entities (5) ROALD AMUNDSEN — The race\n" in done.out


def test_json_is_one_document_with_everything(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "--format", "json")
    document = json.loads(done.out)
    assert done.out.count("\n") == 1
    assert document["schema"] == "graphrag-cli/answer/1"
    assert document["answer"] == TEXT
    assert list(document["context"]) == ["reports", "entities", "relationships", "claims", "sources"]
    assert document["usage"]["llm_calls"] == 1
    assert done.err == NOTE


def test_jsonl_prints_every_event_in_order(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "--format", "jsonl")
    documents = [json.loads(line) for line in done.out.splitlines()]
    assert documents[0]["kind"] == "run_started"
    assert documents[-1]["kind"] == "run_finished"
    assert "".join(line["text"] for line in documents if line["kind"] == "text_delta") == TEXT
    assert documents[-1]["answer"]["answer"] == TEXT


def test_fields_picks_from_the_document(shell: Shell) -> None:
    done = shell.run(
        "query", "local", "Who led?", "-f", "json", "--fields", "status,citations.id,usage.llm_calls"
    )
    assert json.loads(done.out) == {
        "status": "answered",
        "citations.id": ["5", "2", "99"],
        "usage.llm_calls": 1,
    }


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-f", "json", "--fields", "anwser"), "'answer'"),
        (("--fields", "answer"), "--format json"),
        (("-f", "json", "--fields", "a,,b"), "empty name"),
    ],
)
def test_fields_that_cannot_be_are_refused_before_anything_is_asked(
    shell: Shell, arguments: tuple[str, ...], told: str
) -> None:
    done = shell.run("query", "local", "Who led?", *arguments)
    assert done.status == 2
    assert told in done.err
    assert shell.project.asked == []


def test_output_writes_a_file_and_nothing_to_stdout(shell: Shell, tmp_path: Path) -> None:
    target = tmp_path / "answer.md"
    done = shell.run("query", "local", "Who led?", "-o", str(target))
    assert done.out == ""
    assert target.read_text(encoding="utf-8") == TEXT + "\n"
    assert [path.name for path in tmp_path.iterdir()] == ["answer.md"]


def test_a_run_that_fails_half_way_leaves_the_old_file(shell: Shell, tmp_path: Path) -> None:
    target = tmp_path / "answer.md"
    target.write_text("old", encoding="utf-8")
    shell.play(*events(answer())[:7], AuthError("401 from the server"))
    done = shell.run("query", "local", "Who led?", "-o", str(target))
    assert done.status == 5
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["answer.md"]


def test_output_to_what_is_no_file_is_written_and_never_replaced(shell: Shell, tmp_path: Path) -> None:
    """``-o /dev/null`` by root must not put a file where the device was."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text, "utf-8")
        assert shell.run("query", "local", "Who led?", "-o", str(pipe)).status == 0
        assert read.result(30) == TEXT + "\n"
    assert pipe.is_fifo()


def test_output_to_a_link_writes_where_it_leads(shell: Shell, tmp_path: Path) -> None:
    link, target = tmp_path / "link.md", tmp_path / "there" / "answer.md"
    target.parent.mkdir()
    link.symlink_to(target)
    assert shell.run("query", "local", "Who led?", "-o", str(link)).status == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == TEXT + "\n"


def test_output_in_a_folder_that_is_not_there_is_a_usage_error(shell: Shell, tmp_path: Path) -> None:
    done = shell.run("query", "local", "Who led?", "-o", str(tmp_path / "no" / "answer.md"))
    assert done.status == 2
    assert "cannot write" in done.err


@pytest.mark.parametrize("command", [("query", "local"), ("chat", "local"), ("batch", "-")])
def test_questions_in_another_encoding_are_refused(shell: Shell, command: tuple[str, ...]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9 ?\n"), encoding="utf-8"))
        assert run(list(command)) == 2
    assert shell.project.asked == []


@pytest.mark.parametrize("arguments", [("-f", "json"), ("-fjson",), ("-f", "text", "--format=json")])
def test_an_error_has_its_document_however_the_format_is_given(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    done = shell.run("query", "local", "Who?", *arguments, "--fields", "")
    assert json.loads(done.out)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    ("arguments", "stdin", "expected"),
    [
        (("Who led?",), "", "Who led?"),
        ((" Who led? ",), "", "Who led?"),
        (("-",), "From a pipe\n", "From a pipe"),
        ((), "From a pipe\n", "From a pipe"),
        (("--", "--odd"), "", "--odd"),
    ],
)
def test_the_question_comes_as_an_argument_or_from_stdin(
    shell: Shell, arguments: tuple[str, ...], stdin: str, expected: str
) -> None:
    assert shell.run("query", "basic", *arguments, stdin=stdin).status == 0
    assert shell.project.asked[0][0].text == expected


@pytest.mark.parametrize(("arguments", "stdin"), [(("",), ""), (("  ",), ""), (("-",), "\n"), ((), "")])
def test_an_empty_question_is_refused(shell: Shell, arguments: tuple[str, ...], stdin: str) -> None:
    done = shell.run("query", "local", *arguments, stdin=stdin)
    assert (done.status, done.out) == (2, "")
    assert "question is empty" in done.err
    assert "hint:" in done.err


@pytest.mark.parametrize("flag", ["--deadline", "--max-cost"])
def test_an_infinite_limit_is_refused(shell: Shell, flag: str) -> None:
    done = shell.run("query", "local", "Who led?", flag, "inf")
    assert (done.status, done.out) == (2, "")
    assert f"{flag} inf is no limit" in done.err


def test_no_question_at_a_terminal_is_refused_without_waiting(shell: Shell) -> None:
    class Keyboard:
        def isatty(self) -> bool:
            return True

    shell.monkeypatch.setattr("graphrag_cli.cli.asking.request.sys.stdin", Keyboard(), raising=False)
    from graphrag_cli.cli.asking.request import read_question

    with pytest.raises(CliError, match="no question"):
        read_question(None)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SettingsError("no settings.yaml here", hint="graphrag-cli init"), 3),
        (IndexDataError("entities.parquet is missing", hint="run the indexer"), 4),
        (AuthError("401 from the server", hint="check the key"), 5),
        (KeyboardInterrupt(), 130),
    ],
)
def test_an_error_has_a_message_a_hint_a_status_and_no_data(
    shell: Shell, error: CliError | KeyboardInterrupt, status: int
) -> None:
    shell.play(error)
    done = shell.run("query", "local", "Who led?")
    assert (done.status, done.out) == (status, "")
    if isinstance(error, CliError):
        assert done.err == f"error: {error.message}\nhint: {error.hint}\n"
    assert shell.project.closed == 1


def test_an_error_is_a_document_for_programs(shell: Shell) -> None:
    shell.play(AuthError("401 from the server", hint="check the key"))
    done = shell.run("query", "local", "Who led?", "--format", "json")
    assert json.loads(done.out) == {
        "schema": "graphrag-cli/error/1",
        "error": {
            "code": "model.auth",
            "message": "401 from the server",
            "hint": "check the key",
            "exit_status": 5,
        },
    }


def test_an_error_is_the_last_line_of_jsonl(shell: Shell) -> None:
    shell.play(*events(answer())[:6], AuthError("401 from the server"))
    done = shell.run("query", "local", "Who led?", "--format=jsonl")
    last = json.loads(done.out.splitlines()[-1])
    assert (last["kind"], last["error"]["code"]) == ("run_failed", "model.auth")


def test_a_partial_answer_is_shown_with_status_6(shell: Shell) -> None:
    shell.play(*events(partial(answer())))
    done = shell.run("query", "local", "Who led?")
    assert (done.status, done.out) == (6, TEXT + "\n")
    assert "partial answer: batch 3: 500 from the server" in done.err


def test_an_answer_cut_off_ends_its_line_before_the_error(shell: Shell) -> None:
    shell.play(TextDelta("Amundsen led"), AuthError("gone"))
    done = shell.run("query", "local", "Who led?")
    assert (done.status, done.out) == (5, "Amundsen led\n")


def test_bad_citations_fail_when_asked_to(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "--fail-on-bad-citations")
    assert done.status == 6
    assert "1 citation does not resolve: sources (99)" in done.err


def test_no_stream_prints_the_same_answer(shell: Shell) -> None:
    assert shell.run("query", "local", "Who led?", "--no-stream").out == TEXT + "\n"
    assert shell.project.asked[0][0].stream is False


def test_an_answer_that_did_not_stream_is_printed_all_the_same(shell: Shell) -> None:
    shell.play(RunFinished(answer()))
    assert shell.run("query", "local", "Who led?").out == TEXT + "\n"


def test_context_only_prints_the_context(shell: Shell) -> None:
    shell.play(RunFinished(replace(answer(), text="", citations=())))
    done = shell.run("query", "local", "Who led?", "--context-only")
    assert shell.project.asked[0][0].context_only
    assert done.out.splitlines()[0].startswith("entities")
    assert "57 of 3000 tokens, 1 in, 9 left out" in done.out
    assert "similarity 0.712, rank 1" in done.out
    assert "cut to fit" in done.out


def test_explain_and_prompt_and_usage_are_conversation(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "--explain", "--show-prompt", "--usage")
    assert done.out == TEXT + "\n"
    assert "similarity 0.712, rank 1" in done.err
    assert "You answer from the data below." in done.err
    assert "1 call, 4 200 prompt + 310 output tokens, 1 embedding call of 6 tokens, $0.0123" in done.err


THOUGHT = (
    Reasoning("Which batch?\n", "map/1"),
    Reasoning("They said\x1b]0;owned\x07 Amun"),
    Reasoning("dsen.\x1b[31m\nSo [red]him[/red]"),
)


@pytest.mark.parametrize("form", ["text", "markdown", "json", "jsonl"])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_reasoning_goes_to_stderr_and_never_to_stdout(shell: Shell, form: str, stream: str) -> None:
    asked = ("query", "local", "Who led?", "--format", form, stream)
    shell.play(*events(answer()))
    without = shell.run(*asked, "--show-reasoning")
    first, *rest = events(answer())
    shell.play(first, *THOUGHT, *rest)
    assert shell.run(*asked).err == without.err
    done = shell.run(*asked, "--show-reasoning", "--quiet")
    assert done.out == without.out
    assert done.err.splitlines() == [
        "--- reasoning of map/1 ---",
        "Which batch?",
        "--- end ---",
        "--- reasoning ---",
        "They said Amundsen.",
        "So [red]him[/red]",
        "--- end ---",
    ]


def test_reasoning_of_a_run_that_fails_is_shown_to_its_end(shell: Shell) -> None:
    shell.play(*THOUGHT, ModelError("broke off"))
    done = shell.run("query", "local", "Who led?", "--show-reasoning")
    assert done.err.splitlines()[-3:] == ["So [red]him[/red]", "--- end ---", "error: broke off"]


def test_flags_reach_the_question(shell: Shell) -> None:
    shell.run(
        "query", "local", "Who led?", "--community-level", "deepest", "--response-type", "one word", "--seed", "7",
        "--include-entity", "A", "--include-entity", "B", "--exclude-entity", "C", "--entity-type", "SHIP",
        "--document", "d", "--since", "1911-01-01", "--until", "1912-01-01", "--max-calls", "3",
        "--max-tokens", "900", "--max-cost", "0.5", "--deadline", "10",
    )  # fmt: skip
    question, method = shell.project.asked[0]
    assert method == "local"
    assert (question.community_level, question.response_type, question.seed) == ("deepest", "one word", 7)
    assert (question.include_entities, question.exclude_entities) == (("A", "B"), ("C",))
    assert (question.filters.documents, question.filters.entity_types) == (("d",), ("SHIP",))
    assert (question.filters.since, question.filters.until) == ("1911-01-01", "1912-01-01")
    assert (question.limits.max_calls, question.limits.max_tokens) == (3, 900)
    assert (question.limits.max_cost, question.limits.deadline) == (0.5, 10)


def test_flags_reach_the_project(shell: Shell) -> None:
    shell.run(
        "query", "global", "Who?", "--root", "p", "--config", "s.yaml", "--data", "a", "--data", "b",
        "--set", "seed=1", "--allow-general-knowledge", "--dynamic-community-selection",
    )  # fmt: skip
    where = shell.project.where
    assert (where.root, where.config, where.data) == (Path("p"), Path("s.yaml"), ("a", "b"))
    assert where.overrides == ("seed=1", "global_search.allow_general_knowledge=true")
    assert shell.project.asked[0][0].dynamic


def test_a_level_that_is_none_is_refused(shell: Shell) -> None:
    done = shell.run("query", "local", "Who?", "--community-level", "deep")
    assert done.status == 2
    assert "'deep'" in done.err


async def test_a_renderer_that_fails_leaves_no_run_behind() -> None:
    ended: list[str] = []

    async def run() -> AsyncIterator[Event]:
        try:
            for event in events(answer()):
                yield event
        finally:
            ended.append("stopped")

    class Broken:
        def show(self, event: Event) -> None:
            raise UsageError("the disk is full")

        def close(self) -> None:
            ended.append("closed")

    with pytest.raises(UsageError, match="disk"):
        await follow(run(), [Broken()])
    assert ended == ["closed", "stopped"]
