"""The documents of ``--format json`` and ``jsonl``, key by key: a contract with programs.

A key is only ever added; changing or removing one raises the number in the schema's name.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias

# pydantic reads only this TypedDict before Python 3.12.
from typing_extensions import TypedDict

from graphrag_cli.events import Dataset, Method, Status

ANSWER_SCHEMA: Literal["graphrag-cli/answer/1"] = "graphrag-cli/answer/1"
ERROR_SCHEMA: Literal["graphrag-cli/error/1"] = "graphrag-cli/error/1"
BATCH_SCHEMA: Literal["graphrag-cli/batch/1"] = "graphrag-cli/batch/1"

CellValue: TypeAlias = str | int | float | None
AnyJson: TypeAlias = Any
"""JSON whose shape is stated elsewhere (``schema state``) or nowhere."""


class DocumentRefShape(TypedDict):
    """A document of the index."""

    id: str
    title: str


class PassageShape(TypedDict):
    """A text unit that a citation leads to."""

    text_unit_id: str
    source_id: str
    """The id under which ``Sources (…)`` cites it."""
    document: DocumentRefShape | None
    excerpt: str


class CitationShape(TypedDict):
    """A record that the answer cites, checked against what was sent and against the index."""

    dataset: Dataset
    id: str
    title: str
    in_context: bool
    """False: the answer cites what the model was not shown."""
    exists: bool
    """False: the index has no such record."""
    record_id: str | None
    """Id in the table."""
    documents: list[DocumentRefShape]
    passages: list[PassageShape]
    excerpt: str


class RecordShape(TypedDict):
    """One row of the context as it was sent to the model."""

    id: str
    """What a citation names."""
    record_id: str
    """Id in the table."""
    title: str
    values: dict[str, CellValue]
    """The row as sent, by column."""
    tokens: int
    why: dict[str, CellValue]
    """What brought it in: similarity, rank, number of matches."""
    cut: bool
    """True when its text was shortened to fit the budget."""


class ContextShape(TypedDict):
    """Rows of the context by dataset; always all five keys."""

    reports: list[RecordShape]
    entities: list[RecordShape]
    relationships: list[RecordShape]
    claims: list[RecordShape]
    sources: list[RecordShape]


class SectionShape(TypedDict):
    """How one section of the context used its share of tokens."""

    dataset: Dataset
    included: int
    left_out: int
    tokens: int
    budget: int


class StageUsageShape(TypedDict):
    """Calls and tokens of one stage."""

    llm_calls: int
    prompt_tokens: int
    output_tokens: int
    embedding_calls: int
    embedding_tokens: int


class UsageShape(StageUsageShape):
    """Calls and tokens of the whole run."""

    by_stage: dict[str, StageUsageShape]
    cost_usd: float | None
    """Null when the price of a model is not known."""
    counted: bool
    """True when some tokens were counted here because the server did not send them."""


class ModelsShape(TypedDict):
    """The models used."""

    chat: str | None
    embedding: str | None


class IndexShape(TypedDict):
    """The index read."""

    path: str
    version: str
    counts: dict[str, int]
    """Rows by table."""


class WarningShape(TypedDict):
    """Something worth knowing about a run that went on all the same."""

    code: str
    text: str


class AnswerShape(TypedDict):
    """The outcome of one question."""

    schema: Literal["graphrag-cli/answer/1"]
    method: Method
    question: str
    standalone_question: str | None
    """The question as rewritten to stand alone, in a conversation."""
    status: Status
    answer: str
    """Markdown."""
    citations: list[CitationShape]
    context: ContextShape
    sections: list[SectionShape]
    usage: UsageShape
    timing: dict[str, float | None]
    """Seconds by stage, and ``total``."""
    seed: int
    models: ModelsShape
    index: IndexShape
    warnings: list[WarningShape]
    failed: list[str]
    """What failed on the way, a line each; empty unless ``status`` is ``partial``."""
    drift: NotRequired[AnyJson]
    """Only for ``drift``: the graph of questions (``graphrag-cli schema state``)."""


class ErrorBody(TypedDict):
    """What went wrong, and what to do."""

    code: str
    """Stable name, such as ``model.auth``."""
    message: str
    hint: str | None
    exit_status: int


class ErrorShape(TypedDict):
    """Printed instead of an answer when there is none."""

    schema: Literal["graphrag-cli/error/1"]
    error: ErrorBody


class BatchShape(TypedDict):
    """One line of ``batch``: a question with its answer, or with its error."""

    schema: Literal["graphrag-cli/batch/1"]
    id: str
    """The question's own id, or the number of its line."""
    line: int
    """Line of the question in the input, from 1."""
    method: Method
    question: str
    status: Literal["answered", "no_data", "partial", "failed"]
    seconds: float | None
    answer: AnswerShape | None
    """Null when ``status`` is ``failed``."""
    error: ErrorBody | None
    """Null unless ``status`` is ``failed``."""
