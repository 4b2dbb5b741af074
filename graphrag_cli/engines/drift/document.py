"""The JSON form of a ``QueryState``: what ``--state`` writes, ``--resume`` reads and the JSON answer carries."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphrag_cli.engines.drift.action import ActionState
from graphrag_cli.events import Cell, Dataset

SCHEMA = "graphrag-cli/drift-state/1"

Count = Annotated[int, Field(ge=0)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Document(BaseModel):
    """Base: frozen, nothing unknown, nothing coerced."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class NodeDocument(Document):
    """One question. ``follow_ups`` are the questions its reply raised, as text, in the order of the reply."""

    id: Annotated[str, Field(min_length=1)]
    query: str
    answer: str | None
    score: Annotated[Finite, Field(ge=0, le=100)] | None
    state: ActionState
    depth: Count
    level: Count | None
    order: Count | None
    parents: list[str]
    follow_ups: list[str]
    error: str | None
    reason: str | None
    merged_into: str | None
    read: bool
    llm_calls: Count
    prompt_tokens: Count
    output_tokens: Count
    seconds: Annotated[Finite, Field(ge=0)]
    context: dict[Dataset, list[str]]


class EdgeDocument(Document):
    """``source`` raised ``target``; ``weight`` is how much spoke for asking it."""

    source: str
    target: str
    weight: Finite


class ModelsDocument(Document):
    """Names of the models."""

    chat: str | None
    embedding: str | None


class StateDocument(Document):
    """The whole state. ``levels`` holds, per level opened so far, how many places it had."""

    schema_: Annotated[Literal["graphrag-cli/drift-state/1"], Field(alias="schema")]
    query: str
    seed: int
    models: ModelsDocument
    settings: dict[str, Cell | bool]
    levels: list[Count]
    nodes: list[NodeDocument]
    edges: list[EdgeDocument]
