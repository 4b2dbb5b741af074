"""The graph of questions as a tree for reading: each question under the first that raised it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_cli.engines.drift.document import NodeDocument, StateDocument

UNASKED = frozenset({"merged", "skipped", "waiting"})


@dataclass(frozen=True, slots=True)
class Branch:
    """A question and what it raised. ``hidden`` is how many of its follow-ups are not among ``children``."""

    node: NodeDocument
    children: tuple[Branch, ...]
    hidden: int

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Branch]]:
        """This branch and all below it, top down, each with its distance from here."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


def build_tree(document: StateDocument, *, everything: bool) -> Branch | None:
    """The tree from the root; None when there is no node. ``everything`` keeps what was not asked.

    Asked questions come first, in the order of asking, then the others in the order in which they were raised.
    """
    if not document.nodes:
        return None
    below: dict[str, list[NodeDocument]] = {}
    for node in document.nodes[1:]:
        below.setdefault(node.parents[0], []).append(node)
    return _branch(document.nodes[0], below, everything)


def _branch(node: NodeDocument, below: dict[str, list[NodeDocument]], everything: bool) -> Branch:
    raised = below.get(node.id, [])
    shown = [child for child in raised if everything or child.state not in UNASKED]
    shown.sort(key=lambda child: (child.order is None, child.order or 0))
    children = tuple(_branch(child, below, everything) for child in shown)
    return Branch(node, children, len(raised) - len(shown))
