"""Hints are read one after the other on a terminal, so they are written in one style."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import graphrag_cli

PACKAGE = Path(graphrag_cli.__file__).parent


def hints() -> Iterator[tuple[str, str]]:
    """Place and text of every ``hint=`` whose text is in the source; what is filled in reads ``…``."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                text = written(node.value)
                if text:
                    yield f"{path.relative_to(PACKAGE)}:{node.value.lineno}", text


def written(value: ast.expr) -> str:
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(written(part) or "…" for part in parts)
        case _:
            return ""


def test_a_hint_begins_in_lower_case_and_ends_without_a_full_stop() -> None:
    found = dict(hints())
    assert len(found) > 100
    odd = [
        place
        for place, text in found.items()
        if (text[:1].isupper() and text[1:2].islower()) or (text.endswith(".") and ". " not in text)
    ]
    assert odd == []
