"""A batch on stderr: a bar while it runs, failures as they come, a summary at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphrag_cli.batch.line import Done
from graphrag_cli.batch.summary import Tally
from graphrag_cli.cli.render.usage import cost, plural, spaced

if TYPE_CHECKING:
    from rich.text import Text

    from graphrag_cli.cli.render.live import LiveArea
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.llm.around.purse import Purse

_BAR = 24
"""Columns of the bar, on a screen of four times as many or more."""
_STATUSES = ("answered", "no_data", "partial", "failed")


class BatchView:
    """Follows a batch. Use inside a running event loop; ``close`` prints the summary."""

    def __init__(
        self, consoles: Consoles, tally: Tally, purse: Purse, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``purse`` knows what was spent, by questions that failed too."""
        self._consoles = consoles
        self._tally = tally
        self._purse = purse
        self._clock = clock
        self._began = clock()
        self._area: LiveArea | None = None
        if consoles.live_err:
            from graphrag_cli.cli.render.live import LiveArea

            self._area = LiveArea(consoles.err, self._bar, ticking=True)

    def tell(self, done: Done) -> None:
        """Takes a question that ended."""
        self._tally.add(done)
        if done.error is not None:
            self._consoles.say(f"failed: {done.id}: {done.error.message}", style="red")
        elif self._consoles.verbose:
            self._consoles.say(f"{done.status}: {done.id} in {done.seconds:.1f} s", style="dim")

    def close(self) -> None:
        """Takes the bar away and says what came of it."""
        if self._area is not None:
            self._area.stop()
            self._area = None
        self._consoles.say(self.summary())

    def summary(self) -> str:
        """``200 questions: 197 answered, 3 failed; 412 calls, 1 203 400 tokens, $1.23; 34 s, 5.8 a second``."""
        tally, seconds = self._tally, self._clock() - self._began
        named = [
            f"{tally.statuses[status]} {status.replace('_', ' ')}"
            for status in _STATUSES
            if tally.statuses[status]
        ]
        if tally.kept:
            named.append(f"{tally.kept} kept from before")
        if tally.undone:
            named.append(f"{tally.undone} not asked")
        asked = f"{plural(tally.total + tally.kept, 'question')}: {', '.join(named)}"
        calls = plural(self._purse.usage.llm_calls, "call")
        spent = f"{calls}, {plural(self._tokens, 'token')}, {cost(self._purse.cost)}"
        return f"{asked}; {spent}; {_duration(seconds)}, {self._rate(seconds):.1f} a second"

    def _bar(self) -> Text:
        from rich.text import Text

        tally, symbols, seconds = self._tally, self._consoles.symbols, self._clock() - self._began
        bar = min(_BAR, self._consoles.err.width // 4)
        filled = round(bar * tally.done / tally.total) if tally.total else bar
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(symbols.full * filled, style="green")
        line.append(symbols.half * (bar - filled), style="dim")
        line.append(f"  {tally.done} of {tally.total}", style="bold")
        rate = self._rate(seconds)
        if rate:
            line.append(f"  {rate:.1f}/s  {_duration(tally.undone / rate)} left", style="dim")
        if tally.failed:
            line.append(f"  {tally.failed} failed", style="red")
        line.append(f"  {spaced(self._tokens)} tokens", style="dim")
        if self._purse.cost:
            line.append(f"  {cost(self._purse.cost)}", style="dim")
        return line

    @property
    def _tokens(self) -> int:
        return self._purse.usage.prompt_tokens + self._purse.usage.output_tokens

    def _rate(self, seconds: float) -> float:
        return self._tally.done / seconds if seconds > 0 else 0.0


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
