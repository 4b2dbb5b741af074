"""The tree of questions that a drift run asks, as it grows: pure state, and its lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.events import StepFinished, StepStarted, StepState

if TYPE_CHECKING:
    from rich.text import Text

    from graphrag_cli.cli.terminal.console import Symbols

STYLES: dict[str | None, str] = {
    "answered": "green",
    "empty": "dim",
    "failed": "red",
    "merged": "dim",
    "skipped": "dim",
    None: "yellow",
}

_ROOT = "primer"
"""Id under which the folds of the primer stand in the tree."""


@dataclass(slots=True)
class _Node:
    step_id: str
    query: str
    parent: str | None
    depth: int
    order: int
    state: StepState | None = None
    """None while it runs."""
    score: float | None = None
    children: list[str] = field(default_factory=list[str])


class StepTree:
    """Steps under the first of their parents, in the order in which they began."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Node] = {}
        self._roots: list[str] = []
        self._changes = 0
        self._folds: dict[str, StepState | None] = {}

    @property
    def size(self) -> int:
        """How many steps it holds."""
        return len(self._nodes)

    def take(self, event: StepStarted | StepFinished) -> None:
        """Adds a step that began, or marks one that ended. The folds of the primer count as one: the question itself."""
        self._changes += 1
        if event.stage == "primer":
            self._take_fold(event)
            return
        node = self._nodes.get(event.step_id)
        if node is None:
            parents = event.parents if isinstance(event, StepStarted) else ()
            root = _ROOT if _ROOT in self._nodes else None
            node = self._add(event, next((parent for parent in parents if parent in self._nodes), root))
        node.order = self._changes
        if isinstance(event, StepFinished):
            node.state, node.score = event.state, event.score

    def summary(self) -> str:
        """``9 questions, 6 answered, 1 failed``."""
        states = [node.state for node in self._nodes.values()]
        parts = [
            f"{len(states)} question{'s' if len(states) != 1 else ''}",
            f"{states.count('answered')} answered",
        ]
        failed = states.count("failed")
        return ", ".join([*parts, f"{failed} failed"] if failed else parts)

    def render(self, symbols: Symbols, *, rows: int) -> Text:
        """At most ``rows`` lines, one per step: what runs first, then what changed last; the rest is counted."""
        from rich.text import Text

        chosen = self._chosen(rows)
        text = Text(no_wrap=True, overflow="ellipsis")
        for node, level in self._walk():
            if node.step_id in chosen:
                text.append("  " * level)
                text.append(f"{symbol_of(node.state, symbols)} ", style=STYLES[node.state])
                text.append(plain_line(node.query), style="" if node.state in {None, "answered"} else "dim")
                if node.score is not None:
                    text.append(f"  score {node.score:.0f}", style="dim")
                text.append("\n")
        hidden = len(self._nodes) - len(chosen)
        if hidden:
            text.append(f"{symbols.running} {hidden} more\n", style="dim")
        text.right_crop(1)
        return text

    def _take_fold(self, event: StepStarted | StepFinished) -> None:
        node = self._nodes.get(_ROOT) or self._add(replace(event, step_id=_ROOT), None)
        node.order = self._changes
        if isinstance(event, StepStarted):
            self._folds[event.step_id] = None
        else:
            self._folds[event.step_id] = event.state
        ended = list(self._folds.values())
        if None not in ended:
            node.state = "answered" if "answered" in ended else self._folds[event.step_id]

    def _add(self, event: StepStarted | StepFinished, parent: str | None) -> _Node:
        node = _Node(event.step_id, event.query, parent, event.depth, self._changes)
        self._nodes[event.step_id] = node
        siblings = self._roots if parent is None else self._nodes[parent].children
        siblings.append(event.step_id)
        return node

    def _chosen(self, rows: int) -> set[str]:
        if len(self._nodes) <= rows:
            return set(self._nodes)
        by_interest = sorted(self._nodes.values(), key=lambda node: (node.state is not None, -node.order))
        return {node.step_id for node in by_interest[: max(rows - 1, 1)]}

    def _walk(self) -> Iterator[tuple[_Node, int]]:
        stack = [(step_id, 0) for step_id in reversed(self._roots)]
        while stack:
            step_id, level = stack.pop()
            node = self._nodes[step_id]
            yield node, level
            stack.extend((child, level + 1) for child in reversed(node.children))


def symbol_of(state: str | None, symbols: Symbols) -> str:
    """The sign of a step's state; None is for one that runs."""
    match state:
        case "answered":
            return symbols.done
        case "failed":
            return symbols.failed
        case "empty":
            return symbols.empty
        case "merged" | "skipped":
            return symbols.skipped
        case _:
            return symbols.running
