"""How many questions of a batch ended in which way so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from graphrag_cli.batch.line import Done, LineStatus


@dataclass(slots=True)
class Tally:
    """Counts lines as they come."""

    total: int
    """Questions of this run; those kept from an earlier one are not among them."""
    kept: int = 0
    statuses: Counter[LineStatus] = field(default_factory=Counter["LineStatus"])

    def add(self, done: Done) -> None:
        """Counts one line."""
        self.statuses[done.status] += 1

    @property
    def done(self) -> int:
        """Questions that have their line."""
        return self.statuses.total()

    @property
    def undone(self) -> int:
        """Questions that have none yet."""
        return self.total - self.done

    @property
    def failed(self) -> int:
        """Questions whose line is an error."""
        return self.statuses["failed"]

    @property
    def whole(self) -> bool:
        """True when every question has its line and nothing failed, not even a part."""
        return not self.undone and not self.statuses["failed"] and not self.statuses["partial"]
