"""What DRIFT puts into its prompts besides local contexts: the folds of the primer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from graphrag_cli.context.bundle import ContextBundle
from graphrag_cli.context.local import REPORTS
from graphrag_cli.context.packing import Draft, join_sections, pack_section

if TYPE_CHECKING:
    from graphrag_cli.index.records import Report
    from graphrag_cli.llm.base import TokenCounter


def split_folds(count: int, folds: int | None) -> list[range]:
    """Positions 0 to ``count`` in at most ``folds`` parts whose sizes differ by one at most; never an empty part."""
    parts = max(1, min(folds or 1, count))
    bounds = [count * number // parts for number in range(parts + 1)]
    return [range(start, stop) for start, stop in pairwise(bounds) if start < stop]


def build_fold(
    reports: Sequence[Report], similarities: Sequence[float], budget: int, tokens: TokenCounter
) -> ContextBundle:
    """The reports of one fold, most similar first, as many as fit ``budget`` tokens."""
    drafts = (
        Draft(
            report.id,
            report.title,
            (report.label, report.title, report.content),
            2,
            {"similarity": round(similarity, 4), "level": report.level},
        )
        for report, similarity in zip(reports, similarities, strict=True)
    )
    return join_sections([pack_section(REPORTS, drafts, len(reports), budget, tokens)], tokens)
