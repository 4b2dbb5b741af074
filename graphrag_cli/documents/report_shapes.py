"""What commands that look at things print: checks, an index, an estimate."""

from __future__ import annotations

from typing import Literal, TypeAlias

# pydantic reads only this TypedDict before Python 3.12.
from typing_extensions import TypedDict

from graphrag_cli.documents.shapes import StageUsageShape
from graphrag_cli.events import Method

SchemaName: TypeAlias = Literal[
    "answer",
    "event",
    "state",
    "batch",
    "error",
    "check",
    "index",
    "index-check",
    "index-embed",
    "answer-check",
    "estimate",
]
"""Documents whose JSON Schema ``schema`` prints."""

CHECK_SCHEMA: Literal["graphrag-cli/check/1"] = "graphrag-cli/check/1"
INDEX_SCHEMA: Literal["graphrag-cli/index/1"] = "graphrag-cli/index/1"
INDEX_CHECK_SCHEMA: Literal["graphrag-cli/index-check/1"] = "graphrag-cli/index-check/1"
EMBED_SCHEMA: Literal["graphrag-cli/index-embed/1"] = "graphrag-cli/index-embed/1"
ANSWER_CHECK_SCHEMA: Literal["graphrag-cli/answer-check/1"] = "graphrag-cli/answer-check/1"
ESTIMATE_SCHEMA: Literal["graphrag-cli/estimate/1"] = "graphrag-cli/estimate/1"


class FindingShape(TypedDict):
    """Something a check looked at."""

    severity: Literal["ok", "info", "warning", "error"]
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


class EstimateShape(TypedDict):
    """What ``--dry-run`` expects a run to take."""

    schema: Literal["graphrag-cli/estimate/1"]
    method: Method
    total: StageUsageShape
    by_stage: dict[str, StageUsageShape]
    cost_usd: float | None
    exact_stages: list[str]
    """Stages whose calls and prompt tokens are exact; output tokens never are."""
    assumed: list[str]
    """What is not known before the run."""


class TableFileShape(TableShape):
    """One table file of an index under examination."""

    file: str
    columns: list[str]


class LevelCostShape(LevelShape):
    """What a global search at one community level reads and costs."""

    communities: int
    without_report: int
    tokens: int
    """Of the report contents alone."""
    calls: int
    cost_usd: float | None


class VectorCheckShape(TypedDict):
    """One vector table under examination."""

    name: str
    found_as: str | None
    place: str | None
    rows: int
    width: int
    overlap: float
    """Share of a sample of its ids that are records of the index."""
    covered: float
    """Share of the records that have a vector."""
    problem: str | None


class MethodShape(TypedDict):
    """Whether a method can be served."""

    method: Method
    servable: bool
    reason: str | None


class IndexCheckShape(TypedDict):
    """What ``index check`` found."""

    schema: Literal["graphrag-cli/index-check/1"]
    path: str
    version: str
    tables: list[TableFileShape]
    levels: list[LevelCostShape]
    vectors: list[VectorCheckShape]
    methods: list[MethodShape]
    adapted: list[str]
    check: CheckShape


class BuiltShape(TypedDict):
    """One vector table that ``index embed`` built or found ready."""

    name: str
    path: str
    rows: int
    width: int
    embedded: int
    """Records sent to the model by this run."""
    skipped: int
    """Records without any text."""


class EmbedShape(TypedDict):
    """What ``index embed`` did."""

    schema: Literal["graphrag-cli/index-embed/1"]
    model: str
    tables: list[BuiltShape]


class CheckedCaseShape(TypedDict):
    """One case of ``check-answers``. A share is null where nothing was expected or nothing cited."""

    id: str
    method: Method
    question: str
    passed: bool
    faults: list[str]
    """Why it does not pass."""
    recall: float | None
    """Share of the expected records that were in the context."""
    precision: float | None
    """Share of the cited records that were expected."""
    resolved: float | None
    """Share of the cited records that exist and were in the context."""
    outcome_right: bool
    seconds: float


class CheckTotalShape(TypedDict):
    """Means over the cases of one method, or of all."""

    name: str
    cases: int
    passed: int
    recall: float | None
    precision: float | None
    resolved: float | None
    outcomes_right: float


class AnswerCheckShape(TypedDict):
    """What ``check-answers`` found."""

    schema: Literal["graphrag-cli/answer-check/1"]
    cases: list[CheckedCaseShape]
    totals: list[CheckTotalShape]
