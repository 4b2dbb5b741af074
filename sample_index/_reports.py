"""Renders reports the way GraphRAG does, with citations resolved from names to ids.

In the sources a citation reads `{{TITLE; TITLE > TITLE; #claim-key}}`: an entity, a relationship, a claim.
Here it becomes `[Data: Entities (3); Relationships (12); Claims (7)]`. Only records of the report's own
community may be cited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from sample_index._model import Model
from sample_index._sources import CommunitySource, ReportSource, SourceError

# GraphRAG asks its model for no more than five ids of a kind in one reference.
MAX_IDS = 5


@dataclass(frozen=True, slots=True)
class Report:
    """A report in the form of the table's text columns."""

    findings: tuple[tuple[str, str], ...]
    full_content: str
    full_content_json: str


def render(model: Model, source: ReportSource, community: CommunitySource) -> Report:
    """Resolve citations and put the Markdown and the JSON together."""
    findings = tuple((f.summary, _cite(model, source, community, f.explanation)) for f in source.findings)
    parts = [f"# {source.title}", source.summary, *(f"## {summary}\n\n{text}" for summary, text in findings)]
    document = {
        "title": source.title,
        "summary": source.summary,
        "findings": [{"summary": summary, "explanation": text} for summary, text in findings],
        "rating": source.rank,
        "rating_explanation": source.rating_explanation,
    }
    return Report(findings, "\n\n".join(parts), json.dumps(document, indent=4, ensure_ascii=False))


def _cite(model: Model, source: ReportSource, community: CommunitySource, text: str) -> str:
    def resolve(match: re.Match[str]) -> str:
        try:
            return _reference(model, community, [item.strip() for item in match.group(1).split(";")])
        except SourceError as error:
            raise SourceError(f"reports/{source.file}: {error}") from error

    return re.sub(r"\{\{(.*?)\}\}", resolve, text)


def _reference(model: Model, community: CommunitySource, items: list[str]) -> str:
    readers: dict[str, Callable[[Model, CommunitySource, str], int]] = {
        "Entities": _entity,
        "Relationships": _relationship,
        "Claims": _claim,
    }
    groups = {
        kind: [read(model, community, item) for item in items if _kind(item) == kind]
        for kind, read in readers.items()
    }
    for kind, ids in groups.items():
        if len(ids) > MAX_IDS:
            raise SourceError(f"more than {MAX_IDS} {kind} in one reference: {items}")
    listed = (f"{kind} ({', '.join(map(str, ids))})" for kind, ids in groups.items() if ids)
    return f"[Data: {'; '.join(listed)}]"


def _kind(item: str) -> str:
    if item.startswith("#"):
        return "Claims"
    return "Relationships" if ">" in item else "Entities"


def _entity(model: Model, community: CommunitySource, title: str) -> int:
    if title not in community.members:
        raise SourceError(f"{title} does not belong to community {community.number}")
    return model.entity_at[title]


def _relationship(model: Model, community: CommunitySource, item: str) -> int:
    ends = [end.strip() for end in item.split(">")]
    for end in ends:
        _entity(model, community, end)
    if frozenset(ends) not in model.relationship_at:
        raise SourceError(f"no relationship {item}")
    return model.relationship_at[frozenset(ends)]


def _claim(model: Model, community: CommunitySource, item: str) -> int:
    for index, claim in enumerate(model.claims):
        if claim.key == item.removeprefix("#"):
            _entity(model, community, claim.subject)
            return index
    raise SourceError(f"no claim {item}")
