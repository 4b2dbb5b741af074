"""Community reports as batches for the map stage of global search. Pure; the shuffle is seeded."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphrag_cli.context.bundle import ContextBundle, Section, merge_summaries
from graphrag_cli.context.packing import Draft, Layout, as_record, shortened
from graphrag_cli.context.tables import heading, write_row
from graphrag_cli.events import SectionSummary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_cli.index.records import Report
    from graphrag_cli.llm.base import TokenCounter

WEIGHTED_REPORTS = Layout("reports", ("id", "title", "occurrence weight", "content", "rank"))
CONTENT = 3

HEAD = f"{heading('reports')}\n{write_row(WEIGHTED_REPORTS.columns)}\n"


@dataclass(frozen=True, slots=True)
class WeighedReport:
    """A report and its occurrence weight, 0 to 1."""

    report: Report
    weight: float


@dataclass(frozen=True, slots=True)
class ReportBatch:
    """The reports of one map call: as rows, and as the text that is sent."""

    reports: tuple[WeighedReport, ...]
    bundle: ContextBundle


def weigh(reports: Sequence[Report], weights: NDArray[Any]) -> list[WeighedReport]:
    """Each report with its weight; ``weights`` has one per report."""
    return [WeighedReport(report, round(float(w), 4)) for report, w in zip(reports, weights, strict=True)]


def batch_reports(
    reports: Sequence[WeighedReport], seed: int, budget: int, tokens: TokenCounter
) -> list[ReportBatch]:
    """All ``reports`` in batches whose text takes at most ``budget`` tokens each.

    Shuffled by ``seed``, so that no batch holds only what matters least; inside a batch by weight, then rank. One that
    is larger than a batch is cut at a sentence end and marked. Reports that not even so fit a batch are
    left out, which takes a budget of a few dozen tokens.
    """
    shuffled = list(reports)
    random.Random(seed).shuffle(shuffled)
    head = tokens.count(HEAD)
    lines = [line for report in shuffled if (line := _line(report, budget - head, tokens)).text]
    batches: list[ReportBatch] = []
    while lines:
        taken = _as_many_as_fit(lines, budget - head)
        batch = _batch(lines[:taken], budget, tokens)
        while batch.bundle.tokens > budget and taken > 1:
            taken -= 1
            batch = _batch(lines[:taken], budget, tokens)
        if batch.bundle.tokens > budget:  # a single line that takes more with its heading than apart
            over = batch.bundle.tokens - budget
            lines[0] = _line(lines[0].source, lines[0].tokens - over, tokens)
            lines = [line for line in lines if line.text]
            continue
        batches.append(batch)
        lines = lines[taken:]
    return batches


def split_batch(batch: ReportBatch, tokens: TokenCounter) -> list[ReportBatch]:
    """``batch`` in two halves, for a model that found it too long; a single report is cut to half its tokens.

    Empty when nothing of use would be left.
    """
    halves = _halves(batch.reports)
    if len(halves) == 2:
        whole = batch.bundle.tokens
        return [_batch([_line(one, whole, tokens) for one in half], whole, tokens) for half in halves]
    budget = batch.bundle.tokens // 2
    line = _line(batch.reports[0], budget - tokens.count(HEAD), tokens)
    return [_batch([line], budget, tokens)] if line.text else []


@dataclass(frozen=True, slots=True)
class _Line:
    """A report as it is written: its row, the tokens of that, and whether it was cut."""

    source: WeighedReport
    text: str
    tokens: int
    cut: bool


def _draft(one: WeighedReport) -> Draft:
    report = one.report
    cells = (report.label, report.title, one.weight, report.content, report.rank)
    why = {"occurrence weight": one.weight, "rank": report.rank, "level": report.level}
    return Draft(report.id, report.title, cells, CONTENT, dict(why))


def _line(one: WeighedReport, room: int, tokens: TokenCounter) -> _Line:
    draft = _draft(one)
    text = write_row(draft.cells) + "\n"
    size = tokens.count(text)
    cut = size > room
    if cut:
        text, size = shortened(draft, room, tokens)
    return _Line(one, text, size, cut)


def _as_many_as_fit(lines: Iterable[_Line], room: int) -> int:
    taken = 0
    for line in lines:
        room -= line.tokens
        if room < 0 and taken:
            break
        taken += 1
    return taken


def _batch(lines: Sequence[_Line], budget: int, tokens: TokenCounter) -> ReportBatch:
    ordered = sorted(
        lines,
        key=lambda line: (-line.source.weight, -line.source.report.rank, line.source.report.community),
    )
    text = (HEAD + "".join(line.text for line in ordered)).removesuffix("\n")
    size = tokens.count(text)
    records = tuple(
        as_record(WEIGHTED_REPORTS, _draft(line.source), line.tokens, cut=line.cut) for line in ordered
    )
    section = Section(text, records, SectionSummary("reports", len(records), 0, size, budget))
    return ReportBatch(tuple(line.source for line in ordered), ContextBundle(text, (section,), size))


def _halves(reports: Sequence[WeighedReport]) -> list[Sequence[WeighedReport]]:
    middle = (len(reports) + 1) // 2
    return [half for half in (reports[:middle], reports[middle:]) if half]


def summarise(batches: Sequence[ReportBatch]) -> tuple[SectionSummary, ...]:
    """The summary of all batches together; none when there are no batches."""
    return merge_summaries(summary for batch in batches for summary in batch.bundle.summaries)
