"""The tree of communities, who is in which, and which of them a level uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index.graph import NO_ROWS, Csr, NumberIndex, Rows, csr_of_pairs
from graphrag_cli.index.lazy import Lazy

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Level


@dataclass(frozen=True, slots=True)
class Membership:
    """One pair per entity and community it is in: entity row, and row in the communities table."""

    entities: NDArray[np.int32]
    communities: NDArray[np.int32]


class CommunityTree:
    """Communities by number. Pseudo communities (number below 0) are not in it."""

    def __init__(
        self, numbers: Rows, levels: Rows, parents: Rows, members: Membership, entities: int
    ) -> None:
        self.numbers = numbers
        self.level_of = levels
        self._index = NumberIndex(numbers)
        self._parent_rows = np.where(numbers >= 0, self._index.rows(parents), -1)
        self._owners, self._homes = members.entities, members.communities
        if (numbers < 0).any():
            real = numbers[members.communities] >= 0
            self._owners, self._homes = members.entities[real], members.communities[real]
        self._entities = entities
        self.members = Lazy(lambda: csr_of_pairs(self._homes, self._owners, len(numbers)))
        """Community → entities."""
        self.children: Csr = csr_of_pairs(self._parent_rows, np.arange(len(numbers)), len(numbers))

    def rows(self, communities: Rows) -> Rows:
        """Row of each community number; -1 where there is none."""
        return np.where(communities >= 0, self._index.rows(communities), -1)

    def row(self, community: int) -> int:
        """Row of one community number; -1 where there is none."""
        return int(self.rows(np.array([community], np.int64))[0])

    def levels(self) -> list[int]:
        """The levels there are, ascending."""
        return [int(level) for level in np.unique(self.level_of[self.numbers >= 0])]

    def roots(self) -> Rows:
        """Numbers of the communities at the lowest level, ascending."""
        real = self.numbers >= 0
        if not real.any():
            return NO_ROWS
        lowest = self.level_of[real].min()
        return np.unique(self.numbers[real & (self.level_of == lowest)])

    def children_of(self, community: int) -> Rows:
        """Numbers of the children, ascending."""
        row = self.row(community)
        return NO_ROWS if row < 0 else np.sort(self.numbers[self.children.of(row)])

    def parent_of(self, community: int) -> int:
        """Number of the parent; -1 at the root, and for a parent that is not in the table."""
        row = self.row(community)
        parent = int(self._parent_rows[row]) if row >= 0 else -1
        return int(self.numbers[parent]) if parent >= 0 else -1

    def members_of(self, community: int) -> Rows:
        """Entity rows, ascending, each once."""
        row = self.row(community)
        return NO_ROWS if row < 0 else np.unique(self.members().of(row))

    def deepest(self, level: Level) -> Rows:
        """Per entity the number of its deepest community of level ≤ ``level``; -1 where it has none.

        Of several at the same depth (a damaged index) the one with the lowest number.
        """
        depth = self.level_of[self._homes]
        kept = np.ones(len(depth), np.bool_) if level == "deepest" else depth <= level
        owners, homes, depth = self._owners[kept], self._homes[kept], depth[kept]
        order = np.lexsort((-self.numbers[homes], depth))
        found = np.full(self._entities, -1, np.int64)
        found[owners[order]] = self.numbers[homes[order]]
        return found


def distinct_target_counts(groups: Csr, links: Csr, rows: Rows) -> NDArray[np.int64]:
    """How many distinct targets the members of each group link to; groups are expanded in slices to bound memory."""
    counts = np.zeros(len(rows), np.int64)
    width = np.int64(links.targets.max(initial=-1)) + 1
    for start in range(0, len(rows), 4096):
        part = rows[start : start + 4096]
        members, group = groups.of_many(part)
        targets, member = links.of_many(members)
        pairs = np.unique(group[member] * width + targets)
        counts[start : start + 4096] = np.bincount(pairs // max(width, 1), minlength=len(part))
    return counts
