"""One line of the output: made from an answer or an error, and read back when a batch goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from graphrag_cli import jsontext
from graphrag_cli.documents.build import answer_document, error_body, finite
from graphrag_cli.documents.fields import pick
from graphrag_cli.documents.shapes import BATCH_SCHEMA
from graphrag_cli.documents.strict import dump_line

if TYPE_CHECKING:
    from graphrag_cli.batch.questions import BatchQuestion
    from graphrag_cli.errors import CliError
    from graphrag_cli.events import Answer

LineStatus: TypeAlias = Literal["answered", "no_data", "partial", "failed"]


@dataclass(frozen=True, slots=True)
class Done:
    """A question that has its line. ``text`` is the line with its newline."""

    id: str
    status: LineStatus
    text: str
    seconds: float = 0.0
    error: CliError | None = None
    fault: Exception | None = None
    """What was unexpected, for a traceback."""


def answered(question: BatchQuestion, answer: Answer, seconds: float, fields: Sequence[str] | None) -> Done:
    """The line of a question that was answered, wholly or partly, or for which there is no data."""
    document = answer_document(answer)
    chosen = document if fields is None else pick(document, fields)
    text = _line(question, answer.status, seconds, chosen, None)
    return Done(question.id, answer.status, text, seconds)


def failed(
    question: BatchQuestion, error: CliError, seconds: float, *, fault: Exception | None = None
) -> Done:
    """The line of a question that was not answered."""
    text = _line(question, "failed", seconds, None, {**error_body(error)})
    return Done(question.id, "failed", text, seconds, error, fault)


def read_line(text: str, question: BatchQuestion | None) -> Done | None:
    """A line that stands in the output, if it is a whole line of ``question``; else None."""
    document = parse_line(text)
    if document is None or question is None:
        return None
    same = (document.get("question"), document.get("method")) == (question.text, question.method)
    status = document.get("status")
    if not same or status not in {"answered", "no_data", "partial", "failed"}:
        return None
    return Done(question.id, cast("LineStatus", status), text)


def parse_line(text: str) -> Mapping[str, object] | None:
    """The document of a whole line of a batch; None when it is torn or something else."""
    if not text.endswith("\n"):
        return None
    try:
        value: object = jsontext.decode(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    document = cast("dict[str, object]", value)
    return document if document.get("schema") == BATCH_SCHEMA else None


def _line(
    question: BatchQuestion,
    status: LineStatus,
    seconds: float,
    answer: Mapping[str, object] | None,
    error: Mapping[str, object] | None,
) -> str:
    return dump_line(
        {
            "schema": BATCH_SCHEMA,
            "id": question.id,
            "line": question.line,
            "method": question.method,
            "question": question.text,
            "status": status,
            "seconds": finite(round(seconds, 3)),
            "answer": answer,
            "error": error,
        }
    )
