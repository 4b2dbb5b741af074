"""The JSON form of a ``QueryState``: what ``--state`` writes, ``--resume`` reads and the JSON answer carries."""

from __future__ import annotations

import json
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphrag_cli import jsontext
from graphrag_cli.engines.drift.action import ActionState
from graphrag_cli.errors import UsageError
from graphrag_cli.events import Cell, Dataset, Json

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
    """The whole state. ``levels`` holds, per level opened so far, how many places it had.

    ``asked`` is the question as it was put where a conversation made another ``query`` of it; a state may lack it.
    """

    schema_: Annotated[Literal["graphrag-cli/drift-state/1"], Field(alias="schema")]
    query: str
    asked: str | None = None
    seed: int
    models: ModelsDocument
    settings: dict[str, Cell | bool]
    levels: list[Count]
    nodes: list[NodeDocument]
    edges: list[EdgeDocument]


_HINT = f"a state is a file that `query drift --state FILE` wrote (schema {SCHEMA})"


def dump_state(state: Json) -> str:
    """``state`` as the text of a file: strict JSON, readable, ending in a newline."""
    return json.dumps(state, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def parse_json(text: str) -> Json:
    """The JSON in the text of a file. Raises ``UsageError``."""
    try:
        return cast("Json", jsontext.decode(text))
    except ValueError as error:
        raise UsageError(f"the DRIFT state is not JSON: {error}", hint=_HINT) from error


def read_document(data: Json) -> StateDocument:
    """``data`` checked: its shape, unique ids, a root, edges between known nodes that lead deeper.

    A document of a whole answer (``--format json``) is read by the state inside it. Raises ``UsageError``.
    """
    if isinstance(data, dict) and isinstance(data.get("drift"), dict):
        data = data["drift"]
    try:
        document = StateDocument.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise UsageError(f"not a DRIFT state: {where}: {first['msg']}", hint=_HINT) from error
    fault = _fault(document)
    if fault is not None:
        raise UsageError(f"not a DRIFT state: {fault}", hint=_HINT)
    return document


def _fault(document: StateDocument) -> str | None:
    """What is wrong with the graph; None when nothing is."""
    depth = {node.id: node.depth for node in document.nodes}
    if len(depth) != len(document.nodes):
        return "two nodes have the same id"
    for edge in document.edges:
        if edge.source not in depth or edge.target not in depth:
            return f"edge {edge.source} → {edge.target} lacks a node"
        if depth[edge.source] >= depth[edge.target]:
            return f"edge {edge.source} → {edge.target} does not lead deeper"
    parents: dict[str, list[str]] = {}
    for edge in document.edges:
        parents.setdefault(edge.target, []).append(edge.source)
    for node in document.nodes[1:]:
        if not node.parents:
            return f"node {node.id} was raised by none"
        if node.parents != parents.get(node.id):
            return f"the parents of node {node.id} are not the sources of its edges"
    known = {None, *depth}
    stray = next((node.id for node in document.nodes if node.merged_into not in known), None)
    return f"node {stray} is merged into one that is not there" if stray else None
