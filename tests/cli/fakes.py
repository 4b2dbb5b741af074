"""A project whose answers are written beforehand, for the tests of what is shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from graphrag_cli.config.load import Where
from graphrag_cli.engines.base import Question
from graphrag_cli.engines.models import RunOptions
from graphrag_cli.errors import CliError
from graphrag_cli.events import (
    Answer,
    Citation,
    ContextBuilt,
    ContextRecord,
    DocumentedEvent,
    DocumentRef,
    Event,
    IndexSummary,
    Method,
    ModelNames,
    Notice,
    Passage,
    RunFinished,
    RunStarted,
    SectionSummary,
    StageProgress,
    StageUsage,
    TextDelta,
    Usage,
)
from graphrag_cli.llm.around.purse import Limits, Purse, Spend

INDEX = IndexSummary("output", "3.x", {"entities": 90, "text_units": 24})
MODELS = ModelNames("gpt-x", "embed-x")
TEXT = "Amundsen led the party [Data: Entities (5); Sources (2, 99)].\n\nIt was *cold*."

AMUNDSEN = ContextRecord(
    dataset="entities",
    id="5",
    record_id="e-5",
    title="ROALD AMUNDSEN",
    values={"id": "5", "entity": "ROALD AMUNDSEN", "number of relationships": 12},
    tokens=57,
    why={"similarity": 0.7123, "rank": 1},
)
PASSAGE = ContextRecord(
    dataset="sources",
    id="2",
    record_id="t-2",
    title="The race",
    values={"id": "2", "text": "They reached the pole."},
    tokens=310,
    cut=True,
)
SECTIONS = (
    SectionSummary("entities", 1, 9, 57, 3000),
    SectionSummary("sources", 1, 0, 310, 600),
)
CITATIONS = (
    Citation("entities", "5", "ROALD AMUNDSEN", True, True, "e-5", (DocumentRef("d1", "The race"),)),
    Citation(
        "sources",
        "2",
        "The race",
        True,
        True,
        "t-2",
        (DocumentRef("d1", "The race"),),
        (Passage("t-2", "2", DocumentRef("d1", "The race"), "They reached the pole."),),
    ),
    Citation("sources", "99", "", False, False, None),
)


def answer(method: Method = "local", text: str = TEXT) -> Answer:
    return Answer(
        method=method,
        question="Who led?",
        status="answered",
        text=text,
        citations=CITATIONS,
        context={
            "reports": (),
            "entities": (AMUNDSEN,),
            "relationships": (),
            "claims": (),
            "sources": (PASSAGE,),
        },
        sections=SECTIONS,
        usage=Usage({"answer": StageUsage(1, 4200, 310), "embed": StageUsage(0, 0, 0, 1, 6)}, 0.0123),
        timing={"embed": 0.1, "answer": 1.5, "total": 1.7},
        seed=42,
        models=MODELS,
        index=INDEX,
    )


def events(outcome: Answer, *, pieces: int = 7) -> list[DocumentedEvent]:
    """A run that ends in ``outcome``, its text in pieces of so many characters."""
    text = outcome.text
    return [
        RunStarted(outcome.method, outcome.question, outcome.seed, outcome.models, outcome.index),
        StageProgress("embed"),
        ContextBuilt((AMUNDSEN, PASSAGE), SECTIONS, 367, "You answer from the data below."),
        Notice("retry", "the server asked us to wait 2 s"),
        StageProgress("answer"),
        *(TextDelta(text[start : start + pieces]) for start in range(0, len(text), pieces)),
        RunFinished(outcome),
    ]


@dataclass
class FakeProject:
    """Plays ``script``; an error in it is raised where it stands."""

    script: Sequence[Event | CliError | KeyboardInterrupt | float]
    """What happens; a number is a pause in seconds."""
    where: Where = field(default_factory=Where)
    options: RunOptions = field(default_factory=RunOptions)
    asked: list[tuple[Question, Method]] = field(default_factory=list[tuple[Question, Method]])
    closed: int = 0
    failing: dict[str, Exception] = field(default_factory=dict[str, Exception])
    """By question: raised instead of the script."""
    engine_error: CliError | None = None
    delay: float = 0.0
    """Seconds that each question takes."""
    purse: Purse = field(default_factory=lambda: Purse(Limits()))

    def open(self, where: Where, options: RunOptions | None = None) -> FakeProject:
        self.where = where
        self.options = options or RunOptions()
        self.purse = Purse(self.options.limits or Limits(), shared=True)
        return self

    def engine(self, method: Method) -> None:
        if self.engine_error is not None:
            raise self.engine_error

    def question(self, text: str) -> Question:
        return Question(text=text, response_type="multiple paragraphs", seed=42, community_level=2)

    async def stream(self, question: Question, method: Method) -> AsyncIterator[Event]:
        self.asked.append((question, method))
        await asyncio.sleep(self.delay)
        self.purse.check(Spend(), calls=1, reading=False)
        if question.text in self.failing:
            raise self.failing[question.text]
        for step in self.script:
            if isinstance(step, int | float):
                await asyncio.sleep(step)
                continue
            if isinstance(step, CliError | KeyboardInterrupt):
                raise step
            if isinstance(step, RunFinished):
                self.purse.add(step.answer.usage.total)
                self.purse.pay(step.answer.usage.cost_usd)
            yield step

    async def aclose(self) -> None:
        self.closed += 1


def partial(outcome: Answer) -> Answer:
    return replace(outcome, status="partial", failed=("batch 3: 500 from the server",))
