"""A project opened for questions: what the commands use, and what ``from graphrag_cli import Project`` gives.

Opening reads the settings only; the index and the models are opened with the first question and shared by all
that follow, in one event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from graphrag_cli.config.load import Loaded, Where

if TYPE_CHECKING:
    from graphrag_cli.engines.base import Engine, Question
    from graphrag_cli.events import Answer, Event, Method
    from graphrag_cli.index.snapshot import Snapshot


class Project:
    """One project."""

    loaded: Loaded

    @classmethod
    def open(cls, where: Where) -> Project:
        """Raises ``SettingsError`` when there is no project at ``where`` or its settings cannot be read."""
        raise NotImplementedError

    def snapshot(self, method: Method | None = None) -> Snapshot:
        """The index, with the tables that ``method`` needs (None: all). Raises ``IndexDataError``."""
        raise NotImplementedError

    def engine(self, method: Method) -> Engine:
        """The engine for ``method``: index opened and checked, models made, prompts loaded. Raises ``CliError``."""
        raise NotImplementedError

    def question(self, text: str) -> Question:
        """``text`` with the settings' defaults; change single fields with ``dataclasses.replace``."""
        raise NotImplementedError

    def stream(self, question: Question, method: Method) -> AsyncIterator[Event]:
        """Answers: yields events as they happen."""
        raise NotImplementedError

    async def answer(self, question: Question, method: Method) -> Answer:
        """The fold over ``stream``."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Closes model clients. Safe to call twice."""
        raise NotImplementedError
