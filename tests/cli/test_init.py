"""``init``: a project that works as it stands."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import run_in_process


def test_with_the_sample_a_question_is_answered_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "try"
    begun = run_in_process("init", str(folder), "--sample")
    assert (begun.status, begun.out) == (0, "")
    assert "Ask it something" in begun.err
    asked = run_in_process("query", "basic", "What did the ponies eat?", "--root", str(folder), "-q")
    assert asked.status == 0
    assert "[Data: Sources" in asked.out
    assert run_in_process("config", "check", "--root", str(folder)).status == 0


def test_the_prompts_written_are_the_ones_used(tmp_path: Path) -> None:
    run_in_process("init", str(tmp_path / "p"), "--sample")
    prompt = tmp_path / "p" / "prompts" / "basic.md"
    prompt.write_text("A prompt of my own. {context_data}", encoding="utf-8")
    done = run_in_process("query", "basic", "Who?", "--root", str(tmp_path / "p"), "--show-prompt")
    assert "A prompt of my own." in done.err


def test_without_the_sample_it_says_what_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert "recipes" in run_in_process("init", str(folder)).err
    assert not (folder / "sample_index").exists()
    done = run_in_process("query", "local", "Who?", "--root", str(folder))
    assert done.status == 4
    assert str(folder / "output") in done.err


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("mine", encoding="utf-8")
    done = run_in_process("init", str(tmp_path))
    assert done.status == 2
    assert [path.name for path in tmp_path.iterdir()] == ["settings.yaml"]
    assert (tmp_path / "settings.yaml").read_text(encoding="utf-8") == "mine"


def test_a_question_where_there_is_no_project_says_so(tmp_path: Path) -> None:
    done = run_in_process("query", "local", "Who?", "--root", str(tmp_path))
    assert (done.status, done.out) == (3, "")
    assert "graphrag-cli init" in done.err


def test_what_is_to_be_typed_next_can_be_typed(tmp_path: Path) -> None:
    told = run_in_process("init", str(tmp_path / "my project"), "--sample").err
    assert f"graphrag-cli doctor --root '{tmp_path}/my project'" in told
