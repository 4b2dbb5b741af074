"""Running the command line inside the test process over a project that plays a script."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from graphrag_cli.cli.boundary import run
from graphrag_cli.errors import CliError
from graphrag_cli.events import Event
from tests.cli.fakes import FakeProject, answer, events


@pytest.fixture(autouse=True)
def own_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Sessions of the person who runs the tests are left alone."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@dataclass
class Outcome:
    """What a command line did."""

    status: int
    out: str
    err: str


class Terminal(io.StringIO):
    """A stream that a person seems to look at."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@dataclass
class Shell:
    """Runs command lines; ``project`` is what they find."""

    monkeypatch: pytest.MonkeyPatch
    """For environments; the streams are replaced for each run."""
    project: FakeProject

    def play(self, *script: Event | CliError | KeyboardInterrupt) -> None:
        self.project.script = script

    def run(self, *arguments: str, stdin: str = "", terminal: bool = False, width: int = 80) -> Outcome:
        return run_in_process(*arguments, stdin=stdin, terminal=terminal, width=width)


def run_in_process(*arguments: str, stdin: str = "", terminal: bool = False, width: int = 80) -> Outcome:
    """Runs a command line over the real parts."""
    make: Callable[[], io.StringIO] = Terminal if terminal else io.StringIO
    out, err = make(), make()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", str(width))
        patch.setenv("LINES", "24")
        if terminal:
            patch.setenv("TERM", "xterm-256color")
        status = run(arguments)
    return Outcome(status, out.getvalue(), err.getvalue())


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    project = FakeProject(events(answer()))
    monkeypatch.setattr("graphrag_cli.project.Project", project)
    return Shell(monkeypatch, project)
