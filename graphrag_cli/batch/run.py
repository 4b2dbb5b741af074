"""Asks the questions of a batch: workers side by side in one event loop, over one loaded index."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from graphrag_cli.batch.line import Done, answered, failed
from graphrag_cli.engines.collect import collect
from graphrag_cli.errors import CliError, DeadlineError, LimitError, ModelError, SettingsError
from graphrag_cli.together import together

if TYPE_CHECKING:
    from graphrag_cli.batch.journal import Writer
    from graphrag_cli.batch.questions import BatchQuestion
    from graphrag_cli.engines.base import Engine, Question
    from graphrag_cli.events import Event, Method
    from graphrag_cli.llm.around.purse import Purse

_HOPELESS = 8
"""So many questions that failed as every other one would, and none answered: the rest would fail too."""


class Asker(Protocol):
    """What a batch needs of a project."""

    @property
    def purse(self) -> Purse:
        """What all questions together may spend."""
        ...

    def engine(self, method: Method) -> Engine:
        """Raises ``CliError`` when nothing can be asked by ``method``."""
        ...

    def question(self, text: str) -> Question:
        """With the defaults of the settings."""
        ...

    def stream(self, question: Question, method: Method) -> AsyncIterator[Event]:
        """Answers."""
        ...


@dataclass(frozen=True, slots=True)
class Batch:
    """How the questions are asked."""

    questions: Sequence[BatchQuestion]
    concurrency: int
    fields: Sequence[str] | None = None
    """Parts of each answer that are kept; None is all."""
    prepare: Callable[[Question], Question] = lambda question: question
    """Puts in what flags say; a line's own options go over it."""
    clock: Callable[[], float] = time.monotonic


async def run_batch(asker: Asker, batch: Batch, writer: Writer, tell: Callable[[Done], None]) -> None:
    """Asks every question and writes its line as soon as it may; ``tell`` hears of each that ended.

    A question that fails becomes a line with its error. Once a limit on all of them is reached, those that are left have
    no line. Raises ``ModelError`` or ``SettingsError`` when the first ones show that all would fail.
    """
    queue = iter(batch.questions)
    hope = _Hope()

    def finish(done: Done) -> None:
        writer.write(done)
        tell(done)
        hope.see(done)

    workers = min(batch.concurrency, len(batch.questions))
    await together(_work(asker, batch, queue, finish) for _ in range(workers))


def open_engines(asker: Asker, questions: Sequence[BatchQuestion]) -> None:
    """Opens what the questions need. Raises ``CliError`` when an index or a setting that a method needs is not there."""
    methods: list[Method] = [question.method for question in questions]
    for method in dict.fromkeys(methods):
        asker.engine(method)


async def _work(
    asker: Asker, batch: Batch, queue: Iterator[BatchQuestion], finish: Callable[[Done], None]
) -> None:
    for question in queue:
        if asker.purse.exhausted is not None:
            return
        done = await _ask(asker, batch, question)
        if done is not None:
            finish(done)


async def _ask(asker: Asker, batch: Batch, question: BatchQuestion) -> Done | None:
    """The question with its line; None when a limit on all questions left nothing to answer it with."""
    began = batch.clock()
    try:
        asked = question.options.applied(batch.prepare(asker.question(question.text)))
        answer = await collect(asker.stream(asked, question.method))
        return answered(question, answer, batch.clock() - began, batch.fields)
    except CliError as error:
        if isinstance(error, LimitError | DeadlineError) and asker.purse.exhausted is not None:
            return None
        return failed(question, error, batch.clock() - began)
    except Exception as error:  # noqa: BLE001 - one question's fault must not take the others along
        unexpected = CliError(f"unexpected {type(error).__name__}: {error}")
        return failed(question, unexpected, batch.clock() - began, fault=error)


class _Hope:
    """Gives up when everything so far failed for its model's key, name or address, or for a setting."""

    def __init__(self) -> None:
        self._refused = 0

    def see(self, done: Done) -> None:
        """Raises the error once there were too many and nothing else."""
        if done.error is None or not _meets_all(done.error):
            self._refused = -1
        elif self._refused >= 0:
            self._refused += 1
            if self._refused >= _HOPELESS:
                raise done.error


def _meets_all(error: CliError) -> bool:
    return isinstance(error, SettingsError) or (isinstance(error, ModelError) and error.fatal)
