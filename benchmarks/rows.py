"""What is measured: commands over projects, each with the same question for a second tool where it has one."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.indexes import ready
from benchmarks.project import write_settings
from benchmarks.spec import hub, sized

QUESTION: Final = "Who paid for the repairs, and why did it take so long?"
HUB_QUESTION: Final = "What does the hub do?"
METHODS: Final = ("local", "basic", "global", "drift")
REFERENCE: Final = "graphrag query --root {root} --method {method} {question}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``method`` is empty for commands that ask nothing."""

    name: str
    command: tuple[str, ...]
    project: Path | None = None
    width: int = 0
    """Of the vectors that the endpoint must give."""
    method: str = ""
    question: str = QUESTION
    others: bool = True
    """Whether another tool can run it."""


def tool(command: str | None) -> tuple[str, ...]:
    """The command under test."""
    return tuple(shlex.split(command)) if command else (sys.executable, "-m", "graphrag_cli")


def other(template: str, row: Row) -> tuple[str, ...] | None:
    """The same question for another tool; None where it cannot be asked."""
    if not row.method or row.project is None or not row.others:
        return None
    fields = {"root": str(row.project), "method": row.method, "question": row.question}
    return tuple(part.format(**fields) for part in shlex.split(template))


def query(command: Sequence[str], project: Path, method: str, question: str = QUESTION) -> tuple[str, ...]:
    """One question."""
    return (*command, "query", method, question, "--root", str(project), "--quiet")


def start_rows(command: Sequence[str]) -> list[Row]:
    """What runs before anything is asked."""
    return [
        Row(name, (*command, *arguments))
        for name, arguments in (
            ("--version", ("--version",)),
            ("--help", ("--help",)),
            ("query local --help", ("query", "local", "--help")),
        )
    ]


def method_rows(command: Sequence[str], cache: Path) -> list[Row]:
    """Every method on a small real index, where there is one, and on the sample index with embedded models."""
    rows: list[Row] = []
    found = os.environ.get("GRAPHRAG_CLI_INDEXES")
    indexes = Path(found) if found else Path(__file__).resolve().parents[2] / "shared" / "indexes"
    dulce = indexes / "dulce-3.1" / "output"
    if dulce.is_dir():
        project = cache / "dulce"
        write_settings(project, dulce, 3072)
        rows += [
            Row(f"{name}, Dulce", query(command, project, name), project, 3072, name) for name in METHODS
        ]
    sample = Path(__file__).resolve().parents[1]
    return rows + [Row(f"{name}, sample, embedded", query(command, sample, name)) for name in METHODS]


def size_rows(command: Sequence[str], cache: Path, sizes: Sequence[int], methods: Sequence[str]) -> list[Row]:
    """Methods over synthetic indexes. global asks the coarsest level, so that calls do not drown the rest."""
    rows: list[Row] = []
    for entities in sizes:
        project = ready(sized(entities), cache)
        for name in methods:
            asked = query(command, project, name)
            if name == "global":
                asked = (*asked, "--community-level", "0")
            rows.append(
                Row(
                    f"{name}, {entities:,} / {entities * 3:,}",
                    asked,
                    project,
                    1536,
                    name,
                    others=name != "global",
                )
            )
    return rows


def hub_rows(command: Sequence[str], cache: Path) -> list[Row]:
    """One entity with 20,000 relationships and 5,000 text units."""
    project = ready(hub(), cache)
    asked = query(command, project, "local", HUB_QUESTION)
    return [Row("local, hub 20,000 / 5,000", asked, project, 1536, "local", HUB_QUESTION)]
