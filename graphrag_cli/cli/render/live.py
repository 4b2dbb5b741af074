"""A part of the terminal that is redrawn in place, all from one thread.

Rich would redraw from a thread of its own; drawing and printing at the same moment, both would believe that the cursor
is theirs, and lines would be lost. Here the event loop does both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.live import Live

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_INTERVAL = 0.08
"""Seconds between two drawings."""


class LiveArea:
    """Shows what ``draw`` returns, below what is printed; gone without a trace when stopped."""

    def __init__(
        self, console: Console, draw: Callable[[], RenderableType], *, ticking: bool = False
    ) -> None:
        """``ticking`` redraws all the time, for a clock; else only after ``touch``."""
        self._ticking = ticking
        self._due: asyncio.TimerHandle | None = None
        self._live = Live(
            console=console,
            get_renderable=draw,
            auto_refresh=False,
            transient=True,
            vertical_overflow="crop",
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start(refresh=True)
        if ticking:
            self.touch()

    def touch(self) -> None:
        """Something changed: it is drawn within a moment."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(_INTERVAL, self._draw)

    def stop(self) -> None:
        """Clears the area."""
        if self._due is not None:
            self._due.cancel()
        self._live.stop()

    def _draw(self) -> None:
        self._due = None
        self._live.refresh()
        if self._ticking:
            self.touch()
