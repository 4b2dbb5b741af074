"""The lines of ``--format jsonl``, one shape per event."""

from __future__ import annotations

from typing import Literal, TypeAlias

# pydantic reads only this TypedDict before Python 3.12.
from typing_extensions import TypedDict

from graphrag_cli.documents.shapes import (
    AnswerShape,
    AnyJson,
    ErrorBody,
    IndexShape,
    ModelsShape,
    RecordShape,
    SectionShape,
)
from graphrag_cli.events import Dataset, Method, StepState


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
