"""Resolves the names in `graph/questions.yaml` to the ids that appear in citations."""

from __future__ import annotations

import yaml

from sample_index._model import Model, find_unit
from sample_index._sources import QuestionSource, SourceError, read_questions

HEADER = "# Written by `python -m sample_index.build` from graph/questions.yaml; do not edit.\n"


def questions(model: Model) -> list[dict[str, object]]:
    """One entry per question: id, method, question, expect (records and strings, or `no_data`)."""
    return [
        {"id": q.id, "method": q.method, "question": q.question, "expect": _expect(model, q)}
        for q in read_questions()
    ]


def render(model: Model) -> str:
    """The text of `expected.yaml`."""
    written: str = yaml.safe_dump(  # pyright: ignore[reportUnknownMemberType]
        questions(model), sort_keys=False, allow_unicode=True, width=110
    )
    return HEADER + written


def question_lines() -> str:
    """The text of `questions.txt`: every question that the index can answer, one per line."""
    return "".join(f"{q.question}\n" for q in read_questions() if q.answerable)


def _expect(model: Model, question: QuestionSource) -> object:
    if not question.answerable:
        return "no_data"
    return {"records": _records(model, question), "any_of_strings": list(question.strings)}


def _records(model: Model, question: QuestionSource) -> dict[str, list[int]]:
    """Acceptable ids by citation dataset: text unit rows, community numbers, human readable ids."""
    sources = [find_unit(model.units, phrase) for phrase in question.sources]
    named = set(question.entities)
    records = {
        "Reports": [_community(model, question.id, central) for central in question.reports],
        "Entities": [_entity(model, question.id, title) for title in question.entities],
        "Relationships": _relationships(model, question),
        "Claims": [
            i
            for i, claim in enumerate(model.claims)
            if claim.subject in named and model.claim_units[i] in sources
        ],
        "Sources": sources,
    }
    return {dataset: sorted(ids) for dataset, ids in records.items() if ids}


def _entity(model: Model, question: str, title: str) -> int:
    if title not in model.entity_at:
        raise SourceError(f"questions.yaml: {question}: no such entity: {title}")
    return model.entity_at[title]


def _relationships(model: Model, question: QuestionSource) -> list[int]:
    if question.relationships is None:
        named = set(question.entities)
        return [i for i, r in enumerate(model.relationships) if {r.source, r.target} <= named]
    at = {frozenset((r.source, r.target)): i for i, r in enumerate(model.relationships)}
    missing = [pair for pair in question.relationships if frozenset(pair) not in at]
    if missing:
        raise SourceError(f"questions.yaml: {question.id}: no such relationship: {missing[0]}")
    return [at[frozenset(pair)] for pair in question.relationships]


def _community(model: Model, question: str, central: tuple[str, ...]) -> int:
    for report in model.reports:
        if report.central == central:
            return report.community
    raise SourceError(f"questions.yaml: {question}: no report has the centre {central}")
