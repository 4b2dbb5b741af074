"""One question of a DRIFT run, from being raised to being answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graphrag_cli.events import Dataset, StepState

ActionState: TypeAlias = StepState | Literal["waiting", "asked"]
"""``waiting`` for a place, ``asked`` and not answered yet, or how it ended."""

ENDED: frozenset[ActionState] = frozenset({"answered", "empty", "failed"})
"""States of an action that had its turn: it is not asked again in this run."""


@dataclass(frozen=True, slots=True)
class ActionMetadata:
    """What an action cost and what it was shown. ``context`` holds the ids of the rows sent, by dataset."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    context: Mapping[Dataset, tuple[str, ...]] = field(default_factory=dict[Dataset, tuple[str, ...]])


@dataclass(eq=False, slots=True)
class DriftAction:
    """A question, and in time its answer, score (0 to 100) and the questions it raised.

    Compared by identity, as nodes of a graph are. ``id`` and ``depth`` (steps from the root) are given when
    the action joins a ``QueryState``; ``level`` (the round in which it was asked) and ``order`` (its place in the order
    of asking) when it is asked.
    """

    query: str
    answer: str | None = None
    score: float | None = None
    follow_ups: list[DriftAction] = field(default_factory=list["DriftAction"])
    metadata: ActionMetadata = field(default_factory=ActionMetadata)
    state: ActionState = "waiting"
    id: str = ""
    depth: int = 0
    level: int | None = None
    order: int | None = None
    error: str | None = None
    """Why it failed."""
    reason: str | None = None
    """Why it was merged or skipped."""
    merged_into: str | None = None
    """Id of the question that stands for this one."""
    read: bool = False
    """True once its follow-ups were decided upon: see ``frontier``."""

    @property
    def is_complete(self) -> bool:
        """True when it had its turn, whichever way that ended."""
        return self.state in ENDED

    def record_answer(self, answer: str, score: float, follow_ups: Iterable[str]) -> None:
        """Ends the action with what the model replied; an answer without text makes it ``empty``."""
        text = valid_text(answer).strip()
        self.answer = text or None
        self.score = float(score) if text else 0.0
        self.state = "answered" if text else "empty"
        self.follow_ups = [DriftAction(query) for query in clean_questions(follow_ups)]

    def record_failure(self, error: str) -> None:
        """Ends the action without an answer."""
        self.state = "failed"
        self.error = valid_text(error)

    def record_nothing(self, reason: str) -> None:
        """Ends the action without a call: there was nothing to read for it."""
        self.state = "empty"
        self.score = 0.0
        self.reason = reason

    def merge_into(self, other: DriftAction, similarity: float) -> None:
        """Lets ``other`` stand for this question."""
        self.state = "merged"
        self.merged_into = other.id
        self.reason = f"similarity {similarity:.3f} to {other.id}"

    def skip(self, reason: str) -> None:
        """Leaves the question unasked."""
        self.state = "skipped"
        self.reason = reason

    def wait(self) -> None:
        """Puts a question that was left out back among the waiting."""
        self.state = "waiting"
        self.reason = None


def question_key(query: str) -> str:
    """What makes two questions the same word for word: case, spaces and closing marks do not count."""
    return " ".join(query.split()).casefold().rstrip("?!.…？！。 ")


def clean_questions(queries: Iterable[str]) -> list[str]:
    """Questions as one line each, without empty ones and without repeats."""
    found: dict[str, str] = {}
    for query in queries:
        line = " ".join(valid_text(query).split())
        key = question_key(line)
        if key:
            found.setdefault(key, line)
    return list(found.values())


def valid_text(text: str) -> str:
    """``text`` with lone surrogates, which no UTF-8 file can hold, replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
