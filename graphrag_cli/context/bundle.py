"""The result of building a context: text for the prompt, and an account of what is in it and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphrag_cli.events import ContextRecord, Dataset, SectionSummary


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the context.

    ``text`` is as sent: heading, header row, rows. ``tokens`` counts exactly that text and never exceeds
    ``summary.budget``.
    """

    text: str
    records: tuple[ContextRecord, ...]
    summary: SectionSummary


def merge_summaries(parts: Iterable[SectionSummary]) -> tuple[SectionSummary, ...]:
    """Summaries of several contexts added up by data set, in the order in which the data sets first come."""
    totals: dict[Dataset, SectionSummary] = {}
    for part in parts:
        before = totals.get(part.dataset)
        totals[part.dataset] = (
            part
            if before is None
            else SectionSummary(
                part.dataset,
                before.included + part.included,
                before.left_out + part.left_out,
                before.tokens + part.tokens,
                before.budget + part.budget,
            )
        )
    return tuple(totals.values())


@dataclass(frozen=True, slots=True)
class ContextBundle:
    """The whole context of one call: ``text`` is the sections joined by a blank line."""

    text: str
    sections: tuple[Section, ...]
    tokens: int

    @property
    def records(self) -> tuple[ContextRecord, ...]:
        """The rows of every section, in the order sent."""
        return tuple(record for section in self.sections for record in section.records)

    @property
    def summaries(self) -> tuple[SectionSummary, ...]:
        """What each section included and left out."""
        return tuple(section.summary for section in self.sections)

    @property
    def is_empty(self) -> bool:
        """True when not a single row is in it."""
        return not any(section.records for section in self.sections)
