"""``chat``, ``--session``, ``--continue`` and ``sessions``."""

from __future__ import annotations

import io
import json
import sys

import pytest

from graphrag_cli.cli.asking.chat import exit_status
from graphrag_cli.cli.boundary import run
from graphrag_cli.errors import AuthError, IndexDataError, ModelError
from graphrag_cli.events import TextDelta
from tests.cli.conftest import Shell, Terminal
from tests.cli.fakes import TEXT, answer, events, partial


def test_each_question_knows_those_before_it(shell: Shell) -> None:
    done = shell.run("chat", "local", "-q", stdin="Who led?\n\nWhat then?\n")
    assert done.status == 0
    assert done.out == (TEXT + "\n") * 2
    first, second = (question for question, _ in shell.project.asked)
    assert first.history == ()
    assert [turn.content for turn in second.history] == ["Who led?", TEXT]
    assert shell.project.closed == 1


def test_commands_change_method_forget_and_show_sources(shell: Shell) -> None:
    lines = [
        "/method drift",
        "Who?",
        "/sources",
        "/reset",
        "/method local",
        "What?",
        "/method x",
        "/bad",
        "/help",
        "/quit",
        "no",
    ]
    done = shell.run("chat", stdin="\n".join(lines))
    assert [(question.text, method) for question, method in shell.project.asked] == [
        ("Who?", "drift"),
        ("What?", "local"),
    ]
    assert shell.project.asked[1][0].history == ()
    assert '"They reached the pole."' in done.err
    for told in ("the conversation is forgotten", "there is no method x", "there is no /bad", "/sources"):
        assert told in done.err


def test_an_error_does_not_end_the_conversation(shell: Shell) -> None:
    shell.play(AuthError("401 from the server", hint="check the key"))
    done = shell.run("chat", stdin="Who?\nWhat?\n")
    assert done.status == 5
    assert done.err.count("error: 401 from the server\nhint: check the key\n") == 2
    assert len(shell.project.asked) == 2


def test_the_status_of_piped_questions_says_whether_all_or_some_failed() -> None:
    away, missing = ModelError("away"), IndexDataError("missing")
    assert exit_status(2, [], partial=False) == 0
    assert exit_status(2, [], partial=True) == 6
    assert exit_status(2, [away], partial=False) == 6
    assert exit_status(2, [away, missing], partial=False) == 5


def test_an_answer_in_part_has_its_status(shell: Shell) -> None:
    shell.play(*events(partial(answer())))
    assert shell.run("chat", stdin="Who?\n").status == 6


def test_retrieval_alone_is_no_turn_of_a_conversation(shell: Shell) -> None:
    shell.run("query", "local", "Who?", "--context-only", "--session", "pole")
    shell.run("chat", "--context-only", "--session", "pole", stdin="Who?\nWhat?\n")
    assert [question.history for question, _ in shell.project.asked] == [(), (), ()]
    assert shell.run("sessions", "list", "-f", "json").out == "[]\n"


def test_sources_asked_for_are_shown_however_quiet(shell: Shell) -> None:
    assert "Entities (5)" in shell.run("chat", "-q", stdin="Who?\n/sources\n").err


def test_the_prompt_is_no_data(shell: Shell) -> None:
    """``chat > answers.md`` from a terminal: the person sees where to type, and the file holds answers alone."""
    keyboard = Terminal("Who?\n")
    with pytest.MonkeyPatch.context() as patch:
        out, err = io.StringIO(), Terminal()
        for name, stream in (("stdin", keyboard), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        assert run(["chat", "local"]) == 0
    assert out.getvalue() == TEXT + "\n"
    assert err.getvalue().count("local> ") == 2


def test_ctrl_c_stops_the_answer_only(shell: Shell) -> None:
    shell.play(TextDelta("Amund"), KeyboardInterrupt())
    done = shell.run("chat", stdin="Who?\nWhat?\n")
    assert done.status == 0
    assert done.err.count("stopped") == 2


@pytest.mark.parametrize(
    "arguments",
    [("-f", "json"), ("-o", "x.md"), ("--fields", "answer"), ("--dry-run",), ("--fail-on-bad-citations",)],
)
def test_chat_does_not_take_flags_that_it_cannot_honour(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert shell.run("chat", *arguments, stdin="Who?\n").status == 2
    assert shell.project.asked == []


def test_help_of_chat_lists_no_flag_that_it_does_not_take(shell: Shell) -> None:
    told = shell.run("chat", "--help").out
    assert not [flag for flag in ("--output", "--fields", "--dry-run", "json|") if flag in told]


def test_a_session_is_kept_and_taken_up(shell: Shell) -> None:
    shell.run("query", "local", "Who led?", "--session", "pole")
    shell.run("query", "basic", "What then?", "--continue")
    assert [turn.content for turn in shell.project.asked[1][0].history] == ["Who led?", TEXT]
    listed = json.loads(shell.run("sessions", "list", "-f", "json").out)
    assert listed == [{"name": "pole", "questions": 2}]
    shown = shell.run("sessions", "show", "pole").out
    assert shown.count("## Who led?") == 2
    chat = shell.run("chat", "--session", "pole", stdin="And?\n")
    assert chat.status == 0
    assert len(shell.project.asked[2][0].history) == 4
    assert shell.run("sessions", "delete", "pole").status == 0
    assert shell.run("sessions", "show", "pole").status == 2


def test_a_question_that_failed_is_not_kept(shell: Shell) -> None:
    shell.play(AuthError("401"))
    shell.run("query", "local", "Who led?", "--session", "pole")
    assert shell.run("sessions", "list", "-f", "json").out == "[]\n"
    told = shell.run("sessions", "list")
    assert (told.status, told.out, told.err) == (0, "", "none kept\n")


def test_no_session_to_continue_is_told_before_anything_is_asked(shell: Shell) -> None:
    done = shell.run("query", "local", "Who led?", "--continue")
    assert done.status == 2
    assert "--session NAME" in done.err
    assert shell.project.asked == []


def test_without_a_session_nothing_is_kept(shell: Shell) -> None:
    shell.play(*events(answer()))
    shell.run("query", "local", "Who led?")
    shell.run("chat", stdin="Who?\n")
    assert shell.run("sessions", "list", "-f", "json").out == "[]\n"
