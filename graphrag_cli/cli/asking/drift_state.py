"""Reading a DRIFT state from a file, and its tree as text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from graphrag_cli.cli.render.steps import STYLES, symbol_of
from graphrag_cli.cli.render.usage import plural, spaced
from graphrag_cli.cli.terminal.plain import plain, plain_line
from graphrag_cli.cli.terminal.source import read_file

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.console import Symbols
    from graphrag_cli.engines.drift.document import NodeDocument, StateDocument
    from graphrag_cli.events import Json


_HANG = 2
"""Columns of the sign in front of a question, or of an item."""


def read_state_file(path: Path) -> Json:
    """The JSON of a state file, not yet checked. Raises ``UsageError``."""
    from graphrag_cli.engines.drift.document import parse_json

    return parse_json(read_file(path, hint="name a file that --state wrote"))


def open_state(path: Path) -> StateDocument:
    """The state in a file, checked. Raises ``UsageError``."""
    from graphrag_cli.engines.drift.document import read_document

    return read_document(read_state_file(path))


def tree_lines(
    state: StateDocument, symbols: Symbols, *, everything: bool, answers: bool
) -> list[tuple[Text, int]]:
    """One line per question, indented under who raised it, each with how far it hangs when it is broken.

    ``everything`` also shows what was raised but not asked; ``answers`` puts each answer below its question.
    """
    from graphrag_cli.engines.drift.export.tree import build_tree

    root = build_tree(state, everything=everything)
    lines: list[tuple[Text, int]] = []
    for depth, branch in () if root is None else root.walk():
        lines.append((_line(branch.node, depth, branch.hidden, symbols), _HANG))
        if answers and branch.node.answer:
            for text in plain(branch.node.answer).splitlines():
                item = text.lstrip().startswith(("- ", "* "))
                lines.append((Text(f"{'  ' * depth}    {text}"), _HANG if item else 0))
    return lines


def _line(node: NodeDocument, depth: int, hidden: int, symbols: Symbols) -> Text:
    line = Text("  " * depth)
    line.append(f"{symbol_of(node.state, symbols)} ", style=STYLES.get(node.state, "yellow"))
    line.append(plain_line(node.query), style="" if node.state == "answered" else "dim")
    facts = [*_facts(node), f"{hidden} more not asked"] if hidden else _facts(node)
    return line.append(f"  {', '.join(facts)}", style="dim")


def state_summary(state: StateDocument) -> str:
    """``14 questions: 12 answered, 2 merged; 13 calls, 41 200 tokens``."""
    states = [node.state for node in state.nodes]
    counts = [f"{states.count(name)} {name}" for name in dict.fromkeys(states)]
    calls = sum(node.llm_calls for node in state.nodes)
    tokens = sum(node.prompt_tokens + node.output_tokens for node in state.nodes)
    head = f"{plural(len(states), 'question')}: {', '.join(counts)}" if states else "no question yet"
    return f"{head}; {plural(calls, 'call')}, {plural(tokens, 'token')}"


def _facts(node: NodeDocument) -> list[str]:
    facts = [] if node.score is None else [f"score {node.score:g}"]
    tokens = node.prompt_tokens + node.output_tokens
    if tokens:
        facts.append(f"{spaced(tokens)} tokens")
    if node.seconds:
        facts.append(f"{node.seconds:.1f} s")
    if node.state != "answered":
        facts.append(plain_line(node.error or node.reason or node.state))
    return facts
