"""``--state FILE``: the graph of a drift run on disk, whole after every change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_cli.events import Event, RunFinished, StateChanged

if TYPE_CHECKING:
    from graphrag_cli.events import Json


class StateRenderer:
    """Writes the state so that a run killed at any moment leaves what it had.

    Raises ``UsageError`` at once when ``path`` cannot be written: not after the first calls were paid for.
    """

    def __init__(self, path: Path) -> None:
        from graphrag_cli.cli.terminal.sink import check_writable

        check_writable(path)
        self._path = path

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case StateChanged(state):
                self._write(state)
            case RunFinished(answer) if answer.drift is not None:
                self._write(answer.drift)
            case _:
                pass

    def close(self) -> None:
        """Nothing is live."""

    def _write(self, state: Json) -> None:
        from graphrag_cli.cli.terminal.sink import Sink
        from graphrag_cli.engines.drift.document import dump_state

        with Sink(self._path) as sink:
            sink.write(dump_state(state))
