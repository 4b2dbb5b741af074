r"""The delimited tables that a context is made of.

A section is a heading (``-----Reports-----``), a header row and one row per record, cells parted by ``|``. A
backslash, the delimiter, a newline, a carriage return and a tab inside a cell are written ``\\``, ``\|``, ``\n``,
``\r`` and ``\t``, so that a row stays a row and reads back exactly. Quotes have no meaning and stand as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_cli.context.text import sendable
from graphrag_cli.events import Cell, Dataset

HEADINGS: Final[dict[Dataset, str]] = {
    "reports": "Reports",
    "entities": "Entities",
    "relationships": "Relationships",
    "claims": "Claims",
    "sources": "Sources",
}

_ESCAPES = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPE = re.compile(r"[\\|\n\r\t]")
_UNESCAPE = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_CELL = re.compile(r"(?:[^\\|]+|\\.)*\\?", re.DOTALL)


def heading(dataset: Dataset) -> str:
    """The heading line of a section, without its newline."""
    return f"-----{HEADINGS[dataset]}-----"


def write_cell(value: Cell) -> str:
    """``value`` as it stands between two delimiters; None is empty, whole floats lose their ``.0``."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:g}"
    return _ESCAPE.sub(lambda match: _ESCAPES[match.group()], sendable(str(value)))


def write_row(cells: Sequence[Cell]) -> str:
    """One row, without its newline."""
    return "|".join(map(write_cell, cells))


def read_row(line: str) -> tuple[str, ...]:
    """The cells of a row, unescaped: the inverse of ``write_row`` over strings."""
    cells: list[str] = []
    position = -1
    while position < len(line):
        end = _CELL.match(line, position + 1)
        written = end.group() if end else ""
        cells.append(_UNESCAPE.sub(lambda found: _UNESCAPED.get(found.group(1), found.group(1)), written))
        position += 1 + len(written)
    return tuple(cells)


@dataclass(frozen=True, slots=True)
class Table:
    """A section read back from a prompt."""

    dataset: Dataset
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def read_tables(text: str) -> Iterator[Table]:
    """The sections found in ``text``, in order; a section ends at the next heading or a blank line."""
    by_heading: dict[str, Dataset] = {heading(dataset): dataset for dataset in HEADINGS}
    current: Dataset | None = None
    lines: list[str] = []

    def finished() -> Iterator[Table]:
        if current is not None and lines:
            columns, *rows = (read_row(line) for line in lines)
            yield Table(current, columns, tuple(rows))

    for line in text.split("\n"):
        found = by_heading.get(line.strip())
        if found is not None or not line.strip():
            yield from finished()
            current, lines = found, []
        elif current is not None:
            lines.append(line)
    yield from finished()
