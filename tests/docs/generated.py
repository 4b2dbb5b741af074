"""The parts of README that are made from the code. ``python -m tests.docs.generated`` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from graphrag_cli.errors import CliError

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"

_PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def error_classes(root: type[CliError] = CliError) -> Iterator[type[CliError]]:
    """Every class of the tree, parents first."""
    yield root
    for child in root.__subclasses__():
        yield from error_classes(child)


def exit_status_table() -> str:
    """One row per exit status, from the classes."""
    meanings = {0: "answered, or the index holds no answer (`status` in the JSON says which)"}
    for error in error_classes():
        meanings.setdefault(error.exit_code, error.meaning)
    rows = "".join(f"| {status} | {meanings[status]} |\n" for status in sorted(meanings))
    return f"\n| status | meaning |\n|---|---|\n{rows}\n"


PARTS: dict[str, Callable[[], str]] = {"exit-status": exit_status_table}


def regenerate(text: str) -> str:
    """``text`` with every generated part made anew."""
    return _PART.sub(lambda part: f"{part[1]}{PARTS[part[2]]()}{part[4]}", text)


if __name__ == "__main__":
    README.write_text(regenerate(README.read_text(encoding="utf-8")), encoding="utf-8")
