"""Finds the hierarchy of communities with seeded Louvain, the way GraphRAG does with Leiden.

Level 0 is the coarsest. A community larger than `MAX_SIZE` is split again on the next level by running
the algorithm on its own subgraph; smaller ones are leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import networkx as nx

from sample_index._sources import CommunitySource, EntitySource, RelationshipSource

SEED = 1911
RESOLUTIONS = (0.6, 0.8, 0.9)
MAX_SIZE = 11
MIN_SIZE = 3


def weighted_edges(
    entities: Sequence[EntitySource], relationships: Sequence[RelationshipSource]
) -> list[tuple[int, int, float]]:
    """Edges between entity positions; positions and not titles, because Louvain's ties follow set order."""
    position = {entity.title: index for index, entity in enumerate(entities)}
    return [(position[r.source], position[r.target], r.weight) for r in relationships]


def detect(
    entities: Sequence[EntitySource], relationships: Sequence[RelationshipSource]
) -> list[CommunitySource]:
    """Communities of three levels, numbered level by level, the larger ones first."""
    edges = weighted_edges(entities, relationships)
    found: list[CommunitySource] = []
    open_groups: list[tuple[int, Sequence[int]]] = [(-1, range(len(entities)))]
    for level, resolution in enumerate(RESOLUTIONS):
        next_groups: list[tuple[int, Sequence[int]]] = []
        for parent, group in open_groups:
            for part in _split(group, edges, resolution):
                number = len(found)
                members = tuple(entities[index].title for index in part)
                found.append(CommunitySource(number, level, parent, members))
                if len(part) > MAX_SIZE:
                    next_groups.append((number, part))
        open_groups = next_groups
    return found


def _split(
    group: Iterable[int], edges: Iterable[tuple[int, int, float]], resolution: float
) -> list[list[int]]:
    inside = set(group)
    within = [e for e in edges if e[0] in inside and e[1] in inside]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(sorted(inside))
    graph.add_weighted_edges_from(within)
    parts = cast(
        "list[set[int]]",
        nx.community.louvain_communities(graph, weight="weight", resolution=resolution, seed=SEED),
    )
    return sorted((sorted(part) for part in _absorb(parts, within)), key=lambda part: (-len(part), part))


def _absorb(parts: list[set[int]], edges: Iterable[tuple[int, int, float]]) -> list[set[int]]:
    """Join each part of fewer than `MIN_SIZE` entities to the part it is tied to most: a pair has no story."""
    small = [part for part in parts if len(part) < MIN_SIZE]
    large = [part for part in parts if len(part) >= MIN_SIZE]
    for part in small:
        max(large, key=lambda other: _tie(part, other, edges)).update(part)
    return large


def _tie(one: set[int], other: set[int], edges: Iterable[tuple[int, int, float]]) -> float:
    return sum(w for a, b, w in edges if (a in one and b in other) or (b in one and a in other))
