"""Fills a section with rows until its budget is spent. The budget is never exceeded.

Each row is counted once. Text joined from counted pieces can tokenise to a little more than the sum of the
pieces, so the finished section is counted once as a whole and rows are taken back while it is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from graphrag_cli.context.bundle import ContextBundle, Section
from graphrag_cli.context.tables import heading, write_row
from graphrag_cli.context.text import cut_to_tokens
from graphrag_cli.events import Cell, ContextRecord, Dataset, SectionSummary

if TYPE_CHECKING:
    from graphrag_cli.llm.base import TokenCounter

MIN_CUT_TOKENS = 24
"""A row shortened to less than this says nothing; it is left out instead."""

SECTION_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Draft:
    """A row that wants to go in. ``cells`` are its columns in order; ``shrinkable`` is the column that may be cut."""

    record_id: str
    title: str
    cells: tuple[Cell, ...]
    shrinkable: int
    why: dict[str, Cell] = field(default_factory=dict[str, Cell])


@dataclass(frozen=True, slots=True)
class Layout:
    """Which section, with which columns; the first column is the id that citations use."""

    dataset: Dataset
    columns: tuple[str, ...]


def pack_section(
    layout: Layout, drafts: Iterable[Draft], available: int, budget: int, tokens: TokenCounter
) -> Section:
    """As many of ``drafts``, in order, as fit ``budget`` tokens.

    Stops at the first that does not fit in what is left; one that is larger than the whole budget is cut at a
    sentence end and marked. ``drafts`` is consumed only as far as needed; ``available`` is how many there are.
    A section without rows has no text.
    """
    head = f"{heading(layout.dataset)}\n{write_row(layout.columns)}\n"
    head_tokens = tokens.count(head)
    room = budget - head_tokens
    filled: list[tuple[str, ContextRecord]] = []
    for draft in drafts if room > 0 else ():
        line = write_row(draft.cells) + "\n"
        size = tokens.count(line)
        cut = size > budget - head_tokens
        if cut:
            line, size = shortened(draft, room, tokens)
        if not line or size > room:
            break
        filled.append((line, as_record(layout, draft, size, cut=cut)))
        room -= size
        if cut:
            break
    text, size = _within(head, filled, budget, tokens)
    records = tuple(record for _, record in filled)
    summary = SectionSummary(layout.dataset, len(records), max(0, available - len(records)), size, budget)
    return Section(text, records, summary)


def shortened(draft: Draft, room: int, tokens: TokenCounter) -> tuple[str, int]:
    """The line of ``draft`` with its long column cut so that it takes at most ``room`` tokens, and its tokens.

    An empty line when too little would be left of it.
    """
    cells = list(draft.cells)
    cells[draft.shrinkable] = ""
    spare = room - tokens.count(write_row(cells) + "\n")
    text = str(draft.cells[draft.shrinkable] or "")
    while spare >= MIN_CUT_TOKENS:
        cells[draft.shrinkable] = cut_to_tokens(text, spare, tokens)
        line = write_row(cells) + "\n"
        size = tokens.count(line)
        if size <= room:
            return line, size
        # Escapes make the written cell longer than the text: give back at least what is over.
        spare -= max(1, size - room)
    return "", 0


def as_record(layout: Layout, draft: Draft, size: int, *, cut: bool) -> ContextRecord:
    """``draft`` as a row that was sent in ``size`` tokens."""
    return ContextRecord(
        dataset=layout.dataset,
        id=str(draft.cells[0]),
        record_id=draft.record_id,
        title=draft.title,
        values=dict(zip(layout.columns, draft.cells, strict=True)),
        tokens=size,
        why=draft.why,
        cut=cut,
    )


def _within(
    head: str, filled: list[tuple[str, ContextRecord]], budget: int, tokens: TokenCounter
) -> tuple[str, int]:
    """Text and tokens of the section; takes back the last rows of ``filled`` while the whole is over."""
    while filled:
        text = (head + "".join(line for line, _ in filled)).removesuffix("\n")
        size = tokens.count(text)
        if size <= budget:
            return text, size
        filled.pop()
    return "", 0


def join_sections(sections: Sequence[Section], tokens: TokenCounter) -> ContextBundle:
    """The sections that have rows, parted by a blank line."""
    text = SECTION_BREAK.join(section.text for section in sections if section.text)
    return ContextBundle(text, tuple(sections), tokens.count(text) if text else 0)


def fit_bundle(sections: Sequence[Section], budget: int, tokens: TokenCounter) -> ContextBundle:
    """``join_sections`` within ``budget``: the last rows of the last section go while the whole is over."""
    kept = list(sections)
    bundle = join_sections(kept, tokens)
    while bundle.tokens > budget and not bundle.is_empty:
        last = max(index for index, section in enumerate(kept) if section.records)
        kept[last] = _without_last_row(kept[last], tokens)
        bundle = join_sections(kept, tokens)
    return bundle


def _without_last_row(section: Section, tokens: TokenCounter) -> Section:
    records = section.records[:-1]
    text = "\n".join(section.text.split("\n")[:-1]) if records else ""
    summary = replace(
        section.summary,
        included=len(records),
        left_out=section.summary.left_out + 1,
        tokens=tokens.count(text) if text else 0,
    )
    return Section(text, records, summary)
