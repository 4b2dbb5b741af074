"""``docs/``: a page per command, its help as it is, its examples as they run."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from graphrag_cli.cli.app import Root, app
from graphrag_cli.cli.lazy import load
from tests.docs.pages import COMMANDS, DOCS, Desk, console_lines, help_of, pages, with_help

NAMES = sorted(Root.table)


def spoken(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def words_of(name: str) -> list[str]:
    """The command, and each command in it."""
    inner: dict[str, Any] = getattr(load(name, Root.table[name]), "commands", {})
    return [name, *(f"{name} {sub}" for sub in inner)]


ALL = [words for name in NAMES for words in words_of(name)]


def examples(words: str) -> list[str]:
    return re.findall(r"^    \$ (.*)$", help_of(words), re.M)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_a_page_with_the_help_of_each_part(name: str) -> None:
    text = spoken(COMMANDS / f"{name}.md")
    assert re.findall(r"<!-- help: ([\w -]+) -->", text) == words_of(name)
    assert f"({name}.md)" in spoken(COMMANDS / "README.md")


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_the_help_on_a_page_is_the_help(path: Path) -> None:
    """``python -m tests.docs.pages help`` writes it anew."""
    assert spoken(path) == with_help(spoken(path))


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_the_examples_on_a_page_run(path: Path, tmp_path: Path) -> None:
    desk = Desk.make(tmp_path / "desk")
    for line in console_lines(spoken(path)):
        done = desk.run(f"set -o pipefail; {line}")
        assert done.returncode == 0, f"{line}\n{done.stdout}"


@pytest.mark.parametrize("words", ALL)
def test_every_help_has_examples_and_they_parse(words: str) -> None:
    found = examples(words)
    assert found
    for example in found:
        for part in re.split(r"\||&&", example):
            arguments = shlex.split(part.split(">")[0].strip().removeprefix('eval "$(').removesuffix(')"'))
            if arguments and arguments[0] == "graphrag-cli":
                parse(arguments[1:])


def parse(arguments: list[str]) -> None:
    """Reads the arguments as the command would, and stops there."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("graphrag-cli", list(arguments))
    while isinstance(command, TyperGroup):
        _, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(command.name, rest, parent=context)


def test_the_python_examples_run_one_after_the_other(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", spoken(DOCS / "python.md"), re.DOTALL)
    assert len(blocks) >= 4
    desk = Desk.make(tmp_path / "desk")
    script = tmp_path / "examples.py"
    script.write_text("\n\n".join(blocks), encoding="utf-8")
    # The examples name the folder as seen from beside it.
    done = desk.run(f"cd .. && {shlex.quote(sys.executable)} -W error {shlex.quote(str(script))}")
    assert done.returncode == 0, done.stdout
    assert "answered" in done.stdout


def test_links_between_pages_lead_somewhere() -> None:
    for path in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)\)", spoken(path)):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
