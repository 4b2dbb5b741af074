"""Notices on stderr as they come, and with ``--verbose`` each stage when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.events import Event, Notice, RunFinished, StageProgress, StepFinished, TextDelta

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.console import Consoles

_STAGES = {
    "load": "reading the index",
    "prepare": "preparing the index (once)",
    "embed": "embedding the question",
    "rewrite": "rewriting the question",
    "select": "choosing what to read",
    "retrieve": "looking things up",
    "resume": "taking up the questions",
    "context": "building the context",
    "answer": "writing the answer",
    "rate": "rating reports",
    "map": "asking the reports",
    "reduce": "writing the answer",
    "hyde": "imagining an answer",
    "primer": "asking the overview",
    "step": "following up",
}


def stage_in_words(stage: str) -> str:
    """What a stage does, for people."""
    return _STAGES.get(stage, plain_line(stage))


class NoticeRenderer:
    """Comes after the renderer of the answer: while that one writes to the same place, notices wait.

    They would stand in the middle of a line of the answer, or be drawn over.
    """

    def __init__(self, consoles: Consoles, clock: Callable[[], float] = time.monotonic) -> None:
        self._consoles = consoles
        self._clock = clock
        self._stage = ""
        self._began = 0.0
        self._waits = False
        self._waiting: list[tuple[str, str]] = []

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case Notice(_, text):
                self._say(f"note: {text}", "yellow")
            case StageProgress() if self._consoles.verbose:
                self._enter(event.stage)
            case StepFinished(state="failed") if self._consoles.verbose:
                self._say(f"failed: {event.stage} {event.step_id}: {event.error}", "red")
            case TextDelta():
                self._waits = self._consoles.share_a_place
            case RunFinished():
                self._enter("")
                self.close()
            case _:
                pass

    def close(self) -> None:
        """Says what waited."""
        self._waits = False
        waiting, self._waiting = self._waiting, []
        for text, style in waiting:
            self._consoles.say(text, style=style)

    def _say(self, text: str, style: str) -> None:
        if self._waits:
            self._waiting.append((text, style))
        else:
            self._consoles.say(text, style=style)

    def _enter(self, stage: str) -> None:
        if self._stage and self._stage != stage:
            self._say(f"{stage_in_words(self._stage)}: {self._clock() - self._began:.2f} s", "dim")
        if self._stage != stage:
            self._stage, self._began = stage, self._clock()
