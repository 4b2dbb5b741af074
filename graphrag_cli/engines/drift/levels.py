"""The order of asking: which actions were asked at which level, how far they are read, which places are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_cli.engines.drift.action import DriftAction
    from graphrag_cli.engines.drift.state import QueryState


class Levels:
    """Level 0 holds the root alone; each later one at most ``places`` actions."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._asked: list[list[DriftAction]] = []
        self._read: list[int] = []
        self._free: dict[int, int] = {}

    @classmethod
    def of(cls, state: QueryState, places: int) -> Levels:
        """Those of a loaded state: levels that were closed have only the places that the settings now add."""
        levels = cls(places)
        highest = max((action.level for action in state.actions if action.level is not None), default=0)
        levels._asked = [state.asked_at(level) for level in range(highest + 1)]
        levels._read = [sum(action.read for action in level) for level in levels._asked]
        for level, before in enumerate(state.levels, start=1):
            levels._free[level] = max(0, places - before)
        following = len(state.levels) + 1
        if following <= highest:
            levels._free[following] = max(0, places - len(levels._asked[following]))
        return levels

    def __len__(self) -> int:
        return len(self._asked)

    def place(self, action: DriftAction, level: int) -> None:
        """Lets ``action`` be the last one asked, at ``level``."""
        while len(self._asked) <= level:
            self._asked.append([])
            self._read.append(0)
        action.level = level
        action.order = sum(len(actions) for actions in self._asked)
        self._asked[level].append(action)

    def take_places(self, level: int, count: int) -> None:
        """``count`` places of ``level`` are taken."""
        self._free[level] = self.places_left(level) - count

    def close(self, level: int) -> None:
        """No place of ``level`` is given out any more."""
        self._free[level] = 0

    def places_left(self, level: int) -> int:
        """How many actions may still be asked at ``level``."""
        return self._free.get(level, self._places)

    # -- reading ----------------------------------------------------------------------------------------------

    def next_unread(self, level: int) -> DriftAction | None:
        """The first one of ``level`` that is not read; None when all are."""
        actions = self._asked[level]
        return actions[self._read[level]] if self._read[level] < len(actions) else None

    def mark_read(self, level: int) -> None:
        """The next unread one is read."""
        self._read[level] += 1

    def unread(self, level: int) -> int:
        """How many of ``level`` are not read."""
        return len(self._asked[level]) - self._read[level]

    def scores_read(self, level: int) -> list[float]:
        """Scores of those that are."""
        read = self._asked[level][: self._read[level]]
        return [action.score for action in read if action.score is not None]

    # -- looking ----------------------------------------------------------------------------------------------

    def below_root(self) -> list[DriftAction]:
        """Everything asked as a step, level by level."""
        return [action for level in self._asked[1:] for action in level]

    def out(self) -> list[DriftAction]:
        """Asked, and without an ending."""
        return [action for action in self.below_root() if action.state == "asked"]
