"""One answer against its case, and sums over many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from graphrag_cli.events import DATASETS, Method

if TYPE_CHECKING:
    from graphrag_cli.documents.shapes import AnswerShape
    from graphrag_cli.evaluate.cases import Case

Key: TypeAlias = tuple[str, str]
"""Dataset and citation id."""


@dataclass(frozen=True, slots=True)
class Score:
    """What came of one case. A share is None where nothing was expected or nothing cited."""

    case: Case
    seconds: float
    faults: tuple[str, ...]
    """Why it does not pass; empty when it does."""
    recall: float | None = None
    """Share of the expected records that were in the context."""
    precision: float | None = None
    """Share of the cited records that were expected."""
    resolved: float | None = None
    """Share of the cited records that exist and were in the context."""
    outcome_right: bool = False

    @property
    def passed(self) -> bool:
        """True when nothing is at fault."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class Total:
    """Means over the cases of one method, or of all."""

    name: str
    cases: int
    passed: int
    recall: float | None
    precision: float | None
    resolved: float | None
    outcomes_right: float


def score(case: Case, answer: AnswerShape | None, error: str | None, seconds: float) -> Score:
    """Scores ``answer``; None is a question that failed with ``error``."""
    if answer is None:
        return Score(case, seconds, (f"no answer: {error}",))
    outcome_right = (answer["status"] == "no_data") == (case.outcome == "no_data")
    expected: set[Key] = {(dataset, one) for dataset, ids in case.records.items() for one in ids}
    cited: set[Key] = {(citation["dataset"], citation["id"]) for citation in answer["citations"]}
    good = [citation["exists"] and citation["in_context"] for citation in answer["citations"]]
    return Score(
        case=case,
        seconds=seconds,
        faults=tuple(_faults(case, answer, expected, cited)),
        recall=_share(expected & _sent(answer), expected),
        precision=_share(cited & expected, cited) if expected else None,
        resolved=sum(good) / len(good) if good else None,
        outcome_right=outcome_right,
    )


def totals(scores: Sequence[Score]) -> list[Total]:
    """One total per method, and one of all when there are several methods."""
    methods: list[Method] = [score.case.method for score in scores]
    by_method = [
        _total(method, [score for score in scores if score.case.method == method])
        for method in dict.fromkeys(methods)
    ]
    return by_method if len(by_method) == 1 else [*by_method, _total("all", scores)]


def _total(name: str, scores: Sequence[Score]) -> Total:
    return Total(
        name=name,
        cases=len(scores),
        passed=sum(score.passed for score in scores),
        recall=_mean(score.recall for score in scores),
        precision=_mean(score.precision for score in scores),
        resolved=_mean(score.resolved for score in scores),
        outcomes_right=sum(score.outcome_right for score in scores) / len(scores),
    )


def _faults(case: Case, answer: AnswerShape, expected: set[Key], cited: set[Key]) -> Iterable[str]:
    if (answer["status"] == "no_data") != (case.outcome == "no_data"):
        yield f"status is {answer['status']}, expected {case.outcome}"
        return
    if expected and not expected & cited:
        yield "cites none of the expected records"
    text = answer["answer"].casefold()
    if case.any_of and not any(one.casefold() in text for one in case.any_of):
        yield f"contains none of {list(case.any_of)}"
    missing = [one for one in case.all_of if one.casefold() not in text]
    if missing:
        yield f"does not contain {missing}"
    bad = [
        citation for citation in answer["citations"] if not (citation["exists"] and citation["in_context"])
    ]
    if bad:
        yield "citations that do not resolve: " + ", ".join(f"{one['dataset']} ({one['id']})" for one in bad)


def _sent(answer: AnswerShape) -> set[Key]:
    return {(dataset, record["id"]) for dataset in DATASETS for record in answer["context"][dataset]}


def _share(part: set[Key], whole: set[Key]) -> float | None:
    return len(part) / len(whole) if whole else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
