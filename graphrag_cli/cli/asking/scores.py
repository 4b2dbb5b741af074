"""The scores of ``check-answers``, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_cli.cli.terminal.console import print_prose
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.cli.terminal.tables import print_table
from graphrag_cli.documents.report_shapes import ANSWER_CHECK_SCHEMA
from graphrag_cli.evaluate.score import Score, totals

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.documents.report_shapes import AnswerCheckShape
    from graphrag_cli.evaluate.score import Total

_HEADERS = (
    "method",
    "passed",
    "expected retrieved",
    "cited were expected",
    "citations resolve",
    "status right",
)


def print_scores(scores: Sequence[Score], consoles: Consoles) -> None:
    """On stdout: what did not pass and why, then a row per method."""
    for one in scores:
        if not one.passed:
            asked = f"{consoles.symbols.failed} {one.case.id}: {one.case.question}"
            print_prose(consoles.out, plain_line(asked), hang=2)
            for fault in one.faults:
                print_prose(consoles.out, f"    {plain_line(fault)}")
    print_table(consoles.out, _HEADERS, [_row(total) for total in totals(scores)])


def _row(total: Total) -> list[str]:
    shares = (total.recall, total.precision, total.resolved, total.outcomes_right)
    return [total.name, f"{total.passed} of {total.cases}", *map(_percent, shares)]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def scores_document(scores: Sequence[Score]) -> AnswerCheckShape:
    """The same as one document."""
    return {
        "schema": ANSWER_CHECK_SCHEMA,
        "cases": [
            {
                "id": one.case.id,
                "method": one.case.method,
                "question": one.case.question,
                "passed": one.passed,
                "faults": list(one.faults),
                "recall": one.recall,
                "precision": one.precision,
                "resolved": one.resolved,
                "outcome_right": one.outcome_right,
                "seconds": one.seconds,
            }
            for one in scores
        ],
        "totals": [
            {
                "name": total.name,
                "cases": total.cases,
                "passed": total.passed,
                "recall": total.recall,
                "precision": total.precision,
                "resolved": total.resolved,
                "outcomes_right": total.outcomes_right,
            }
            for total in totals(scores)
        ],
    }
