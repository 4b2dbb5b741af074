"""What is going on, drawn on a terminal: a status line, and for drift the tree of questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.cli.render.live import LiveArea
from graphrag_cli.cli.render.notices import stage_in_words
from graphrag_cli.cli.render.steps import StepTree
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.events import (
    Event,
    Method,
    RunFinished,
    RunStarted,
    StageProgress,
    StepFinished,
    StepStarted,
    TextDelta,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from graphrag_cli.cli.terminal.console import Consoles


@dataclass(frozen=True, slots=True)
class _Stage:
    name: str
    began: float
    done: int = 0
    total: int | None = None
    detail: str = ""


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
        self._live: LiveArea | None = LiveArea(consoles.err, self._renderable, ticking=True)

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
        parts = [stage_in_words(stage.name)]
        if stage.total:
            parts.append(f"{stage.done} of {stage.total}")
        if stage.detail:
            parts.append(plain_line(stage.detail))
        if self._method == "drift" and self._tree.size:
            parts.append(self._tree.summary())
        return f"{', '.join(parts)}  {self._clock() - self._began:.0f} s"

    def _renderable(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        console = self._consoles.err
        line = Text(self.status(), style="dim", no_wrap=True, overflow="ellipsis")
        if self._method != "drift" or not self._tree.size:
            return line
        return Group(self._tree.render(self._consoles.symbols, rows=max(console.height - 3, 3)), line)
