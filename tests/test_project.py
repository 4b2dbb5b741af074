from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import graphrag_cli
from graphrag_cli import Project
from graphrag_cli.config.load import Where
from graphrag_cli.engines.models import RunOptions
from graphrag_cli.errors import LimitError, SettingsError, UsageError
from graphrag_cli.events import RunFinished, TextDelta
from graphrag_cli.llm.around.purse import Limits
from tests.sample import ROOT

ASKED = "When did the Terra Nova leave Cardiff?"
SCRIPTED = (
    'completion_models.default_completion_model={"provider": "scripted", "model": "told", "path": "replies.jsonl"}',
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The sample index with a model that says what it is told."""
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"reply": "On 15 June 1910 [Data: Sources (1)]."}\n', encoding="utf-8")
    script = SCRIPTED[0].replace("replies.jsonl", str(replies))
    return Project.open(Where(root=ROOT, overrides=(script,)))


async def test_a_question_is_answered(project: Project) -> None:
    async with project:
        answer = await project.ask(ASKED, method="basic")
    assert (answer.status, answer.question, answer.method) == ("answered", ASKED, "basic")
    assert answer.citations[0].documents


async def test_events_come_as_they_happen(project: Project) -> None:
    kinds = [type(event) async for event in project.stream(ASKED, method="local")]
    assert kinds[-1] is RunFinished
    assert TextDelta in kinds


def test_a_program_without_an_event_loop_can_ask_many_times(project: Project) -> None:
    with project:
        first = project.ask_sync(ASKED, method="basic")
        second = project.ask_sync(ASKED, method="basic")
    assert first.text == second.text
    project.close()


async def test_a_program_inside_an_event_loop_is_told_to_await(project: Project) -> None:
    with pytest.raises(UsageError, match="event loop"):
        project.ask_sync(ASKED, method="basic")


def test_all_questions_of_a_project_share_its_limits(project: Project) -> None:
    bounded = Project(project.loaded, RunOptions(limits=Limits(max_calls=1)))
    with bounded:
        bounded.ask_sync(ASKED, method="basic")
        with pytest.raises(LimitError):
            bounded.ask_sync(ASKED, method="local")
        assert bounded.purse.usage.llm_calls == 1
        assert isinstance(bounded.purse.exhausted, LimitError)


def test_a_whole_document_is_no_question(project: Project) -> None:
    with project, pytest.raises(UsageError, match="characters"):
        project.question("word " * 20_000)


def test_single_options_are_changed_with_replace(project: Project) -> None:
    asked = replace(project.question(ASKED), response_type="one sentence", context_only=True)
    with project:
        answer = project.ask_sync(asked, method="local")
    assert (answer.text, bool(answer.context["entities"])) == ("", True)


def test_the_context_comes_as_frames(project: Project) -> None:
    with project:
        frames = project.ask_sync(ASKED, method="local").frames()
    assert set(frames) == {"reports", "entities", "relationships", "claims", "sources"}
    assert list(frames["entities"].columns) == ["id", "entity", "description", "number of relationships"]


def test_a_folder_without_a_project_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="settings"):
        Project.open(tmp_path)


def test_the_package_has_nothing_else() -> None:
    with pytest.raises(AttributeError, match="Engine"):
        _ = graphrag_cli.Engine
