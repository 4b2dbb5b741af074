"""Reads the tables of a context back from a prompt: the inverse of ``graphrag_cli.context.tables``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphrag_cli.context.tables import HEADINGS, heading
from graphrag_cli.events import Dataset

_UNESCAPE = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_CELL = re.compile(r"(?:[^\\|]+|\\.)*\\?", re.DOTALL)


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
