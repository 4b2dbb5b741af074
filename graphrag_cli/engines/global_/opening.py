"""Dynamic community selection as a policy: which reports to rate next, and which to use. Pure.

Rating starts at the top communities. A relevant one (rated at the threshold or above) has its children rated as
soon as it is rated itself; nothing waits for a whole level. When everything asked about is rated and nothing was
relevant, the next level down is rated, to ``max_level``. A relevant community steps back for
its relevant children, unless ``keep_parent``. What comes out depends on the ratings alone, not on their order.

A community without a report cannot be rated: its children take its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Hierarchy(Protocol):
    """The tree of communities, by number."""

    def roots(self) -> Sequence[int]:
        """Communities at the top."""
        ...

    def children(self, community: int) -> Sequence[int]:
        """Its children."""
        ...

    def has_report(self, community: int) -> bool:
        """Whether there is something to rate."""
        ...


@dataclass(frozen=True, slots=True)
class OpeningPolicy:
    """``deepest`` is the level below which nothing is rated (None: no such level); levels count from 0 at the top."""

    threshold: int
    keep_parent: bool
    max_level: int
    deepest: int | None = None


def majority(votes: Sequence[int]) -> int | None:
    """The rating that most votes gave; of several, the one nearest to the mean of all, then the higher. None without votes."""
    if not votes:
        return None
    counts = Counter(votes)
    most = max(counts.values())
    mean = sum(votes) / len(votes)
    return min((rating for rating in counts if counts[rating] == most), key=lambda r: (abs(r - mean), -r))


class Opening:
    """One selection under way."""

    def __init__(self, hierarchy: Hierarchy, policy: OpeningPolicy) -> None:
        self._tree = hierarchy
        self._policy = policy
        self._above: dict[int, int | None] = {}
        """Of each community given out, the one whose rating opened it."""
        self._levels: dict[int, int] = {}
        self._out: set[int] = set()
        self._passed: set[int] = set()
        """Communities without a report that were looked through; a tree that bites its tail ends here."""
        self._relevant: set[int] = set()
        self._reached: list[int] = list(hierarchy.roots())
        """All communities of the deepest level that was rated for want of anything relevant."""
        self._level = 0

    def start(self) -> list[int]:
        """The first communities to rate."""
        first = self._given_out(self._reached, 0, None)
        return first or self._fall_back()

    def rated(self, community: int, rating: int | None) -> list[int]:
        """Takes the rating of a community that was given out (None: none could be had); returns what to rate next."""
        self._out.discard(community)
        following: list[int] = []
        if rating is not None and rating >= self._policy.threshold:
            self._relevant.add(community)
            level = self._levels[community] + 1
            following = self._given_out(self._tree.children(community), level, community)
        if not following and not self._out and not self._relevant:
            return self._fall_back()
        return following

    @property
    def relevant(self) -> int:
        """How many were found relevant so far."""
        return len(self._relevant)

    def chosen(self) -> list[int]:
        """The communities whose reports are to be used, ascending."""
        if self._policy.keep_parent:
            return sorted(self._relevant)
        replaced = {self._above[community] for community in self._relevant}
        return sorted(self._relevant - replaced)

    def _given_out(self, communities: Sequence[int], level: int, above: int | None) -> list[int]:
        given: list[int] = []
        for community, at in self._with_reports(communities, level):
            if community not in self._levels:
                self._levels[community] = at
                self._above[community] = above
                self._out.add(community)
                given.append(community)
        return given

    def _with_reports(self, communities: Sequence[int], level: int) -> list[tuple[int, int]]:
        """Those that have a report, with their level; for one that has none, those below it that do."""
        found: list[tuple[int, int]] = []
        for community in communities:
            if self._policy.deepest is not None and level > self._policy.deepest:
                break
            if self._tree.has_report(community):
                found.append((community, level))
            elif community not in self._passed:
                self._passed.add(community)
                found += self._with_reports(self._tree.children(community), level + 1)
        return found

    def _fall_back(self) -> list[int]:
        """Everything at the next level that has something left to rate."""
        while self._level < self._policy.max_level and self._reached:
            self._reached = _flat(self._reached, self._tree.children)
            self._level += 1
            given = self._given_out(self._reached, self._level, None)
            if given:
                return given
        return []


def _flat(communities: Sequence[int], children: Callable[[int], Sequence[int]]) -> list[int]:
    return [child for community in communities for child in children(community)]
