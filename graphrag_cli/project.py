"""A project opened for questions: what the commands use, and what ``from graphrag_cli import Project`` gives.

Opening reads the settings only; the index and the models are opened with the first question and shared by all
that follow, in one event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from graphrag_cli.config.load import Loaded, Where, load
from graphrag_cli.engines.base import Question
from graphrag_cli.engines.build import Builder, RunOptions
from graphrag_cli.engines.collect import collect

if TYPE_CHECKING:
    from graphrag_cli.engines.base import Engine
    from graphrag_cli.events import Answer, Event, Method
    from graphrag_cli.index.snapshot import Snapshot


class Project:
    """One project."""

    def __init__(self, loaded: Loaded, options: RunOptions) -> None:
        self.loaded = loaded
        self._builder = Builder(loaded, options)

    @classmethod
    def open(cls, where: Where, options: RunOptions | None = None) -> Project:
        """Raises ``SettingsError`` when there is no project at ``where`` or its settings cannot be read."""
        return cls(load(where), options or RunOptions())

    def snapshot(self, method: Method | None = None) -> Snapshot:
        """The index, checked for what ``method`` needs (None: for any). Raises ``IndexDataError``."""
        return self._builder.snapshot(method)

    def engine(self, method: Method) -> Engine:
        """The engine for ``method``: index opened and checked, models made, prompts loaded. Raises ``CliError``."""
        return self._builder.engine(method)

    def question(self, text: str) -> Question:
        """``text`` with the settings' defaults; change single fields with ``dataclasses.replace``."""
        settings = self.loaded.settings
        return Question(
            text=text,
            response_type=settings.response_type,
            seed=settings.seed,
            community_level=settings.community_level,
        )

    def stream(self, question: Question, method: Method) -> AsyncIterator[Event]:
        """Answers: yields events as they happen. Raises ``CliError``."""
        return self.engine(method).stream(question)

    async def answer(self, question: Question, method: Method) -> Answer:
        """The fold over ``stream``."""
        return await collect(self.stream(question, method))

    async def aclose(self) -> None:
        """Closes model clients. Safe to call twice."""
        await self._builder.aclose()
