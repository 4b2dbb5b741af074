"""``query drift`` with its state, and ``drift show`` and ``export``, over the sample index with the embedded models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, Shell, run_in_process

REPOSITORY = Path(__file__).parents[2]
QUESTION = "Why did one party live and the other die?"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("drift") / "state.json"
    done = ask(QUESTION, "--depth", "1", "--followups", "2", "--state", str(path), "-q")
    assert done.status == 0, done.err
    return path


def ask(*arguments: str) -> Outcome:
    return run_in_process("query", "drift", *arguments, "--root", str(REPOSITORY))


def nodes(path: Path) -> list[dict[str, object]]:
    return json.loads(path.read_text(encoding="utf-8"))["nodes"]


def test_the_state_is_on_disk_with_depth_and_followups_as_asked(state: Path) -> None:
    document = json.loads(state.read_text(encoding="utf-8"))
    assert document["query"] == QUESTION
    assert (document["settings"]["n_depth"], document["settings"]["drift_k_followups"]) == (1, 2)
    assert 1 <= sum(node["order"] is not None for node in nodes(state)) <= 3


def test_going_on_needs_no_question_and_asks_only_what_is_new(state: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.json"
    done = ask("--resume", str(state), "--depth", "2", "--followups", "2", "--state", str(more), "-q")
    assert done.status == 0, done.err
    before = {node["id"]: node["answer"] for node in nodes(state) if node["state"] == "answered"}
    after = {node["id"]: node["answer"] for node in nodes(more) if node["state"] == "answered"}
    assert before.items() <= after.items()
    assert len(after) > len(before)


def test_show_is_a_tree_with_scores(state: Path) -> None:
    done = run_in_process("drift", "show", str(state))
    first, second = done.out.splitlines()[:2]
    assert QUESTION in first
    assert "score" in first
    assert second.startswith("  ")
    assert "calls" in done.err
    assert len(run_in_process("drift", "show", str(state), "--all").out) >= len(done.out)


@pytest.mark.parametrize(
    ("form", "begins"),
    [("json", "{"), ("graphml", "<?xml"), ("dot", "digraph"), ("mermaid", "flowchart"), ("html", "<!")],
)
def test_export_writes_every_form(state: Path, tmp_path: Path, form: str, begins: str) -> None:
    done = run_in_process("drift", "export", str(state), "--to", form)
    assert done.out.lower().startswith(begins)
    target = tmp_path / "out"
    run_in_process("drift", "export", str(state), "--to", form, "-o", str(target))
    assert target.read_text(encoding="utf-8") == done.out


@pytest.mark.parametrize("target", ["", "no/state.json"])
def test_a_state_that_cannot_be_written_is_refused_before_anything_is_asked(
    shell: Shell, tmp_path: Path, target: str
) -> None:
    done = shell.run("query", "drift", "Who led?", "--state", str(tmp_path / target))
    assert (done.status, done.out, shell.project.asked) == (2, "", [])
    assert "cannot write" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("one", "other"), [("--state", "--output"), ("--record", "--output"), ("--state", "--record")]
)
def test_two_flags_do_not_write_the_same_file(shell: Shell, tmp_path: Path, one: str, other: str) -> None:
    same, again = tmp_path / "file", tmp_path / "." / "file"
    done = shell.run("query", "drift", "Who led?", one, str(same), other, str(again))
    assert (done.status, shell.project.asked) == (2, [])
    assert f"{one} and {other} name the same file" in done.err or f"{other} and {one} name" in done.err


def test_a_recording_does_not_overwrite_the_state_to_go_on_from(shell: Shell, state: Path) -> None:
    before = state.read_bytes()
    assert shell.run("query", "drift", "--resume", str(state), "--record", str(state)).status == 2
    assert state.read_bytes() == before


@pytest.mark.parametrize("content", ["", "{}", '{"nodes": 1}', "[1]", "[" * 100_000])
def test_a_file_that_is_no_state_is_a_usage_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    done = run_in_process("drift", "show", str(path))
    assert (done.status, done.out) == (2, "")
    assert "hint:" in done.err
