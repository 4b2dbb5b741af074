"""What the model thought before it replied, on stderr: dim, line by line as it comes, apart from the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_cli.cli.terminal.console import print_prose
from graphrag_cli.cli.terminal.plain import PlainStream, plain_line
from graphrag_cli.events import Event, Reasoning, RunFinished, TextDelta

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.console import Consoles


class ReasoningRenderer:
    """Comes before the renderer of the answer, so that a block ends before the first word of it.

    What a model thinks after that word waits for the end where both go to the same place.
    """

    def __init__(self, consoles: Consoles) -> None:
        self._consoles = consoles
        self._block: str | None = None
        """Title of the block that is open."""
        self._safe = PlainStream()
        self._line = ""
        self._waits = False
        self._waiting: list[str] = []

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case Reasoning(text, step_id):
                self._open("reasoning" if step_id is None else f"reasoning of {plain_line(step_id)}")
                self._take(self._safe.feed(text))
            case TextDelta():
                self._end()
                self._waits = self._consoles.share_a_place
            case RunFinished():
                self._end()
            case _:
                pass

    def close(self) -> None:
        """Ends the block, and says what waited."""
        self._end()
        self._waits = False
        waiting, self._waiting = self._waiting, []
        self._say(waiting)

    def _open(self, title: str) -> None:
        if self._block != title:
            self._end()
            self._block = title
            self._say([f"--- {title} ---"])

    def _take(self, text: str) -> None:
        *lines, self._line = (self._line + text).split("\n")
        self._say(lines)

    def _end(self) -> None:
        if self._block is None:
            return
        self._take(self._safe.close())
        self._say([self._line] if self._line else [])
        self._say(["--- end ---"])
        self._block, self._line = None, ""

    def _say(self, lines: list[str]) -> None:
        if self._waits:
            self._waiting += lines
        else:
            for line in lines:
                print_prose(self._consoles.err, line, style="dim")
