"""What happens while a question is answered, as a closed union of frozen events, and the values they carry.

An engine yields these and nothing else. The terminal, the JSON document, a batch line and the Python
interface are all folds over them. ``TextDelta`` is only ever text of the final answer: what a DRIFT step or a
map batch says arrives in ``StepFinished``.

Everything here is plain data: no model clients, no tables, no consoles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

Method: TypeAlias = Literal["local", "global", "drift", "basic"]
METHODS: tuple[Method, ...] = ("local", "global", "drift", "basic")

Dataset: TypeAlias = Literal["reports", "entities", "relationships", "claims", "sources"]
DATASETS: tuple[Dataset, ...] = ("reports", "entities", "relationships", "claims", "sources")

Status: TypeAlias = Literal["answered", "no_data", "partial"]
StepState: TypeAlias = Literal["answered", "empty", "failed", "merged", "skipped"]

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Cell: TypeAlias = str | int | float | None


# ---- values -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """One row of the context as it was sent to the model.

    ``id`` is what the row's first column prints and what a citation names; ``record_id`` is the id in the
    table. ``why`` says what brought the record in: similarity, rank, number of matches.
    """

    dataset: Dataset
    id: str
    record_id: str
    title: str
    values: Mapping[str, Cell]
    tokens: int = 0
    why: Mapping[str, Cell] = field(default_factory=dict[str, Cell])
    cut: bool = False
    """True when the text was shortened to fit its budget."""


@dataclass(frozen=True, slots=True)
class SectionSummary:
    """How one section of the context used its share: rows that went in, rows the budget left out, tokens."""

    dataset: Dataset
    included: int
    left_out: int
    tokens: int
    budget: int


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """A document that a citation leads to."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A text unit that a citation leads to."""

    text_unit_id: str
    source_id: str
    """The id under which the text unit is cited in ``Sources (…)``."""
    document: DocumentRef | None
    excerpt: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A record that the answer cites, checked against what was sent and against the index."""

    dataset: Dataset
    id: str
    title: str
    in_context: bool
    exists: bool
    record_id: str | None
    documents: tuple[DocumentRef, ...] = ()
    passages: tuple[Passage, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class StageUsage:
    """Calls and tokens of one stage (``embed``, ``map``, ``reduce``, ``primer``, ``step``, ``answer`` …)."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    embedding_calls: int = 0
    embedding_tokens: int = 0

    def __add__(self, other: StageUsage) -> StageUsage:
        return StageUsage(
            self.llm_calls + other.llm_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.output_tokens + other.output_tokens,
            self.embedding_calls + other.embedding_calls,
            self.embedding_tokens + other.embedding_tokens,
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run cost, by stage. ``cost_usd`` is None when the price of a model is not known."""

    by_stage: Mapping[str, StageUsage] = field(default_factory=dict[str, StageUsage])
    cost_usd: float | None = None
    counted: bool = False
    """True when at least one call's tokens were counted by us because the server did not send them."""

    @property
    def total(self) -> StageUsage:
        """The sum over all stages."""
        total = StageUsage()
        for usage in self.by_stage.values():
            total = total + usage
        return total


@dataclass(frozen=True, slots=True)
class ModelNames:
    """Which models a run used."""

    chat: str | None
    embedding: str | None


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """Which index a run read."""

    path: str
    version: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RunWarning:
    """Something the user should know about a run that went on all the same."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole outcome of one question: what ``--format json`` prints."""

    method: Method
    question: str
    status: Status
    text: str
    citations: tuple[Citation, ...]
    context: Mapping[Dataset, tuple[ContextRecord, ...]]
    """Rows as sent; always all five keys."""
    sections: tuple[SectionSummary, ...]
    usage: Usage
    timing: Mapping[str, float]
    """Seconds by stage, and ``total``."""
    seed: int
    models: ModelNames
    index: IndexSummary
    warnings: tuple[RunWarning, ...] = ()
    standalone_question: str | None = None
    """The question as rewritten to stand alone, where there was a conversation."""
    drift: Json = None
    """DRIFT only: the serialised QueryState."""
    failed: tuple[str, ...] = ()
    """What failed on the way (batches, steps), a line each; empty unless status is partial."""

    def frames(self) -> dict[Dataset, pd.DataFrame]:
        """The context as sent, one pandas frame per data set, as GraphRAG's own ``context_data`` has it."""
        import pandas as pd

        return {
            dataset: pd.DataFrame([dict(record.values) for record in records])
            for dataset, records in self.context.items()
        }


# ---- events -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The first event of every run."""

    method: Method
    question: str
    seed: int
    models: ModelNames
    index: IndexSummary
    kind: Literal["run_started"] = "run_started"


@dataclass(frozen=True, slots=True)
class StageProgress:
    """A stage began or moved on: ``done`` of ``total``; ``detail`` is a short phrase for people."""

    stage: str
    done: int = 0
    total: int | None = None
    detail: str = ""
    kind: Literal["stage_progress"] = "stage_progress"


@dataclass(frozen=True, slots=True)
class ContextBuilt:
    """The context of the final call (or of one step, then ``step_id`` names it)."""

    records: tuple[ContextRecord, ...]
    sections: tuple[SectionSummary, ...]
    tokens: int
    prompt: str = ""
    """The system prompt as sent, for ``--show-prompt``."""
    step_id: str | None = None
    kind: Literal["context_built"] = "context_built"


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A map batch, a rating, a primer fold or a DRIFT action went to the model."""

    step_id: str
    stage: str
    query: str
    depth: int = 0
    parents: tuple[str, ...] = ()
    kind: Literal["step_started"] = "step_started"


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A step ended, whichever way."""

    step_id: str
    stage: str
    state: StepState
    query: str = ""
    answer: str = ""
    score: float | None = None
    depth: int = 0
    follow_ups: tuple[str, ...] = ()
    error: str | None = None
    seconds: float = 0.0
    kind: Literal["step_finished"] = "step_finished"


@dataclass(frozen=True, slots=True)
class StateChanged:
    """DRIFT: the graph of questions grew or changed; ``state`` is its whole serialised form."""

    state: Json
    kind: Literal["state_changed"] = "state_changed"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the final answer's text."""

    text: str
    kind: Literal["text_delta"] = "text_delta"


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The next piece of what a model thought before it replied, for ``--show-reasoning``; in no document and no answer."""

    text: str
    step_id: str | None = None
    """The step whose call it was; None for the call that writes the answer."""
    kind: Literal["reasoning"] = "reasoning"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know now: a retry, a cut, a merged table. Becomes a warning of the answer."""

    code: str
    text: str
    kind: Literal["notice"] = "notice"


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The last event of every run that did not raise."""

    answer: Answer
    kind: Literal["run_finished"] = "run_finished"


DocumentedEvent: TypeAlias = (
    RunStarted
    | StageProgress
    | ContextBuilt
    | StepStarted
    | StepFinished
    | StateChanged
    | TextDelta
    | Notice
    | RunFinished
)
"""What ``--format jsonl`` prints a line for."""

Event: TypeAlias = DocumentedEvent | Reasoning
