"""What is going on, on stderr: notices as they come, and on a terminal a status line and the tree of questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.cli.plain import plain_line
from graphrag_cli.cli.render.steps import StepTree
from graphrag_cli.events import (
    Event,
    Method,
    Notice,
    RunFinished,
    RunStarted,
    StageProgress,
    StepFinished,
    StepStarted,
    TextDelta,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from graphrag_cli.cli.console import Consoles

_STAGES = {
    "load": "reading the index",
    "embed": "embedding the question",
    "rewrite": "rewriting the question",
    "context": "building the context",
    "answer": "writing the answer",
    "rate": "rating reports",
    "map": "asking the reports",
    "reduce": "writing the answer",
    "hyde": "imagining an answer",
    "primer": "asking the overview",
    "step": "following up",
}
"""Stages in words."""


@dataclass(frozen=True, slots=True)
class _Stage:
    name: str
    began: float
    done: int = 0
    total: int | None = None
    detail: str = ""


class NoticeRenderer:
    """Every notice as a line on stderr, and with ``--verbose`` every stage that ends, with its seconds."""

    def __init__(self, consoles: Consoles, clock: Callable[[], float] = time.monotonic) -> None:
        self._consoles = consoles
        self._clock = clock
        self._stage: _Stage | None = None

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case Notice(_, text):
                self._consoles.say(f"note: {text}", style="yellow")
            case StageProgress() if self._consoles.verbose:
                self._enter(event.stage)
            case StepFinished(state="failed") if self._consoles.verbose:
                self._consoles.say(f"failed: {event.stage} {event.step_id}: {event.error}", style="red")
            case RunFinished():
                self._enter(None)
            case _:
                pass

    def close(self) -> None:
        """Nothing is live."""

    def _enter(self, name: str | None) -> None:
        if self._stage is not None and self._stage.name != name:
            seconds = self._clock() - self._stage.began
            self._consoles.say(
                f"{_STAGES.get(self._stage.name, self._stage.name)}: {seconds:.2f} s", style="dim"
            )
            self._stage = None
        if name is not None and self._stage is None:
            self._stage = _Stage(name, self._clock())


class ProgressRenderer:
    """A live status line on a terminal, with the tree of questions above it for drift.

    It is gone before the first word of the answer when ``until_text``, else when the run ends.
    """

    def __init__(
        self, consoles: Consoles, *, until_text: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._consoles = consoles
        self._until_text = until_text
        self._clock = clock
        self._began = clock()
        self._stage = _Stage("load", self._began)
        self._method: Method | None = None
        self._tree = StepTree()
        self._live: Live | None = None
        self._start()

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case RunStarted():
                self._method = event.method
            case StageProgress(stage, done, total, detail):
                began = self._stage.began if stage == self._stage.name else self._clock()
                self._stage = _Stage(stage, began, done, total, detail)
            case StepStarted() | StepFinished():
                self._tree.take(event)
            case TextDelta() if self._until_text:
                self.close()
            case RunFinished():
                self.close()
            case _:
                pass

    def close(self) -> None:
        """Takes the status line away."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def status(self) -> str:
        """The status line in words: stage, k of n, detail, seconds since the run began."""
        stage = self._stage
        parts = [_STAGES.get(stage.name, plain_line(stage.name))]
        if stage.total:
            parts.append(f"{stage.done} of {stage.total}")
        if stage.detail:
            parts.append(plain_line(stage.detail))
        if self._method == "drift" and self._tree.size:
            parts.append(self._tree.summary())
        return f"{', '.join(parts)}  {self._clock() - self._began:.0f} s"

    def _start(self) -> None:
        from rich.live import Live

        self._live = Live(
            console=self._consoles.err,
            get_renderable=self._renderable,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def _renderable(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        console = self._consoles.err
        line = Text(self.status(), style="dim", no_wrap=True, overflow="ellipsis")
        if self._method != "drift" or not self._tree.size:
            return line
        return Group(self._tree.render(self._consoles.symbols, rows=max(console.height - 3, 3)), line)
