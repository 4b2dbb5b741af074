"""Figures as a table on a terminal, and as JSON lines for a machine."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.measure import Figure

HEAD = ("", "wall s", "best s", "cpu s", "peak MiB", "other s", "ratio", "other MiB")


def cells(name: str, own: Figure, other: Figure | None) -> tuple[str, ...]:
    """One line of the table."""
    if own.failed:
        return (name, f"failed: {own.failed.splitlines()[-1][:100]}")
    line = (name, f"{own.wall:.2f}", f"{own.best:.2f}", f"{own.cpu:.2f}", f"{own.peak / 2**20:.0f}")
    if other is None:
        return line
    if other.failed:
        return (*line, "failed")
    return (*line, f"{other.wall:.2f}", f"× {other.wall / own.wall:.1f}", f"{other.peak / 2**20:.0f}")


WIDTHS = (40, 8, 8, 8, 9, 9, 8, 10)
"""Lines are printed one at a time, so columns have fixed widths."""


def rendered(line: Sequence[str]) -> str:
    """The line with its columns in place."""
    first, *rest = line
    padded = [cell.rjust(width) for cell, width in zip(rest, WIDTHS[1:], strict=False)]
    return "  ".join([first.ljust(WIDTHS[0]), *padded])


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Growth of time with size between the smallest and the largest: 0 is flat, 1 in proportion."""
    return math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])


def append(path: Path, name: str, own: Figure, other: Figure | None) -> None:
    """One JSON line."""
    document = {"name": name, "own": asdict(own), "other": asdict(other) if other else None}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(document) + "\n")
