"""A power-law graph with neighbourhoods, as numpy arrays: who is tied to whom, and where it was read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.spec import LEVELS, Spec

Ints = NDArray[np.int64]
Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Graph:
    """``pairs``: (relationship, text unit) and (entity, text unit), each once, sorted."""

    source: Ints
    target: Ints
    degree: Ints
    relationship_units: tuple[Ints, Ints]
    entity_units: tuple[Ints, Ints]


@dataclass(frozen=True, slots=True)
class Communities:
    """One row per community, coarsest level first; ``home[level]`` is the community of each entity there."""

    level: Ints
    parent: Ints
    home: tuple[Ints, ...]

    @property
    def count(self) -> int:
        """How many at all levels."""
        return len(self.level)


def make_graph(spec: Spec, rng: Rng) -> Graph:
    """Ends, degrees and units."""
    source, target = _edges(spec, rng)
    relationships = np.arange(len(source))
    first = _units_of_edges(spec, source, rng)
    again = np.flatnonzero(rng.random(len(source)) < 0.3)
    second = rng.integers(0, spec.text_units, len(again))
    units = _distinct(np.append(relationships, again), np.append(first, second), spec.text_units)
    ends = np.concatenate([source[units[0]], target[units[0]]])
    of_entities = _distinct(
        np.concatenate([ends, np.arange(spec.entities)]),
        np.concatenate([units[1], units[1], np.arange(spec.entities) * spec.text_units // spec.entities]),
        spec.text_units,
    )
    degree = np.bincount(source, minlength=spec.entities) + np.bincount(target, minlength=spec.entities)
    return Graph(source, target, degree, units, of_entities)


def _edges(spec: Spec, rng: Rng) -> tuple[Ints, Ints]:
    """Distinct pairs: half the sources and a third of the targets by a power law, the rest near by."""
    fixed = _hub_edges(spec, rng)
    wanted = spec.relationships - len(fixed)
    drawn = int(wanted * 1.3) + 16
    popular = _popular(spec.entities, drawn, rng)
    source = np.where(rng.random(drawn) < 0.5, popular, rng.integers(0, spec.entities, drawn))
    near = (source + 1 + rng.geometric(0.08, drawn)) % spec.entities
    target = np.where(rng.random(drawn) < 0.33, _popular(spec.entities, drawn, rng), near)
    keys = np.unique(np.minimum(source, target) * spec.entities + np.maximum(source, target))
    keys = keys[keys // spec.entities != keys % spec.entities]
    keys = rng.permutation(np.setdiff1d(keys, fixed, assume_unique=True))[:wanted]
    keys = np.concatenate([fixed, keys])
    return keys // spec.entities, keys % spec.entities


def _hub_edges(spec: Spec, rng: Rng) -> Ints:
    """Keys of the hub's edges; the hub is entity 0."""
    if spec.hub is None:
        return np.empty(0, np.int64)
    return 1 + rng.permutation(spec.entities - 1)[: spec.hub.relationships]


def _popular(entities: int, count: int, rng: Rng) -> Ints:
    """Entities drawn with probability falling as rank to the power of -2/3, spread over the table."""
    ranks = (entities * rng.random(count) ** 3).astype(np.int64)
    return (ranks * 7919 + 11) % entities


def _units_of_edges(spec: Spec, source: Ints, rng: Rng) -> Ints:
    """An edge is read where its source lives, or, one time in ten, anywhere; the hub's all over its units."""
    units = source * spec.text_units // spec.entities
    stray = rng.random(len(source)) < 0.1
    units = np.where(stray, rng.integers(0, spec.text_units, len(source)), units)
    if spec.hub is not None:
        count = spec.hub.relationships
        units[:count] = np.arange(count) % min(spec.hub.text_units, spec.text_units)
    return units


def _distinct(owners: Ints, targets: Ints, width: int) -> tuple[Ints, Ints]:
    keys = np.unique(owners * width + targets)
    return keys // width, keys % width


def make_communities(entities: int) -> Communities:
    """Nested levels: neighbours in the table share communities."""
    levels: list[Ints] = []
    parents: list[Ints] = []
    homes: list[Ints] = []
    base = 0
    above: Ints | None = None
    for level, size in enumerate(LEVELS):
        count = max(1, entities // size)
        home = np.arange(entities) * count // entities
        levels.append(np.full(count, level))
        first = np.searchsorted(home, np.arange(count))
        parents.append(np.full(count, -1) if above is None else above[first])
        homes.append(home + base)
        above, base = homes[-1], base + count
    return Communities(np.concatenate(levels), np.concatenate(parents), tuple(homes))
