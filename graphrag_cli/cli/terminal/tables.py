"""Small tables for stdout: aligned and wrapped on a terminal, one line per row in a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_cli.cli.terminal.console import is_live
from graphrag_cli.cli.terminal.plain import plain_line

if TYPE_CHECKING:
    from rich.console import Console

_GAP = 2


def print_table(console: Console, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints ``rows`` under ``headers``; foreign text in cells is made safe."""
    cells = [[plain_line(cell) for cell in row] for row in rows]
    if is_live(console):
        _print_wrapped(console, headers, cells)
    else:
        for line in aligned([list(headers), *cells]):
            console.file.write(f"{line}\n")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """One line per row, columns as wide as their widest cell as a terminal counts it."""
    from rich.cells import cell_len

    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "".join(
            cell + " " * (width - cell_len(cell) + _GAP) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _print_wrapped(console: Console, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for position, header in enumerate(headers):
        word = max(cell_len(word) for word in header.split())
        table.add_column(header, no_wrap=position == 0 and len(headers) > 1, overflow="fold", min_width=word)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
