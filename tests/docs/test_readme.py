from __future__ import annotations

import re
import shlex

import pytest

from tests.docs.generated import README, ROOT, regenerate

TEXT = README.read_text(encoding="utf-8")
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def commands() -> list[str]:
    """README's shell lines."""
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_the_generated_parts_are_up_to_date() -> None:
    assert regenerate(TEXT) == TEXT, "run: python -m tests.docs.generated"


def test_ci_runs_the_test_command_as_it_stands() -> None:
    (command,) = [line for line in commands() if line.endswith("pytest")]
    for part in command.split(" && "):
        assert part in CI


def test_ci_runs_the_main_job_as_it_stands() -> None:
    command = commands()[0]
    for part in command.split(" && "):
        assert part in CI


def test_every_command_shown_can_be_split_by_a_shell() -> None:
    for line in commands():
        assert shlex.split(line)


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", TEXT):
        assert (ROOT / target).exists(), target


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    monkeypatch.chdir(ROOT)
    found: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), found)
    assert "[Data:" in capsys.readouterr().out
    assert "entities" in found
