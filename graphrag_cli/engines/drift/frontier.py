"""What DRIFT asks next, decided so that the same replies give the same graph in whatever order they arrive.

The rule is that of a processor which executes out of order and retires in order. Replies arrive when they
like; they are **read** in the order in which their questions were asked, and only reading decides anything:

1. *Reading* an action takes its follow-ups in the order of its reply. One that is word for word or nearly (cosine
   ≥ ``duplicate_threshold``) a question asked or waiting is **merged** into that one. The others **wait**.
2. *At once* the action may then fill its share of the places still free at the next level (free places ÷ actions of its
   level not read yet, rounded down) with the best of its own follow-ups: those that would have a place if the level
   were closed now, and only if it scored at least the mean of those read at its level so far. So follow-ups
   run while siblings of their parent are still out.
3. *When the whole level is read*, the places that are left go to the best of everything waiting, whoever raised it and
   whenever: nothing good is lost because its parent was late, and a weak parent's share goes to strong ones.

*Best* is ``selection.priority`` (the parent's score, closeness to the question, distance from the follow-ups asked so far), taken one
at a time, since each question asked makes its neighbours less new. Equal ones are ordered by the seed.

Why the outcome does not depend on arrival: the order of asking is extended by reading alone, reading goes along that
order, and each decision sees the actions read before it and nothing of those still out. By induction every prefix
of the order, and with it every id, edge and decision, is a function of settings, seed and replies. The price is that a reply may have to
wait for an earlier one of its level (never for a later one) before its follow-ups start. Merging against everything
needs that: if of two siblings each could start its follow-ups before the other was known, then two
near-duplicates could each be asked first, and no rule could merge them without throwing a paid reply away.

This module holds no clock, no task and no model: the engine tells it what finished and starts what it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.engines.drift.action import DriftAction, question_key
from graphrag_cli.engines.drift.levels import Levels
from graphrag_cli.engines.drift.selection import (
    Candidate,
    Policy,
    QuestionSpace,
    Standing,
    choose_followups,
    is_promising,
    share_of_places,
    unit_rows,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from graphrag_cli.engines.drift.state import QueryState


NOT_EMBEDDED = "its words could not be embedded"


class Frontier:
    """The edge between what was asked and what may be. One per run; not for use from several threads."""

    def __init__(self, state: QueryState, policy: Policy, space: QuestionSpace) -> None:
        self.state = state
        self.policy = policy
        self.space = space
        self._rows: dict[str, int] = {}
        """Row of each question in ``space``, by id."""
        self._arrived: dict[DriftAction, ArrayLike | None] = {}
        """Vectors of the follow-ups of actions that ended and are not read."""
        self._levels = Levels(policy.places)
        self._standing = Standing(space, policy.duplicate_threshold)
        self._level = 0
        self._done = False

    # -- what the engine calls --------------------------------------------------------------------------------

    def start(self, root: DriftAction, vectors: ArrayLike | None) -> list[DriftAction]:
        """Begins at ``root``, which had its turn; returns the first questions to ask.

        When all that it raised is the question over again, in whatever words, the question itself is asked in their place.
        """
        if self._only_repeats(root, vectors):
            root.follow_ups = [DriftAction(root.query)]
            vectors = self.space.vector(0)
        self.state.add_action(root)
        self._rows[root.id] = 0
        if root_stands(root):
            self._standing.add(root.id, root.query, 0)
        self._levels.place(root, 0)
        return self.finished(root, vectors)

    def _only_repeats(self, root: DriftAction, vectors: ArrayLike | None) -> bool:
        if vectors is None or root.state != "answered":
            return False
        nearness = unit_rows(vectors) @ unit_rows(self.space.vector(0))[0]
        return all(
            question_key(child.query) == question_key(root.query) or near >= self.policy.duplicate_threshold
            for child, near in zip(root.follow_ups, nearness.tolist(), strict=True)
        )

    def hold(self, root: DriftAction) -> None:
        """Takes a root whose follow-ups are not to be asked in this run; they can be when it is resumed."""
        self.state.add_action(root)
        root.level = root.order = 0

    def resume(self, vectors: Mapping[str, ArrayLike]) -> list[DriftAction]:
        """Goes on from the state as it was loaded; returns what was out when it was written, then what is new.

        ``vectors`` gives one vector per question, by its text (``recall.open_questions`` lists them).
        """
        self._levels = Levels.of(self.state, self.policy.places)
        self._give_rows(vectors)
        for action in self.state.actions:
            late = action.reason == NOT_EMBEDDED
            if action.state == "skipped":
                action.wait()
            if late:
                self._decide(action)
            elif self._is_decided(action):
                self._standing.add(action.id, action.query, self._rows[action.id])
            if action.is_complete and not action.read:
                self._arrived[action] = _stack(vectors, [q.query for q in action.follow_ups if not q.id])
        return [*self._levels.out(), *self._advance()]

    def finished(self, action: DriftAction, vectors: ArrayLike | None) -> list[DriftAction]:
        """Takes note that ``action`` ended; returns the questions that may start now, in order.

        ``vectors`` has one row per follow-up of it; None when they could not be embedded or are not needed.
        """
        self._arrived[action] = vectors
        return self._advance()

    def close(self) -> None:
        """Ends the run: what still waits is left out, with the reason."""
        standing = self._standing_actions()
        weighed = self._candidates(standing)
        for choice in choose_followups(
            weighed, len(weighed), self._asked_rows(), self.space, self.policy.seed
        ):
            self._weigh(self.state.action(choice.id), choice.priority)
        for action in self.state.actions:
            if action.state == "waiting":
                action.skip(
                    f"no place among the {self.policy.places} of a level"
                    if action in standing
                    else f"beyond the last level ({self.policy.n_depth})"
                )

    @property
    def done(self) -> bool:
        """True when nothing is out and nothing more will be asked."""
        return self._done

    def needs_vectors(self, action: DriftAction) -> bool:
        """Whether follow-ups of ``action`` may still be asked, so that they are worth embedding."""
        return (action.level or 0) < self.policy.n_depth

    def vector_of(self, action: DriftAction) -> NDArray[np.float32]:
        """The question's vector, shape ``(1, width)``. Raises ``KeyError`` when it was never embedded."""
        return self.space.vector(self._rows[action.id])

    # -- reading ----------------------------------------------------------------------------------------------

    def _advance(self) -> list[DriftAction]:
        """Reads as far as replies have come, in the order of asking."""
        started: list[DriftAction] = []
        while not self._done:
            while (action := self._levels.next_unread(self._level)) is not None:
                if action not in self._arrived:
                    return started
                started += self._read_action(action)
                self._levels.mark_read(self._level)
            started += self._close_level()
        return started

    def _read_action(self, action: DriftAction) -> list[DriftAction]:
        self._raise_follow_ups(action)
        if not self.needs_vectors(action):
            return []
        own = [child for child in action.follow_ups if self.state.parents(child)[0] is action]
        for child in own:
            self._decide(child)
        action.read = True
        if not is_promising(action.score, self._levels.scores_read(self._level)):
            return []
        free = self._levels.places_left(self._level + 1)
        share = share_of_places(free, self._levels.unread(self._level))
        return self._ask_best(self._would_have_a_place(own, free), share)

    def _would_have_a_place(self, own: Sequence[DriftAction], places: int) -> list[DriftAction]:
        """Those of ``own`` that would be asked if the level were closed now."""
        best = choose_followups(
            self._candidates(self._standing_actions()),
            places,
            self._asked_rows(),
            self.space,
            self.policy.seed,
        )
        ids = {choice.id for choice in best}
        return [child for child in own if child.id in ids]

    def _standing_actions(self) -> list[DriftAction]:
        return [self.state.action(action_id) for action_id in self._standing.ids]

    def _raise_follow_ups(self, action: DriftAction) -> None:
        """Lets the follow-ups join the graph, and their vectors the space."""
        new = [child for child in action.follow_ups if not child.id]
        self.state.add_all_follow_ups(action, new)
        vectors = self._arrived.pop(action, None)
        if vectors is not None and new:
            rows = self.space.add(vectors)
            self._rows.update({child.id: row for child, row in zip(new, rows, strict=True)})

    def _decide(self, child: DriftAction) -> None:
        """Merges a question into one that is asked or waits, or lets it wait."""
        if child.state != "waiting":
            return
        row = self._rows.get(child.id)
        found = self._standing.find(child.query, row)
        if found is not None:
            self._merge(child, self.state.action(found.id), found.similarity)
        elif row is None:
            child.skip(NOT_EMBEDDED)
        else:
            self._standing.add(child.id, child.query, row)

    def _merge(self, child: DriftAction, other: DriftAction, similarity: float) -> None:
        """Lets ``other`` stand for ``child``; it counts as raised by the same parent where that leads deeper."""
        for parent in self.state.parents(child):
            self.state.relate_actions(parent, child, similarity)
            if other.depth > parent.depth and parent not in self.state.parents(other):
                self.state.relate_actions(parent, other, similarity)
        child.merge_into(other, similarity)

    def _close_level(self) -> list[DriftAction]:
        """The level is read: gives out the places left at the next one and goes on to it, or ends."""
        following = self._level + 1
        if self._level >= self.policy.n_depth:
            self._done = True
            return []
        asked = self._ask_best(self._standing_actions(), self._levels.places_left(following))
        self._levels.close(following)
        before = max(self.state.levels[following - 1 : following], default=0)
        self.state.levels[following - 1 : following] = [max(before, self.policy.places)]
        if following >= len(self._levels):
            self._done = True
        self._level = following
        return asked

    # -- asking -----------------------------------------------------------------------------------------------

    def _ask_best(self, among: Sequence[DriftAction], places: int) -> list[DriftAction]:
        choices = choose_followups(
            self._candidates(among), places, self._asked_rows(), self.space, self.policy.seed
        )
        asked = [self.state.action(choice.id) for choice in choices]
        for action, choice in zip(asked, choices, strict=True):
            self._weigh(action, choice.priority)
            action.state = "asked"
            self._levels.place(action, self._level + 1)
        self._levels.take_places(self._level + 1, len(asked))
        return asked

    def _weigh(self, action: DriftAction, priority: float) -> None:
        first = self.state.parents(action)[0]
        self.state.relate_actions(first, action, priority)

    def _candidates(self, among: Sequence[DriftAction]) -> list[Candidate]:
        return [
            Candidate(
                action.id,
                self._rows[action.id],
                max(parent.score or 0.0 for parent in self.state.parents(action)),
            )
            for action in among
            if action.state == "waiting"
        ]

    def _asked_rows(self) -> list[int]:
        """Rows of what was asked below the root: to be near the question of the run is no lack of novelty."""
        return [self._rows[action.id] for action in self._levels.below_root() if action.id in self._rows]

    # -- taking up --------------------------------------------------------------------------------------------

    def _give_rows(self, vectors: Mapping[str, ArrayLike]) -> None:
        """Puts the questions that were not merged into the space; the root is there."""
        root, *others = self.state.actions
        placed = [action for action in others if action.state != "merged" and action.query in vectors]
        stacked = _stack(vectors, [action.query for action in placed])
        if stacked is not None:
            rows = self.space.add(stacked)
            self._rows.update({action.id: row for action, row in zip(placed, rows, strict=True)})
        self._rows[root.id] = 0

    def _is_decided(self, action: DriftAction) -> bool:
        """True for a question that others may be merged into: it was asked or waits for a place."""
        if action is self.state.root:
            return root_stands(action)
        return action.state != "merged" and self.state.parents(action)[0].read


def root_stands(root: DriftAction) -> bool:
    """Whether the question of the run counts as asked: not when the primer brought nothing else to ask than itself."""
    raised = [question_key(child.query) for child in root.follow_ups]
    return root.state == "answered" and raised != [question_key(root.query)]


def _stack(vectors: Mapping[str, ArrayLike], texts: Sequence[str]) -> ArrayLike | None:
    return np.stack([np.asarray(vectors[text]) for text in texts]) if texts else None
