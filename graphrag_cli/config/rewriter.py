"""Settings while their spelling is being changed: values that move from key to key, and what is told about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from graphrag_cli.config.leaves import Key, Leaf, Leaves, below, dotted, names_below, put, wins
from graphrag_cli.config.loaded import Finding

Release: TypeAlias = Literal["1", "2", "3"]


class Rewriter:
    """The leaves while they are rewritten, and what there is to tell about it."""

    def __init__(self, leaves: Leaves) -> None:
        self.leaves: Leaves = dict(leaves)
        self.remarks: list[Finding] = []

    def get(self, *key: str) -> object:
        """The value under ``key``; None when there is none."""
        leaf = self.leaves.get(key)
        return leaf.value if leaf else None

    def names(self, *prefix: str) -> list[str]:
        """Names directly under ``prefix``."""
        return names_below(self.leaves, prefix)

    def move(self, old: Key, *new: Key) -> None:
        """Moves ``old`` and what is below it to each of ``new``; what is there already from as strong an origin stays."""
        taken = {key: self.leaves.pop(key) for key in below(self.leaves, old)}
        for key, leaf in taken.items():
            for target in new:
                self.offer((*target, *key[len(old) :]), leaf)

    def offer(self, key: Key, leaf: Leaf) -> None:
        """Sets ``key`` unless it is set by an origin at least as strong."""
        old = self.leaves.get(key)
        if old is None or (wins(leaf, old) and not wins(old, leaf)):
            put(self.leaves, key, leaf)

    def put(self, key: Key, leaf: Leaf) -> None:
        """Sets ``key`` whatever is there."""
        put(self.leaves, key, leaf)

    def change(self, key: Key, convert: Callable[[object], object]) -> None:
        """Replaces the value under ``key``, if there is one; None removes it."""
        if key in self.leaves:
            leaf = self.leaves[key]
            value = convert(leaf.value)
            if value is None:
                del self.leaves[key]
            else:
                self.leaves[key] = Leaf(value, leaf.origin)

    def drop(self, key: Key, reason: str | None = None) -> None:
        """Removes ``key`` and what is below it; with a reason, ``config check`` tells so."""
        gone = below(self.leaves, key)
        if gone and reason:
            self.remark(key, self.leaves[gone[0]], reason)
        for found in gone:
            del self.leaves[found]

    def remark(self, key: Key, leaf: Leaf, reason: str) -> None:
        """Notes that a key has no effect, for ``config check``."""
        text = f"{leaf.origin}: {dotted(key)} is read and has no effect: {reason}"
        self.remarks.append(Finding("warning", "settings.no_effect", dotted(key), text))
