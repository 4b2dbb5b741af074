"""``QueryState``: everything one DRIFT run knows, as a graph of actions that can be written down and taken up again.

The names are the field's own. Edges go from an action to the questions it raised, and depth grows along every
edge, so the graph has no cycle. The state is a function of the settings, the seed and the replies: ids are given in the
order in which actions are read (see ``frontier``), never in the order in which replies arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from graphrag_cli.engines.drift.action import ActionMetadata, DriftAction
from graphrag_cli.engines.drift.document import SCHEMA, NodeDocument, parse_json, read_document
from graphrag_cli.events import DATASETS, Cell, Json, ModelNames, StageUsage

if TYPE_CHECKING:
    import networkx as nx

WEIGHT_DIGITS = 4


@dataclass(frozen=True, slots=True)
class RunHeader:
    """What a state says of its run: question, seed, models, and the settings that shaped it."""

    query: str
    seed: int
    models: ModelNames
    settings: Mapping[str, Cell | bool]
    asked: str | None = None
    """The question as it was put, where a conversation made another ``query`` of it."""


class QueryState:
    """The graph of one run. A run only grows it and looks up neighbours; for anything more there is ``graph``."""

    def __init__(self, header: RunHeader) -> None:
        self.header = header
        self.levels: list[int] = []
        """Places of each level opened so far, from level 1 on."""
        self._by_id: dict[str, DriftAction] = {}
        self._parents: dict[str, list[DriftAction]] = {}
        self._weights: dict[tuple[str, str], float] = {}
        """Of edges, by the ids of both ends; in the order in which they were made."""
        self._written: dict[str, tuple[tuple[object, ...], Json]] = {}
        """Nodes as they were last serialised, and what they looked like then."""

    # -- growing ----------------------------------------------------------------------------------------------

    def add_action(self, action: DriftAction) -> None:
        """Adds ``action`` and gives it the next id; does nothing when it is there."""
        if self._by_id.get(action.id) is action:
            return
        action.id = action.id or f"a{len(self._by_id)}"
        self._by_id[action.id] = action
        self._parents[action.id] = []

    def relate_actions(self, parent: DriftAction, child: DriftAction, weight: float = 1.0) -> None:
        """Says that ``parent`` raised ``child``; setting it again changes the weight. Both must have been added."""
        self._weights[parent.id, child.id] = round(weight, WEIGHT_DIGITS)
        if parent not in self._parents[child.id]:
            self._parents[child.id].append(parent)

    def add_all_follow_ups(
        self, action: DriftAction, follow_ups: Iterable[DriftAction], weight: float = 1.0
    ) -> None:
        """Adds what ``action`` raised, one step deeper than itself."""
        self.add_action(action)
        for child in follow_ups:
            child.depth = action.depth + 1
            self.add_action(child)
            self.relate_actions(action, child, weight)

    # -- looking ----------------------------------------------------------------------------------------------

    @property
    def graph(self) -> nx.MultiDiGraph[DriftAction]:
        """A copy as networkx knows graphs, to analyse: nodes are actions, edges carry ``weight``."""
        import networkx as nx  # a fifth of a second, which no run has to wait for

        graph: nx.MultiDiGraph[DriftAction] = nx.MultiDiGraph()
        graph.add_nodes_from(self._by_id.values())
        for (parent, child), weight in self._weights.items():
            graph.add_edge(self._by_id[parent], self._by_id[child], weight=weight)
        return graph

    @property
    def actions(self) -> list[DriftAction]:
        """All actions in the order in which they were raised; the root comes first."""
        return list(self._by_id.values())

    @property
    def root(self) -> DriftAction | None:
        """The question itself, answered by the primer; None before that."""
        return next(iter(self._by_id.values()), None)

    def action(self, action_id: str) -> DriftAction:
        """The action of that id. Raises ``KeyError``."""
        return self._by_id[action_id]

    def parents(self, action: DriftAction) -> list[DriftAction]:
        """Who raised it: the first one first, then those whose equal question was merged into it."""
        return list(self._parents[action.id])

    def weight(self, parent: DriftAction, child: DriftAction) -> float:
        """Weight of the edge between them. Raises ``KeyError``."""
        return self._weights[parent.id, child.id]

    def asked_at(self, level: int) -> list[DriftAction]:
        """Actions asked at ``level``, in the order of asking."""
        at_level = [action for action in self._by_id.values() if action.level == level]
        return sorted(at_level, key=lambda action: action.order or 0)

    def find_incomplete_actions(self) -> list[DriftAction]:
        """Actions that wait for a place or for their reply."""
        return [action for action in self._by_id.values() if action.state in {"waiting", "asked"}]

    def rank_incomplete_actions(
        self, scorer: Callable[[DriftAction], float] | None = None
    ) -> list[DriftAction]:
        """Incomplete actions, best first by ``scorer`` (unset: by the weight with which they were raised).

        Equal ones stay in the order in which they were raised.
        """
        score = scorer or self._weight_of
        return sorted(self.find_incomplete_actions(), key=lambda action: -score(action))

    def action_token_ct(self) -> StageUsage:
        """Calls and tokens of all actions together."""
        total = StageUsage()
        for action in self._by_id.values():
            spent = action.metadata
            total = total + StageUsage(spent.llm_calls, spent.prompt_tokens, spent.output_tokens)
        return total

    def _weight_of(self, action: DriftAction) -> float:
        return max((self.weight(parent, action) for parent in self.parents(action)), default=1.0)

    # -- writing down and taking up ---------------------------------------------------------------------------

    def serialize(self) -> dict[str, Json]:
        """The state as strict JSON data: no NaN, and the same again after ``deserialize``.

        Nodes that did not change are shared with what was serialised before: to be read, not to be changed.
        """
        header = self.header
        edges: list[Json] = [
            {"source": parent.id, "target": child.id, "weight": self.weight(parent, child)}
            for child in self._by_id.values()
            for parent in self.parents(child)
        ]
        return {
            "schema": SCHEMA,
            "query": header.query,
            "asked": header.asked,
            "seed": header.seed,
            "models": {"chat": header.models.chat, "embedding": header.models.embedding},
            "settings": dict(header.settings),
            "levels": list(self.levels),
            "nodes": [self._node(action) for action in self._by_id.values()],
            "edges": edges,
        }

    def _node(self, action: DriftAction) -> Json:
        parents = self._parents[action.id]
        look = (action.state, action.level, action.read, action.reason, action.metadata, len(parents))
        kept = self._written.get(action.id)
        if kept is None or kept[0] != look:
            kept = (look, self._node_now(action))
            self._written[action.id] = kept
        return kept[1]

    def _node_now(self, action: DriftAction) -> Json:
        spent = action.metadata
        return {
            "id": action.id,
            "query": action.query,
            "answer": action.answer,
            "score": action.score,
            "state": action.state,
            "depth": action.depth,
            "level": action.level,
            "order": action.order,
            "parents": [parent.id for parent in self.parents(action)],
            "follow_ups": [child.query for child in action.follow_ups],
            "error": action.error,
            "reason": action.reason,
            "merged_into": action.merged_into,
            "read": action.read,
            "llm_calls": spent.llm_calls,
            "prompt_tokens": spent.prompt_tokens,
            "output_tokens": spent.output_tokens,
            "seconds": round(spent.seconds, 3),
            "context": {name: list(spent.context[name]) for name in DATASETS if name in spent.context},
        }

    @classmethod
    def deserialize(cls, data: Json) -> QueryState:
        """The inverse of ``serialize``. Raises ``UsageError`` that names what is wrong."""
        document = read_document(data)
        state = cls(
            RunHeader(
                document.query,
                document.seed,
                ModelNames(document.models.chat, document.models.embedding),
                document.settings,
                document.asked,
            )
        )
        state.levels = list(document.levels)
        for node in document.nodes:
            state.add_action(_action_of(node))
        for edge in document.edges:
            state.relate_actions(state.action(edge.source), state.action(edge.target), edge.weight)
        joined = {
            (parents[0].id, state.action(child).query): state.action(child)
            for child, parents in state._parents.items()
            if parents
        }
        for node in document.nodes:
            # Those that have joined the graph, and new ones made of the texts.
            state.action(node.id).follow_ups = [
                joined.get((node.id, query)) or DriftAction(query) for query in node.follow_ups
            ]
        return state


def load_state(text: str) -> QueryState:
    """The state in the text of a file. Raises ``UsageError``."""
    return QueryState.deserialize(parse_json(text))


def _action_of(node: NodeDocument) -> DriftAction:
    return DriftAction(
        query=node.query,
        answer=node.answer,
        score=node.score,
        metadata=ActionMetadata(
            node.llm_calls,
            node.prompt_tokens,
            node.output_tokens,
            node.seconds,
            {name: tuple(ids) for name, ids in node.context.items()},
        ),
        state=node.state,
        id=node.id,
        depth=node.depth,
        level=node.level,
        order=node.order,
        error=node.error,
        reason=node.reason,
        merged_into=node.merged_into,
        read=node.read,
    )


def replace_settings(state: QueryState, settings: Mapping[str, Cell | bool]) -> None:
    """Lets a resumed state say with which settings it goes on."""
    state.header = replace(state.header, settings=settings)
