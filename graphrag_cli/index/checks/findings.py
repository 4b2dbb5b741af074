"""Defects of an index in words: a stable code, how bad it is, what it means, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from graphrag_cli.index.checks.health import IndexHealth, Part

Severity: TypeAlias = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth telling: a stable code, how bad it is, what it means, what to do."""

    code: str
    severity: Severity
    meaning: str
    what_to_do: str


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a defect is told: from which share on it is how bad."""

    part: str
    code: str
    severity: Severity
    text: str
    what_to_do: str
    above: float = 0.0


_FOREIGN = "check that all tables are of one run; index again if they are not"
_RULES: tuple[_Rule, ...] = (
    _Rule("members_unknown", "tables.foreign", "error", "members of communities are no entity of this index", _FOREIGN, 0.5),
    _Rule("units_unknown", "tables.foreign", "error", "text units that entities name are not in this index", _FOREIGN, 0.5),
    _Rule("endpoints_unknown", "relationships.ends", "warning", "ends of relationships are no entity; they are skipped", "nothing to do: the indexing model invented them"),
    _Rule("members_unknown", "communities.members", "warning", "members of communities are no entity; they are skipped", "nothing to do, unless there are many"),
    _Rule("units_unknown", "entities.units", "warning", "text units that entities name are not there; they are skipped", "nothing to do, unless there are many"),
    _Rule("documents_unknown", "text_units.documents", "info", "text units name no document; their citations show no title", "keep the documents table beside the others"),
    _Rule("claims_unbound", "claims.subjects", "info", "claims have a subject that is no entity; they are never used", "nothing to do: this is usual"),
    _Rule("claims_unsourced", "claims.units", "warning", "claims name a text unit that is not there", "nothing to do, unless there are many"),
    _Rule("entities_homeless", "entities.homeless", "warning", "entities are in no community; global search does not see them", "ask local or basic search about them; an entity without a relationship gets no community", 0.2),
    _Rule("entities_homeless", "entities.homeless", "info", "entities are in no community; local search still finds them", "nothing to do: this is usual"),
    _Rule("entities_isolated", "entities.isolated", "info", "entities have no relationship", "nothing to do: this is usual"),
    _Rule("entities_unsourced", "entities.sources", "warning", "entities lead to no text unit; local search shows no sources for them", _FOREIGN, 0.2),
    _Rule("entities_unsourced", "entities.sources", "info", "entities lead to no text unit", "nothing to do, unless there are many"),
    _Rule("communities_empty", "communities.empty", "error", "communities have no entity of this index, so no report can be used", _FOREIGN, 0.999),
    _Rule("communities_empty", "communities.empty", "warning", "communities have no entity of this index; their reports are not used", "nothing to do, unless there are many"),
    _Rule("communities_unreported", "reports.join", "error", "communities have no report: reports and communities are not of one run", _FOREIGN, 0.999),
    _Rule("communities_unreported", "communities.reports", "warning", "communities have no report; global search does not see them", "index the reports again; the model failed on some"),
    _Rule("reports_unbound", "reports.communities", "warning", "reports belong to no community; they are not used", _FOREIGN),
    _Rule("reports_empty", "reports.empty", "warning", "reports have no content", "index the reports again; the model failed on some"),
    _Rule("descriptions_empty", "entities.empty", "info", "entities have no description", "nothing to do, unless there are many"),
    _Rule("texts_empty", "text_units.empty", "warning", "text units have no text", "look at the input documents"),
    _Rule("titles_doubled", "entities.titles", "warning", "entities share a title; relationships go to the first of them", "index again, or merge the entities"),
    _Rule("entity_numbers_doubled", "entities.numbers", "warning", "entities share a citation number; a citation resolves to the first", "index again without updating in place"),
    _Rule("relationship_numbers_doubled", "relationships.numbers", "warning", "relationships share a citation number; a citation resolves to the first", "index again without updating in place"),
)  # fmt: skip


def health_findings(health: IndexHealth) -> Iterator[Finding]:
    """The defects that there are; of several rules for one defect the first that applies."""
    told: set[str] = set()
    for rule in _RULES:
        part: Part = getattr(health, rule.part)
        if rule.part in told or not part.count or part.share <= rule.above:
            continue
        told.add(rule.part)
        shown = (
            f" (for example {', '.join(repr(example[:40]) for example in part.examples)})"
            if part.examples
            else ""
        )
        yield Finding(
            rule.code,
            rule.severity,
            f"{part.count} of {part.total} {rule.text}{shown}",
            rule.what_to_do,
        )
