"""Engines over the sample index with scripted models: what most engine tests start from."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from graphrag_cli.config.base import Section
from graphrag_cli.config.prompts import PLACEHOLDERS, load_prompts
from graphrag_cli.config.settings import Settings
from graphrag_cli.engines.base import Question, Toolbox
from graphrag_cli.events import Answer, Event, RunFinished
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from graphrag_cli.llm.base import Embedder
from graphrag_cli.llm.counting.tokens import counter_for
from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder
from graphrag_cli.llm.in_process.scripted import Scripted, ScriptedChat
from tests.sample import SAMPLE, sample_snapshot

EventT = TypeVar("EventT")


class NoPrices:
    """Nothing costs anything that is known."""

    def cost(self, model: str, prompt_tokens: int, output_tokens: int) -> float | None:
        return None


def sample_settings() -> Settings:
    """Settings whose index is the sample's."""
    return Settings.model_validate({"root": SAMPLE})


def toolbox(chat: ScriptedChat, embedder: Embedder | None = None) -> Toolbox:
    """The sample index, its stored vectors, and ``chat``."""
    settings = sample_settings()
    snapshot = sample_snapshot()
    return Toolbox(
        snapshot=snapshot,
        vectors=IndexVectors(settings, snapshot),
        chat=chat,
        embedder=embedder or MiniLmEmbedder(),
        tokens=counter_for("gpt-4o"),
        prompts=load_prompts(settings, PLACEHOLDERS),
        prices=NoPrices(),
    )


def question(text: str = "Who reached the South Pole first?", **changes: Any) -> Question:
    """A question with the settings' defaults."""
    return replace(Question(text, "multiple paragraphs", seed=42, community_level=2), **changes)


@dataclass(slots=True)
class Seen:
    """Everything a run yielded."""

    events: list[Event] = field(default_factory=list[Event])

    def of(self, kind: type[EventT]) -> list[EventT]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def kinds(self) -> list[str]:
        """Kinds in order, runs of the same one folded."""
        kinds = [event.kind for event in self.events]
        return [kind for at, kind in enumerate(kinds) if at == 0 or kinds[at - 1] != kind]

    @property
    def answer(self) -> Answer:
        """The outcome."""
        (finished,) = self.of(RunFinished)
        return finished.answer


async def run(events: AsyncIterator[Event]) -> Seen:
    """Drains a run."""
    seen = Seen()
    async for event in events:
        seen.events.append(event)
    return seen


def scripted(replies: Iterable[Scripted]) -> ScriptedChat:
    """A chat model that gives ``replies`` in order."""
    return ScriptedChat(list(replies))


def changed(section: Section, **changes: Any) -> Any:
    """``section`` with other values, validated."""
    return type(section).model_validate({**section.model_dump(), **changes})
