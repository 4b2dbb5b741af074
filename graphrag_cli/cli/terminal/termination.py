"""SIGTERM ends a run as Ctrl-C does: what was finished is kept, and what is live on the terminal is taken down."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from graphrag_cli.errors import InterruptedRunError, TerminatedRunError


@dataclass(slots=True)
class _Process:
    terminated: bool = False


_PROCESS = _Process()
"""The one there is: signals are sent to processes, not to runs."""


@contextmanager
def ends_on_sigterm() -> Generator[None]:
    """While inside, SIGTERM comes out as ``KeyboardInterrupt``, unless whoever started the program decided otherwise."""
    _PROCESS.terminated = False
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if ours:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def terminated() -> bool:
    """True once SIGTERM came: whoever goes on after a ``KeyboardInterrupt`` must not then."""
    return _PROCESS.terminated


def stopped() -> InterruptedRunError:
    """The error that a ``KeyboardInterrupt`` stands for."""
    return TerminatedRunError("terminated") if terminated() else InterruptedRunError("interrupted")


def _terminate(_signal: int, frame: FrameType | None) -> None:
    _PROCESS.terminated = True
    interrupt = signal.getsignal(signal.SIGINT)
    if callable(interrupt):
        # While an event loop runs this is asyncio's own, which cancels the run instead of breaking into it.
        interrupt(signal.SIGINT, frame)
    else:
        # In the background of a script, shells ignore Ctrl-C for us: nobody handles it.
        raise KeyboardInterrupt
