r"""The delimited tables that a context is made of.

A section is a heading (``-----Reports-----``), a header row and one row per record, cells parted by ``|``. A
backslash, the delimiter, a newline, a carriage return and a tab inside a cell are written ``\\``, ``\|``, ``\n``,
``\r`` and ``\t``, so that a row stays a row and reads back exactly. Quotes have no meaning and stand as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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


def heading(dataset: Dataset) -> str:
    """The heading line of a section, without its newline."""
    return f"-----{HEADINGS[dataset]}-----"


def write_cell(value: Cell) -> str:
    """``value`` as it stands between two delimiters.

    None and NaN are empty, whole numbers lose their ``.0``, others keep six significant digits.
    """
    if value is None or value != value:  # NaN differs from itself
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:g}"
    return _ESCAPE.sub(lambda match: _ESCAPES[match.group()], sendable(str(value)))


def write_row(cells: Sequence[Cell]) -> str:
    """One row, without its newline."""
    return "|".join(map(write_cell, cells))
