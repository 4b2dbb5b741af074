"""Ties the sources together: which text units mention which entity, which ids everything has.

The model is the one place where the sources are checked against each other; the tables that are made from
it can then be written without a second thought.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sample_index import _sources
from sample_index._sources import (
    ClaimSource,
    CommunitySource,
    DocumentSource,
    EntitySource,
    RelationshipSource,
    ReportSource,
    SourceError,
)

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "graphrag_cli/sample_index")
CENTRAL = 3
MIN_TOKENS, MAX_TOKENS = 250, 400


def stable_id(*parts: str) -> str:
    """A uuid that depends on the content alone, so that a rebuild changes no id that need not change."""
    return str(uuid.uuid5(NAMESPACE, "\x1f".join(parts)))


def sha512(text: str) -> str:
    """128 hex digits, as GraphRAG names documents, text units and reports."""
    return hashlib.sha512(text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class Unit:
    """A text unit: one paragraph of one document."""

    id: str
    document: int
    text: str
    tokens: int


@dataclass(frozen=True)
class Model:
    """Checked sources. Text units, entities, … are referred to by position, which is their human id."""

    documents: Sequence[DocumentSource]
    units: Sequence[Unit]
    entities: Sequence[EntitySource]
    relationships: Sequence[RelationshipSource]
    claims: Sequence[ClaimSource]
    communities: Sequence[CommunitySource]
    reports: Sequence[ReportSource]

    @cached_property
    def entity_at(self) -> dict[str, int]:
        """Title → position."""
        return {entity.title: index for index, entity in enumerate(self.entities)}

    @cached_property
    def relationship_at(self) -> dict[frozenset[str], int]:
        """Both titles, in either order → position."""
        return {frozenset((r.source, r.target)): index for index, r in enumerate(self.relationships)}

    @cached_property
    def entity_units(self) -> list[list[int]]:
        """For each entity the positions of the text units that mention it under any alias."""
        mentioned = [_mentions(unit.text, self.entities) for unit in self.units]
        return [
            [u for u, titles in enumerate(mentioned) if entity.title in titles] for entity in self.entities
        ]

    @cached_property
    def relationship_units(self) -> list[list[int]]:
        """For each relationship the positions of the text units that mention both ends."""
        return [self._shared_units(relationship) for relationship in self.relationships]

    @cached_property
    def claim_units(self) -> list[int]:
        """For each claim the position of the text unit that it is quoted from."""
        return [find_unit(self.units, claim.text) for claim in self.claims]

    @cached_property
    def degrees(self) -> Counter[str]:
        """Title → number of relationships."""
        return _degrees(self.relationships)

    def inside(self, community: CommunitySource) -> list[int]:
        """Positions of the relationships with both ends in the community."""
        members = set(community.members)
        return [i for i, r in enumerate(self.relationships) if r.source in members and r.target in members]

    def central(self, community: CommunitySource) -> tuple[str, ...]:
        """The titles with most relationships inside the community: what a report is recognised by."""
        degrees = _degrees(self.relationships[i] for i in self.inside(community))
        return tuple(sorted(community.members, key=lambda title: (-degrees[title], title))[:CENTRAL])

    def children(self, community: CommunitySource) -> list[int]:
        """Numbers of the communities that the given one is split into."""
        return [c.number for c in self.communities if c.parent == community.number]

    def _shared_units(self, relationship: RelationshipSource) -> list[int]:
        first = self.entity_units[self.entity_at[relationship.source]]
        second = set(self.entity_units[self.entity_at[relationship.target]])
        return [unit for unit in first if unit in second]


def load() -> Model:
    """Read all sources and check them; raises `SourceError` at the first thing that does not fit."""
    documents = _sources.read_documents()
    model = Model(
        documents=documents,
        units=_units(documents, _sources.read_token_counts()),
        entities=_sources.read_entities(),
        relationships=_sources.read_relationships(),
        claims=_sources.read_claims(),
        communities=_sources.read_communities(),
        reports=_sources.read_reports(),
    )
    _check_graph(model)
    _check_claims(model)
    _check_communities(model)
    return model


def find_unit(units: Sequence[Unit], phrase: str) -> int:
    """Position of the one text unit that contains the phrase word for word."""
    hits = [index for index, unit in enumerate(units) if phrase in unit.text]
    if len(hits) != 1:
        raise SourceError(f"{phrase!r} occurs in {len(hits)} text units; it must occur in exactly one")
    return hits[0]


def _units(documents: Sequence[DocumentSource], tokens: dict[str, int]) -> list[Unit]:
    units: list[Unit] = []
    for index, document in enumerate(documents):
        for text in document.paragraphs:
            identifier = sha512(text)
            if identifier[:16] not in tokens:
                raise SourceError(f"{document.title}: {text[:40]!r}… changed; run build.py --count-tokens")
            units.append(Unit(identifier, index, text, tokens[identifier[:16]]))
    return units


def _mentions(text: str, entities: Sequence[EntitySource]) -> set[str]:
    """Titles named in the text. Longer aliases win, so "Leon Amundsen" is no mention of his brother."""
    titles = {alias: entity.title for entity in entities for alias in entity.aliases}
    longest_first = sorted(titles, key=lambda alias: (-len(alias), alias))
    pattern = r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)"
    return {titles[match] for match in re.findall(pattern, text)}


def _degrees(relationships: Iterable[RelationshipSource]) -> Counter[str]:
    return Counter(title for r in relationships for title in (r.source, r.target))


def _check_graph(model: Model) -> None:
    if len(model.entity_at) != len(model.entities):
        raise SourceError("entities.tsv: a title occurs twice")
    if len(model.relationship_at) != len(model.relationships):
        raise SourceError("relationships.tsv: a pair occurs twice")
    unknown = {t for r in model.relationships for t in (r.source, r.target)} - model.entity_at.keys()
    if unknown:
        raise SourceError(f"relationships.tsv: no such entity: {sorted(unknown)}")
    for entity, units in zip(model.entities, model.entity_units, strict=True):
        if not units or not model.degrees[entity.title]:
            raise SourceError(f"entities.tsv: {entity.title} is in no text unit or no relationship")
    for relationship, units in zip(model.relationships, model.relationship_units, strict=True):
        if not units:
            raise SourceError(f"no text unit mentions both {relationship.source} and {relationship.target}")


def _check_claims(model: Model) -> None:
    for claim, unit in zip(model.claims, model.claim_units, strict=True):
        if claim.subject not in model.entity_at:
            raise SourceError(f"claims.yaml: {claim.key}: no such entity: {claim.subject}")
        if unit not in model.entity_units[model.entity_at[claim.subject]]:
            raise SourceError(f"claims.yaml: {claim.key}: its text unit does not mention {claim.subject}")


def _check_communities(model: Model) -> None:
    roots = Counter(title for c in model.communities if c.level == 0 for title in c.members)
    if roots != Counter(model.entity_at.keys()):
        raise SourceError("communities.yaml: level 0 does not hold every entity once; run build.py --regroup")
    if [report.community for report in model.reports] != [c.number for c in model.communities]:
        raise SourceError("reports/: there must be one report for each community, in order of number")
    for community, report in zip(model.communities, model.reports, strict=True):
        if report.central != model.central(community):
            raise SourceError(
                f"reports/{report.file}: community {community.number} now has another centre: {model.central(community)}"
            )
