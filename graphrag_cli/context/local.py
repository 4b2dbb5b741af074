"""The context of local search: the neighbourhood of the entities nearest to the question.

Budget: reports and sources have shares; entities, relationships and claims get the rest. What one share
leaves unused goes to the next, in the order reports, graph, sources. Cost follows what the chosen entities
touch: arrays are ranked whole, records are made only for rows that go in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.context.basic import SOURCES
from graphrag_cli.context.bundle import ContextBundle, Section
from graphrag_cli.context.packing import Draft, Layout, fit_bundle, pack_section

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Level
    from graphrag_cli.index.snapshot import Rows, Snapshot
    from graphrag_cli.llm.base import TokenCounter

REPORTS = Layout("reports", ("id", "title", "content"))
ENTITIES = Layout("entities", ("id", "entity", "description", "number of relationships"))
RELATIONSHIPS = Layout("relationships", ("id", "source", "target", "description", "weight"))
CLAIMS = Layout("claims", ("id", "entity", "object", "status", "start_date", "end_date", "description"))

CLAIMS_SHARE = 0.2
"""Of what entities leave of the graph's share, so that a dense neighbourhood does not crowd out every claim."""

BREAK_TOKENS = 8
"""Set aside for the blank lines between five sections."""

CHUNK = 64
"""Records are made this many at a time, so that a hub entity costs what fits the budget, not what it has."""


@dataclass(frozen=True, slots=True)
class LocalShares:
    """How a local context is divided."""

    max_tokens: int
    community_prop: float
    text_unit_prop: float
    top_k_relationships: int


@dataclass(frozen=True, slots=True)
class Matches:
    """The chosen entities, best first: rows, and similarity to the question (None: asked for by name)."""

    rows: Rows
    similarities: tuple[float | None, ...]
    units: Rows | None = None
    """Rows of the text units that all but the entities must stand in; None: any."""


def build_local_context(
    snapshot: Snapshot, matches: Matches, level: Level, shares: LocalShares, tokens: TokenCounter
) -> ContextBundle:
    """Reports, entities, relationships, claims and sources around ``matches``, at most ``shares.max_tokens``."""
    whole = shares.max_tokens
    report_share = int(whole * shares.community_prop)
    source_share = int(whole * shares.text_unit_prop)
    graph_share = whole - report_share - source_share

    reports = _reports(snapshot, matches, level, report_share, tokens)
    graph = _graph(snapshot, matches, graph_share + report_share - reports.summary.tokens, shares, tokens)
    spent = reports.summary.tokens + sum(section.summary.tokens for section in graph)
    sources = _sources(snapshot, matches, whole - spent - BREAK_TOKENS, tokens)
    return fit_bundle([reports, *graph, sources], whole, tokens)


# ---- reports ------------------------------------------------------------------------------------------------


def _reports(
    snapshot: Snapshot, matches: Matches, level: Level, budget: int, tokens: TokenCounter
) -> Section:
    communities = snapshot.communities_of(matches.rows, level)
    numbers, inside = np.unique(communities[communities >= 0], return_counts=True)
    rows = snapshot.report_rows_by_community(numbers)
    inside, rows = inside[rows >= 0], rows[rows >= 0]
    if matches.units is not None:
        kept = snapshot.within("reports", rows, matches.units)
        inside, rows = inside[kept], rows[kept]
    found = snapshot.reports(rows)
    order = sorted(range(len(found)), key=lambda at: (-int(inside[at]), -found[at].rank, found[at].community))
    drafts = (
        Draft(
            found[at].id,
            found[at].title,
            (found[at].label, found[at].title, found[at].content),
            2,
            {"matches": int(inside[at]), "rank": found[at].rank},
        )
        for at in order
    )
    return pack_section(REPORTS, drafts, len(found), budget, tokens)


# ---- entities, relationships, claims ------------------------------------------------------------------------


def _graph(
    snapshot: Snapshot, matches: Matches, budget: int, shares: LocalShares, tokens: TokenCounter
) -> list[Section]:
    entities = _entities(snapshot, matches, budget, tokens)
    left = budget - entities.summary.tokens
    # Claims are packed first but stand last: what they leave goes to the relationships.
    claims = _claims(snapshot, matches, int(left * CLAIMS_SHARE), tokens)
    left -= claims.summary.tokens
    rows, reasons = rank_relationships(snapshot, matches, shares.top_k_relationships)
    relationships = pack_section(
        RELATIONSHIPS, _relationship_drafts(snapshot, rows, reasons), len(rows), left, tokens
    )
    return [entities, relationships, claims]


def _entities(snapshot: Snapshot, matches: Matches, budget: int, tokens: TokenCounter) -> Section:
    drafts = (
        Draft(
            entity.id,
            entity.title,
            (entity.label, entity.title, entity.description, entity.degree),
            2,
            {"rank": rank, "similarity": None if similarity is None else round(similarity, 4)},
        )
        for rank, (entity, similarity) in enumerate(
            zip(snapshot.entities(matches.rows), matches.similarities, strict=True), start=1
        )
    )
    return pack_section(ENTITIES, drafts, len(matches.rows), budget, tokens)


def rank_relationships(
    snapshot: Snapshot, matches: Matches, top_k: int
) -> tuple[Rows, list[tuple[str, int]]]:
    """Relationships of the chosen, best first, with what ranked each: (kind, shared neighbours or degree).

    In-network ones (both ends chosen) come first, by combined degree. Out-of-network ones follow, by how many
    chosen entities share the outside neighbour, then by combined degree; at most ``top_k`` × chosen of them.
    """
    chosen = matches.rows
    rows = snapshot.relationship_rows_of(chosen)
    if matches.units is not None:
        rows = rows[snapshot.within("relationships", rows, matches.units)]
    source, target = snapshot.endpoints(rows)
    degree = snapshot.combined_degrees(rows)
    source_in, target_in = np.isin(source, chosen), np.isin(target, chosen)
    inside = source_in & target_in
    outside = ~inside

    inner = rows[inside][np.lexsort((rows[inside], -degree[inside]))]
    neighbour = np.where(source_in, target, source)[outside]
    own = np.where(source_in, source, target)[outside]
    shared = _chosen_per_neighbour(neighbour, own)
    order = np.lexsort((rows[outside], -degree[outside], -shared))[: top_k * len(chosen)]
    outer = rows[outside][order]

    reasons = [("in-network", int(value)) for value in np.sort(degree[inside])[::-1]]
    reasons += [("out-of-network", int(value)) for value in shared[order]]
    return np.concatenate([inner, outer]), reasons


def _chosen_per_neighbour(neighbour: Rows, own: Rows) -> Rows:
    """For each relationship, how many distinct chosen entities are tied to its outside neighbour."""
    if not len(neighbour):
        return np.zeros(0, dtype=np.int64)
    pairs = np.unique(np.stack([neighbour, own], axis=1), axis=0)
    numbers, counts = np.unique(pairs[:, 0], return_counts=True)
    shared = counts[np.searchsorted(numbers, neighbour)].astype(np.int64)
    shared[neighbour < 0] = 1  # ends that are no entity are not one shared neighbour
    return shared


def _relationship_drafts(snapshot: Snapshot, rows: Rows, reasons: list[tuple[str, int]]) -> Iterator[Draft]:
    for start, chunk in _chunks(rows):
        for at, found in enumerate(snapshot.relationships(chunk), start=start):
            kind, value = reasons[at]
            ranked_by = "combined degree" if kind == "in-network" else "shared neighbours"
            yield Draft(
                found.id,
                f"{found.source} → {found.target}",
                (found.label, found.source, found.target, found.description, found.weight),
                3,
                {"kind": kind, ranked_by: value},
            )


def _claims(snapshot: Snapshot, matches: Matches, budget: int, tokens: TokenCounter) -> Section:
    rows = snapshot.claim_rows_of(matches.rows)
    if matches.units is not None:
        rows = rows[snapshot.within("claims", rows, matches.units)]
    return pack_section(CLAIMS, _unique_claims(snapshot, rows), len(rows), budget, tokens)


def _unique_claims(snapshot: Snapshot, rows: Rows) -> Iterator[Draft]:
    seen: set[tuple[str, ...]] = set()
    for _, chunk in _chunks(rows):
        for claim in snapshot.claims(chunk):
            said = (claim.subject, claim.object, claim.type, claim.description)
            if said in seen:
                continue
            seen.add(said)
            cells = (
                claim.label,
                claim.subject,
                claim.object,
                claim.status,
                claim.start_date,
                claim.end_date,
                claim.description,
            )
            yield Draft(claim.id, claim.subject, cells, 6, {"subject": claim.subject})


# ---- sources ------------------------------------------------------------------------------------------------


def _sources(snapshot: Snapshot, matches: Matches, budget: int, tokens: TokenCounter) -> Section:
    ordered = rank_text_units(snapshot, matches.rows)
    if matches.units is not None:
        allowed = frozenset(matches.units.tolist())
        ordered = [unit for unit in ordered if unit[0] in allowed]
    return pack_section(SOURCES, _source_drafts(snapshot, ordered), len(ordered), budget, tokens)


def rank_text_units(snapshot: Snapshot, chosen: Rows) -> list[tuple[int, int, int]]:
    """Text units of ``chosen`` as (row, order of the entity, its relationships there), best first, each once."""
    taken: set[int] = set()
    ordered: list[tuple[int, int, int]] = []
    for rank, entity_row in enumerate(chosen.tolist(), start=1):
        rows = snapshot.text_unit_rows_of_entity(entity_row)
        counts = snapshot.relationship_counts(entity_row, rows)
        for at in np.lexsort((rows, -counts)).tolist():
            row = int(rows[at])
            if row not in taken:
                taken.add(row)
                ordered.append((row, rank, int(counts[at])))
    return ordered


def _source_drafts(snapshot: Snapshot, ordered: list[tuple[int, int, int]]) -> Iterator[Draft]:
    rows = np.asarray([row for row, _, _ in ordered], dtype=np.int64)
    for start, chunk in _chunks(rows):
        for at, unit in enumerate(snapshot.text_units(chunk), start=start):
            _, rank, count = ordered[at]
            why = {"entity": rank, "relationships": count}
            yield Draft(unit.id, "", (unit.label, unit.text), 1, dict(why))


def _chunks(rows: Rows) -> Iterable[tuple[int, Rows]]:
    return ((start, rows[start : start + CHUNK]) for start in range(0, len(rows), CHUNK))
