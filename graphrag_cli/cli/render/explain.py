"""``--explain``: what is in the context and why, and what the budget left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphrag_cli.cli.terminal.console import Symbols
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.events import Cell, ContextRecord, SectionSummary

_BAR = 20
_TITLE = 48


def explain_lines(
    records: Sequence[ContextRecord], sections: Sequence[SectionSummary], symbols: Symbols
) -> list[str]:
    """A bar per section, then a line per record of it."""
    lines: list[str] = []
    for section in sections:
        lines.append(section_line(section, symbols))
        rows = [record for record in records if record.dataset == section.dataset]
        width = max((len(record.id) for record in rows), default=0)
        lines.extend(f"  {record_line(record, width, symbols)}" for record in rows)
    return lines


def section_line(section: SectionSummary, symbols: Symbols) -> str:
    """``reports        ████░░░░  1 200 of 3 000 tokens, 4 in, 2 left out``."""
    filled = round(_BAR * min(section.tokens / section.budget, 1.0)) if section.budget else 0
    bar = symbols.full * filled + symbols.half * (_BAR - filled)
    left_out = f", {section.left_out} left out" if section.left_out else ""
    return f"{section.dataset:<13}  {bar}  {section.tokens} of {section.budget} tokens, {section.included} in{left_out}"


def record_line(record: ContextRecord, id_width: int, symbols: Symbols) -> str:
    """``12  AMUNDSEN  57 tokens  similarity 0.71, rank 1``."""
    title = plain_line(record.title or _longest(record))
    title = title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + symbols.running
    why = reasons(record.why)
    cut = ", cut to fit" if record.cut else ""
    return f"{record.id:>{id_width}}  {title:<{_TITLE}}  {record.tokens:>5} tokens  {why}{cut}".rstrip()


def _longest(record: ContextRecord) -> str:
    """What a record without a title says: the longest of its texts."""
    return max((value for value in record.values.values() if isinstance(value, str)), key=len, default="")


def reasons(why: Mapping[str, Cell]) -> str:
    """``similarity 0.71, matches 3``."""
    return ", ".join(
        f"{name.replace('_', ' ')} {_value(value)}" for name, value in why.items() if value is not None
    )


def _value(value: Cell) -> str:
    return f"{value:.3g}" if isinstance(value, float) else plain_line(str(value))
