"""Calls that arrive while one is under way are made together: work that reads a lot reads it once for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

AskT = TypeVar("AskT")
GotT = TypeVar("GotT")


@dataclass(eq=False, slots=True)
class _Ticket(Generic[AskT, GotT]):
    asked: AskT
    got: list[GotT] = field(default_factory=list["GotT"])
    failed: BaseException | None = None

    @property
    def ended(self) -> bool:
        return bool(self.got) or self.failed is not None


class Coalesced(Generic[AskT, GotT]):
    """Call it from many threads with one thing each; ``make`` gets one thing or several and returns as many."""

    def __init__(self, make: Callable[[Sequence[AskT]], Sequence[GotT]], most: int) -> None:
        """``most``: as many are made at once."""
        self._make = make
        self._most = most
        self._queue: list[_Ticket[AskT, GotT]] = []
        self._queued = threading.Lock()
        self._busy = threading.Lock()

    def __call__(self, asked: AskT) -> GotT:
        """What ``make`` returned for ``asked``, or raised for those it was made with."""
        ticket: _Ticket[AskT, GotT] = _Ticket(asked)
        with self._queued:
            self._queue.append(ticket)
        # Whoever comes through first makes what has queued up meanwhile; those find theirs done.
        while not ticket.ended:
            with self._busy:
                if not ticket.ended:
                    self._make_some()
        if ticket.failed is not None:
            raise ticket.failed
        return ticket.got[0]

    @property
    def queue(self) -> tuple[AskT, ...]:
        """What waits for the next call."""
        with self._queued:
            return tuple(ticket.asked for ticket in self._queue)

    def _make_some(self) -> None:
        with self._queued:
            some, self._queue = self._queue[: self._most], self._queue[self._most :]
        try:
            made = self._make([ticket.asked for ticket in some])
        except BaseException as error:
            for ticket in some:
                ticket.failed = error
            raise
        for ticket, one in zip(some, made, strict=True):
            ticket.got.append(one)
