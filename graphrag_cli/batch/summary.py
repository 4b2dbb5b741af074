"""What came of a batch so far: counts, calls, tokens, cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from graphrag_cli.batch.line import Done, LineStatus
from graphrag_cli.events import StageUsage


@dataclass(slots=True)
class Tally:
    """Adds up lines as they come."""

    total: int
    """Questions of this run; those kept from an earlier one are not among them."""
    kept: int = 0
    statuses: Counter[LineStatus] = field(default_factory=Counter["LineStatus"])
    usage: StageUsage = field(default_factory=StageUsage)
    cost_usd: float | None = 0.0
    """None once the cost of one is not known."""

    def add(self, done: Done) -> None:
        """Counts one line."""
        self.statuses[done.status] += 1
        self.usage = self.usage + done.usage.total
        if done.error is None and self.cost_usd is not None:
            cost = done.usage.cost_usd
            self.cost_usd = None if cost is None else self.cost_usd + cost

    @property
    def done(self) -> int:
        """Questions that have their line."""
        return self.statuses.total()

    @property
    def failed(self) -> int:
        """Questions whose line is an error."""
        return self.statuses["failed"]

    @property
    def tokens(self) -> int:
        """Tokens of prompts and replies."""
        return self.usage.prompt_tokens + self.usage.output_tokens

    @property
    def whole(self) -> bool:
        """True when nothing failed, not even a part."""
        return not self.statuses["failed"] and not self.statuses["partial"]
