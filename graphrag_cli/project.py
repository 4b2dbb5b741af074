"""A project opened for questions: what the commands use, and what ``from graphrag_cli import Project`` gives.

    project = Project.open("path/to/project")
    answer = await project.ask("Who led the Fram expedition?", method="local")
    async for event in project.stream("What is this all about?", method="global"): ...
    answer = project.ask_sync("When did the Fram sail?", method="basic")

Opening reads the settings only; the index and the models are opened with the first question and shared by all
that follow, in one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from graphrag_cli.config.load import Loaded, Where, load
from graphrag_cli.engines.base import Question
from graphrag_cli.engines.build import Builder
from graphrag_cli.engines.collect import collect
from graphrag_cli.engines.models import RunOptions
from graphrag_cli.errors import UsageError

if TYPE_CHECKING:
    from graphrag_cli.engines.base import Engine
    from graphrag_cli.engines.estimate import Estimate
    from graphrag_cli.events import Answer, Event, Method
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.llm.around.purse import Purse

LONGEST_QUESTION = 50_000
"""Characters. A longer text is a document, which no prompt has room for and which takes minutes to embed."""


class Project:
    """One project. An async context manager, and a plain one for ``ask_sync``."""

    def __init__(self, loaded: Loaded, options: RunOptions) -> None:
        self.loaded = loaded
        self._builder = Builder(loaded, options)
        self._runner: asyncio.Runner | None = None

    @classmethod
    def open(cls, where: Where | str | Path | None = None, options: RunOptions | None = None) -> Self:
        """The project in the folder ``where`` (None: the working folder or one above it).

        Raises ``SettingsError`` when there is no project there or its settings cannot be read.
        """
        place = where if isinstance(where, Where) else Where(root=Path(where) if where is not None else None)
        return cls(load(place), options or RunOptions())

    def snapshot(self, method: Method | None = None) -> Snapshot:
        """The index, checked for what ``method`` needs (None: for any). Raises ``IndexDataError``."""
        return self._builder.snapshot(method)

    def engine(self, method: Method) -> Engine:
        """The engine for ``method``: index opened and checked, models made, prompts loaded. Raises ``CliError``."""
        return self._builder.engine(method)

    @property
    def purse(self) -> Purse:
        """What all questions together have spent, and may: the ``limits`` of the options."""
        return self._builder.purse

    def question(self, text: str) -> Question:
        """``text`` with the settings' defaults; change single fields with ``dataclasses.replace``.

        Raises ``UsageError`` for a text that is no question but a whole document.
        """
        if len(text) > LONGEST_QUESTION:
            raise UsageError(
                f"the question has {len(text):,} characters; {LONGEST_QUESTION:,} are the most",
                hint="ask in a few sentences; what is to be searched belongs into the index",
            )
        settings = self.loaded.settings
        return Question(
            text=text,
            response_type=settings.response_type,
            seed=settings.seed,
            community_level=settings.community_level,
        )

    def stream(self, question: str | Question, method: Method) -> AsyncIterator[Event]:
        """Answers: yields events as they happen, ``RunFinished`` last. Raises ``CliError``."""
        return self.engine(method).stream(self._asked(question))

    async def ask(self, question: str | Question, method: Method) -> Answer:
        """The whole answer: the fold over ``stream``. Raises ``CliError``."""
        return await collect(self.stream(question, method))

    async def estimate(self, question: str | Question, method: Method) -> Estimate:
        """What ``question`` would cost. Nothing is sent, and no key is needed. Raises ``CliError``."""
        from graphrag_cli.engines.estimate import estimate

        engine, embeds = self._builder.rehearsal(method)
        return await estimate(engine, self._asked(question), embeds=embeds)

    def _asked(self, question: str | Question) -> Question:
        return self.question(question) if isinstance(question, str) else question

    def ask_sync(self, question: str | Question, method: Method) -> Answer:
        """``ask`` for programs without an event loop. One loop is kept for all calls, closed by ``close``.

        Raises ``UsageError`` inside a loop, where nothing else could go on meanwhile.
        """
        if _inside_a_loop():
            raise UsageError(
                "ask_sync was called inside an event loop (a notebook runs one)",
                hint="await project.ask(…) there",
            )
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self.ask(question, method))

    async def aclose(self) -> None:
        """Closes model clients. Safe to call twice."""
        await self._builder.aclose()

    def close(self) -> None:
        """``aclose`` after ``ask_sync``. Safe to call twice."""
        if self._runner is None:
            return
        runner, self._runner = self._runner, None
        with runner:
            runner.run(self.aclose())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _inside_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
