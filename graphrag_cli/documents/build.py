"""From values to documents. Every float that JSON cannot hold becomes null."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphrag_cli.documents.event_shapes import ContextRecordShape, EventShape
from graphrag_cli.documents.report_shapes import ESTIMATE_SCHEMA, EstimateShape
from graphrag_cli.documents.shapes import (
    ANSWER_SCHEMA,
    ERROR_SCHEMA,
    AnswerShape,
    CellValue,
    CitationShape,
    ContextShape,
    DocumentRefShape,
    ErrorBody,
    ErrorShape,
    IndexShape,
    ModelsShape,
    PassageShape,
    RecordShape,
    SectionShape,
    StageUsageShape,
    UsageShape,
    WarningShape,
)
from graphrag_cli.errors import CliError
from graphrag_cli.events import (
    Answer,
    Cell,
    Citation,
    ContextBuilt,
    ContextRecord,
    Dataset,
    DocumentedEvent,
    DocumentRef,
    IndexSummary,
    ModelNames,
    Notice,
    Passage,
    RunFinished,
    RunStarted,
    RunWarning,
    SectionSummary,
    StageProgress,
    StageUsage,
    StateChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    Usage,
)

if TYPE_CHECKING:
    from graphrag_cli.engines.estimate import Estimate


def answer_document(answer: Answer) -> AnswerShape:
    """The document of ``--format json``."""
    document: AnswerShape = {
        "schema": ANSWER_SCHEMA,
        "method": answer.method,
        "question": answer.question,
        "standalone_question": answer.standalone_question,
        "status": answer.status,
        "answer": answer.text,
        "citations": [_citation(citation) for citation in answer.citations],
        "context": _context(answer.context),
        "sections": [_section(section) for section in answer.sections],
        "usage": usage_document(answer.usage),
        "timing": {stage: finite(seconds) for stage, seconds in answer.timing.items()},
        "seed": answer.seed,
        "models": _models(answer.models),
        "index": index_document(answer.index),
        "warnings": [_warning(warning) for warning in answer.warnings],
        "failed": list(answer.failed),
    }
    if answer.method == "drift":
        document["drift"] = answer.drift
    return document


def event_document(event: DocumentedEvent) -> EventShape:
    """The line of ``--format jsonl`` for one event."""
    match event:
        case RunStarted():
            return {
                "kind": "run_started",
                "method": event.method,
                "question": event.question,
                "seed": event.seed,
                "models": _models(event.models),
                "index": index_document(event.index),
            }
        case StageProgress():
            return {
                "kind": "stage_progress",
                "stage": event.stage,
                "done": event.done,
                "total": event.total,
                "detail": event.detail,
            }
        case ContextBuilt():
            return {
                "kind": "context_built",
                "records": [_context_record(record) for record in event.records],
                "sections": [_section(section) for section in event.sections],
                "tokens": event.tokens,
                "prompt": event.prompt,
                "step_id": event.step_id,
            }
        case StepStarted() | StepFinished():
            return _step(event)
        case StateChanged():
            return {"kind": "state_changed", "state": event.state}
        case TextDelta():
            return {"kind": "text_delta", "text": event.text}
        case Notice():
            return {"kind": "notice", "code": event.code, "text": event.text}
        case RunFinished():
            return {"kind": "run_finished", "answer": answer_document(event.answer)}


def error_body(error: CliError) -> ErrorBody:
    """What went wrong, as programs read it."""
    return {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "exit_status": error.exit_code,
    }


def error_document(error: CliError) -> ErrorShape:
    """Printed instead of an answer document."""
    return {"schema": ERROR_SCHEMA, "error": error_body(error)}


def usage_document(usage: Usage) -> UsageShape:
    """Calls and tokens: the sum, and by stage."""
    return {
        **_stage(usage.total),
        "by_stage": {name: _stage(stage) for name, stage in usage.by_stage.items()},
        "cost_usd": None if usage.cost_usd is None else finite(usage.cost_usd),
        "counted": usage.counted,
    }


def estimate_document(estimate: Estimate) -> EstimateShape:
    """The document of ``--dry-run --format json``."""
    return {
        "schema": ESTIMATE_SCHEMA,
        "method": estimate.method,
        "total": _stage(estimate.total),
        "by_stage": {name: _stage(stage) for name, stage in estimate.by_stage.items()},
        "cost_usd": None if estimate.cost_usd is None else finite(estimate.cost_usd),
        "exact_stages": list(estimate.exact_stages),
        "assumed": list(estimate.assumed),
    }


def index_document(index: IndexSummary) -> IndexShape:
    """Which index was read."""
    return {"path": index.path, "version": index.version, "counts": dict(index.counts)}


def finite(number: float) -> float | None:
    """``number``, or None where JSON has no name for it."""
    return number if math.isfinite(number) else None


def _cells(values: Mapping[str, Cell]) -> dict[str, CellValue]:
    return {name: finite(value) if isinstance(value, float) else value for name, value in values.items()}


def _document_ref(document: DocumentRef) -> DocumentRefShape:
    return {"id": document.id, "title": document.title}


def _passage(passage: Passage) -> PassageShape:
    return {
        "text_unit_id": passage.text_unit_id,
        "source_id": passage.source_id,
        "document": None if passage.document is None else _document_ref(passage.document),
        "excerpt": passage.excerpt,
    }


def _citation(citation: Citation) -> CitationShape:
    return {
        "dataset": citation.dataset,
        "id": citation.id,
        "title": citation.title,
        "in_context": citation.in_context,
        "exists": citation.exists,
        "record_id": citation.record_id,
        "documents": [_document_ref(document) for document in citation.documents],
        "passages": [_passage(passage) for passage in citation.passages],
        "excerpt": citation.excerpt,
    }


def _record(record: ContextRecord) -> RecordShape:
    return {
        "id": record.id,
        "record_id": record.record_id,
        "title": record.title,
        "values": _cells(record.values),
        "tokens": record.tokens,
        "why": _cells(record.why),
        "cut": record.cut,
    }


def _context_record(record: ContextRecord) -> ContextRecordShape:
    return {"dataset": record.dataset, **_record(record)}


def _context(context: Mapping[Dataset, tuple[ContextRecord, ...]]) -> ContextShape:
    def rows(dataset: Dataset) -> list[RecordShape]:
        return [_record(record) for record in context.get(dataset, ())]

    return {
        "reports": rows("reports"),
        "entities": rows("entities"),
        "relationships": rows("relationships"),
        "claims": rows("claims"),
        "sources": rows("sources"),
    }


def _section(section: SectionSummary) -> SectionShape:
    return {
        "dataset": section.dataset,
        "included": section.included,
        "left_out": section.left_out,
        "tokens": section.tokens,
        "budget": section.budget,
    }


def _stage(usage: StageUsage) -> StageUsageShape:
    return {
        "llm_calls": usage.llm_calls,
        "prompt_tokens": usage.prompt_tokens,
        "output_tokens": usage.output_tokens,
        "embedding_calls": usage.embedding_calls,
        "embedding_tokens": usage.embedding_tokens,
    }


def _models(models: ModelNames) -> ModelsShape:
    return {"chat": models.chat, "embedding": models.embedding}


def _warning(warning: RunWarning) -> WarningShape:
    return {"code": warning.code, "text": warning.text}


def _step(event: StepStarted | StepFinished) -> EventShape:
    if isinstance(event, StepStarted):
        return {
            "kind": "step_started",
            "step_id": event.step_id,
            "stage": event.stage,
            "query": event.query,
            "depth": event.depth,
            "parents": list(event.parents),
        }
    return {
        "kind": "step_finished",
        "step_id": event.step_id,
        "stage": event.stage,
        "state": event.state,
        "query": event.query,
        "answer": event.answer,
        "score": None if event.score is None else finite(event.score),
        "depth": event.depth,
        "follow_ups": list(event.follow_ups),
        "error": event.error,
        "seconds": finite(event.seconds),
    }
