"""The documents of ``--format json`` and ``jsonl``, key by key: a contract with programs.

A key is only ever added; changing or removing one raises the number in the schema's name.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias

# pydantic reads only this TypedDict before Python 3.12.
from typing_extensions import TypedDict

from graphrag_cli.events import Dataset, Method, Status, StepState

ANSWER_SCHEMA: Literal["graphrag-cli/answer/1"] = "graphrag-cli/answer/1"
ERROR_SCHEMA: Literal["graphrag-cli/error/1"] = "graphrag-cli/error/1"
BATCH_SCHEMA: Literal["graphrag-cli/batch/1"] = "graphrag-cli/batch/1"
CHECK_SCHEMA: Literal["graphrag-cli/check/1"] = "graphrag-cli/check/1"
INDEX_SCHEMA: Literal["graphrag-cli/index/1"] = "graphrag-cli/index/1"

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


class RunStartedShape(TypedDict):
    """First line of every run."""

    kind: Literal["run_started"]
    method: Method
    question: str
    seed: int
    models: ModelsShape
    index: IndexShape


class StageProgressShape(TypedDict):
    """A stage began or moved on."""

    kind: Literal["stage_progress"]
    stage: str
    done: int
    total: int | None
    detail: str


class ContextRecordShape(RecordShape):
    """A row of the context, with the table it belongs to."""

    dataset: Dataset


class ContextBuiltShape(TypedDict):
    """The context of the final call, or of the step named."""

    kind: Literal["context_built"]
    records: list[ContextRecordShape]
    sections: list[SectionShape]
    tokens: int
    prompt: str
    step_id: str | None


class StepStartedShape(TypedDict):
    """A map batch, a rating, a primer fold or a DRIFT action went to the model."""

    kind: Literal["step_started"]
    step_id: str
    stage: str
    query: str
    depth: int
    parents: list[str]


class StepFinishedShape(TypedDict):
    """A step ended, whichever way."""

    kind: Literal["step_finished"]
    step_id: str
    stage: str
    state: StepState
    query: str
    answer: str
    score: float | None
    depth: int
    follow_ups: list[str]
    error: str | None
    seconds: float | None


class StateChangedShape(TypedDict):
    """DRIFT: the whole graph of questions after a change."""

    kind: Literal["state_changed"]
    state: AnyJson


class TextDeltaShape(TypedDict):
    """The next piece of the final answer."""

    kind: Literal["text_delta"]
    text: str


class NoticeShape(TypedDict):
    """Something worth knowing now."""

    kind: Literal["notice"]
    code: str
    text: str


class RunFinishedShape(TypedDict):
    """Last line of a run that ended well or partly well."""

    kind: Literal["run_finished"]
    answer: AnswerShape


class RunFailedShape(TypedDict):
    """Last line of a run that ended in an error."""

    kind: Literal["run_failed"]
    error: ErrorBody


EventShape: TypeAlias = (
    RunStartedShape
    | StageProgressShape
    | ContextBuiltShape
    | StepStartedShape
    | StepFinishedShape
    | StateChangedShape
    | TextDeltaShape
    | NoticeShape
    | RunFinishedShape
    | RunFailedShape
)


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


class FindingShape(TypedDict):
    """Something a check looked at."""

    severity: Literal["ok", "warning", "error"]
    area: str
    """What was looked at: settings, prompts, index, vectors, models."""
    code: str
    """Stable name, such as ``settings.model_id``."""
    subject: str
    """The key, file or table."""
    text: str
    hint: str | None
    """What to do."""


class CheckShape(TypedDict):
    """The outcome of ``config check``, ``index check`` and ``doctor``."""

    schema: Literal["graphrag-cli/check/1"]
    errors: int
    warnings: int
    findings: list[FindingShape]


class SettingShape(TypedDict):
    """One effective setting."""

    key: str
    value: str
    """As YAML; secrets are masked."""
    origin: str
    """Where the value came from."""


class TableShape(TypedDict):
    """One table of the index."""

    name: str
    rows: int


class LevelShape(TypedDict):
    """What a community level reads."""

    level: int
    reports: int


class VectorTableShape(TypedDict):
    """One vector table that methods look for."""

    name: str
    found_as: str | None
    """Null when there is none that can be used; then ``problem`` says why."""
    width: int | None
    rows: int | None
    problem: str | None


class IndexInfoShape(TypedDict):
    """What ``index info`` tells."""

    schema: Literal["graphrag-cli/index/1"]
    path: str
    version: str
    tables: list[TableShape]
    levels: list[LevelShape]
    vectors: list[VectorTableShape]
    methods: list[Method]
    """Methods whose tables are there; vectors are told apart."""
    adapted: list[str]
    """What was read otherwise than it stands in the files."""
