"""What commands that look at things print: checks, an index, an estimate."""

from __future__ import annotations

from typing import Literal

# pydantic reads only this TypedDict before Python 3.12.
from typing_extensions import TypedDict

from graphrag_cli.documents.shapes import StageUsageShape
from graphrag_cli.events import Method

CHECK_SCHEMA: Literal["graphrag-cli/check/1"] = "graphrag-cli/check/1"
INDEX_SCHEMA: Literal["graphrag-cli/index/1"] = "graphrag-cli/index/1"
ESTIMATE_SCHEMA: Literal["graphrag-cli/estimate/1"] = "graphrag-cli/estimate/1"


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
