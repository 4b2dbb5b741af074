"""What an engine is, what it is asked, and what it is given to work with.

An engine keeps nothing between questions: everything a run needs to remember lives in the call to ``stream``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from graphrag_cli.context.history import Turn
from graphrag_cli.events import Event, Json, Method, RunWarning
from graphrag_cli.index.prepare import Preparation
from graphrag_cli.llm.around.purse import Limits

if TYPE_CHECKING:
    from graphrag_cli.config.prompts import PromptSet
    from graphrag_cli.config.settings import Level
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.index.vectors.base import VectorTables
    from graphrag_cli.llm.around.purse import Purse
    from graphrag_cli.llm.around.usage import PriceTable
    from graphrag_cli.llm.base import ChatModel, Embedder, TokenCounter


@dataclass(frozen=True, slots=True)
class Filters:
    """Narrows what is retrieved by local, drift and basic."""

    documents: tuple[str, ...] = ()
    """Titles or ids."""
    entity_types: tuple[str, ...] = ()
    since: str | None = None
    """ISO date, inclusive."""
    until: str | None = None
    """ISO date, inclusive."""

    @property
    def active(self) -> bool:
        """True when anything is narrowed."""
        return bool(self.documents or self.entity_types or self.since or self.until)


@dataclass(frozen=True, slots=True)
class Question:
    """One question with everything that may differ from one to the next over the same engine."""

    text: str
    response_type: str
    seed: int
    community_level: Level
    history: tuple[Turn, ...] = ()
    include_entities: tuple[str, ...] = ()
    exclude_entities: tuple[str, ...] = ()
    filters: Filters = Filters()
    limits: Limits = field(default_factory=Limits)
    context_only: bool = False
    """Retrieve, and stop before the call that would write the answer."""
    stream: bool = True
    dynamic: bool = False
    """global: choose reports by rating them."""
    resume: Json = None
    """drift: a serialised QueryState to go on from."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What the composition root hands to an engine: implementations, never settings of how to choose them.

    Shared by all questions of a batch; what belongs to one question (meter, limits, seed) is made in
    ``engines/run.py``.
    """

    snapshot: Snapshot
    vectors: VectorTables
    chat: ChatModel
    embedder: Embedder
    tokens: TokenCounter
    prompts: PromptSet
    prices: PriceTable
    history_tokens: int = 2000
    """Budget of the conversation in every prompt."""
    window: int | None = None
    """Tokens of the chat model's window, where known."""
    remarks: tuple[RunWarning, ...] = ()
    """What the user should know before the answer: an index left out, a prompt file that is odd."""
    preparation: Preparation = field(default_factory=Preparation)
    """What is made of a large index before its first question."""
    rater: ChatModel | None = None
    """global: model for ratings, where it is another than ``chat``."""
    purse: Purse | None = None
    """What all questions together may spend."""


class Engine(Protocol):
    """Answers questions by one method."""

    @property
    def method(self) -> Method:
        """The method that it answers by."""
        ...

    def stream(self, question: Question) -> AsyncIterator[Event]:
        """Yields ``RunStarted``, then anything, then ``RunFinished``; raises ``CliError`` when nothing can be answered.

        Closing the iterator early cancels whatever is still running.
        """
        ...
