"""Turns the model into the tables that GraphRAG 3 writes, column for column and type for type."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

from sample_index._model import Model, sha512, stable_id
from sample_index._reports import render
from sample_index._sources import ClaimSource, CommunitySource, ReportSource

# pyarrow ships no types; everything that passes through it is `Any` in this module.
pa: Any = import_module("pyarrow")

# Fixed, because a clock would make every build differ from the last.
PERIOD = "2026-01-01"
CREATION_DATE = "2026-01-01 00:00:00 +0000"

Row: TypeAlias = dict[str, object]

_TEXTS = pa.list_(pa.string())
_FINDING = pa.struct([("explanation", pa.string()), ("summary", pa.string())])
_NUMBERED = [("id", pa.string()), ("human_readable_id", pa.int64())]
_PLACE = [("community", pa.int64()), ("level", pa.int64()), ("parent", pa.int64())]

SCHEMAS: dict[str, Any] = {
    "documents": pa.schema(
        [
            *_NUMBERED,
            ("title", pa.string()),
            ("text", pa.string()),
            ("text_unit_ids", _TEXTS),
            ("creation_date", pa.string()),
            ("metadata", pa.null()),
        ]
    ),
    "text_units": pa.schema(
        [
            *_NUMBERED,
            ("text", pa.string()),
            ("n_tokens", pa.int64()),
            ("document_id", pa.string()),
            ("entity_ids", _TEXTS),
            ("relationship_ids", _TEXTS),
            ("covariate_ids", _TEXTS),
        ]
    ),
    "entities": pa.schema(
        [
            *_NUMBERED,
            ("title", pa.string()),
            ("type", pa.string()),
            ("description", pa.string()),
            ("text_unit_ids", _TEXTS),
            ("frequency", pa.int64()),
            ("degree", pa.int64()),
        ]
    ),
    "relationships": pa.schema(
        [
            *_NUMBERED,
            ("source", pa.string()),
            ("target", pa.string()),
            ("description", pa.string()),
            ("weight", pa.float64()),
            ("combined_degree", pa.int64()),
            ("text_unit_ids", _TEXTS),
        ]
    ),
    "communities": pa.schema(
        [
            *_NUMBERED,
            *_PLACE,
            ("children", pa.list_(pa.int64())),
            ("title", pa.string()),
            ("entity_ids", _TEXTS),
            ("relationship_ids", _TEXTS),
            ("text_unit_ids", _TEXTS),
            ("period", pa.string()),
            ("size", pa.int64()),
        ]
    ),
    "community_reports": pa.schema(
        [
            *_NUMBERED,
            *_PLACE,
            ("children", pa.list_(pa.int64())),
            ("title", pa.string()),
            ("summary", pa.string()),
            ("full_content", pa.string()),
            ("rank", pa.float64()),
            ("rating_explanation", pa.string()),
            ("findings", pa.list_(_FINDING)),
            ("full_content_json", pa.string()),
            ("period", pa.string()),
            ("size", pa.int64()),
        ]
    ),
    "covariates": pa.schema(
        [
            *_NUMBERED,
            ("covariate_type", pa.string()),
            ("type", pa.string()),
            ("description", pa.string()),
            ("subject_id", pa.string()),
            ("object_id", pa.string()),
            ("status", pa.string()),
            ("start_date", pa.string()),
            ("end_date", pa.string()),
            ("source_text", pa.string()),
            ("text_unit_id", pa.string()),
        ]
    ),
}


class Ids:
    """The ids of every record, by position."""

    def __init__(self, model: Model) -> None:
        self.documents = [sha512(document.text) for document in model.documents]
        self.units = [unit.id for unit in model.units]
        self.entities = [stable_id("entity", entity.title) for entity in model.entities]
        self.relationships = [stable_id("relationship", r.source, r.target) for r in model.relationships]
        self.claims = [stable_id("claim", claim.key) for claim in model.claims]


def rows(model: Model) -> dict[str, list[Row]]:
    """All rows by table name."""
    ids = Ids(model)
    pairs = list(zip(model.communities, model.reports, strict=True))
    return {
        "documents": [_document(model, ids, index) for index in range(len(model.documents))],
        "text_units": [_unit(model, ids, index) for index in range(len(model.units))],
        "entities": [_entity(model, ids, index) for index in range(len(model.entities))],
        "relationships": [_relationship(model, ids, index) for index in range(len(model.relationships))],
        "communities": [_community(model, ids, community) for community in model.communities],
        "community_reports": [_report(model, source, community) for community, source in pairs],
        "covariates": [_claim(model, ids, index, claim) for index, claim in enumerate(model.claims)],
    }


def tables(model: Model) -> dict[str, Any]:
    """The same as arrow tables."""
    return {name: pa.Table.from_pylist(found, schema=SCHEMAS[name]) for name, found in rows(model).items()}


def _document(model: Model, ids: Ids, index: int) -> Row:
    return {
        "id": ids.documents[index],
        "human_readable_id": index,
        "title": model.documents[index].title,
        "text": model.documents[index].text,
        "text_unit_ids": [unit.id for unit in model.units if unit.document == index],
        "creation_date": CREATION_DATE,
        "metadata": None,
    }


def _unit(model: Model, ids: Ids, index: int) -> Row:
    unit = model.units[index]
    return {
        "id": unit.id,
        "human_readable_id": index,
        "text": unit.text,
        "n_tokens": unit.tokens,
        "document_id": ids.documents[unit.document],
        "entity_ids": [
            i for i, units in zip(ids.entities, model.entity_units, strict=True) if index in units
        ],
        "relationship_ids": [
            i for i, units in zip(ids.relationships, model.relationship_units, strict=True) if index in units
        ],
        "covariate_ids": [i for i, unit in zip(ids.claims, model.claim_units, strict=True) if index == unit],
    }


def _entity(model: Model, ids: Ids, index: int) -> Row:
    entity = model.entities[index]
    units = [ids.units[unit] for unit in model.entity_units[index]]
    return {
        "id": ids.entities[index],
        "human_readable_id": index,
        "title": entity.title,
        "type": entity.type,
        "description": entity.description,
        "text_unit_ids": units,
        "frequency": len(units),
        "degree": model.degrees[entity.title],
    }


def _relationship(model: Model, ids: Ids, index: int) -> Row:
    relationship = model.relationships[index]
    return {
        "id": ids.relationships[index],
        "human_readable_id": index,
        "source": relationship.source,
        "target": relationship.target,
        "description": relationship.description,
        "weight": relationship.weight,
        "combined_degree": model.degrees[relationship.source] + model.degrees[relationship.target],
        "text_unit_ids": [ids.units[unit] for unit in model.relationship_units[index]],
    }


def _community(model: Model, ids: Ids, community: CommunitySource) -> Row:
    inside = model.inside(community)
    units = sorted({unit for index in inside for unit in model.relationship_units[index]})
    return {
        **_place(model, community),
        "id": stable_id("community", *community.members),
        "title": f"Community {community.number}",
        "entity_ids": [ids.entities[model.entity_at[title]] for title in community.members],
        "relationship_ids": [ids.relationships[index] for index in inside],
        "text_unit_ids": [ids.units[unit] for unit in units],
    }


def _report(model: Model, source: ReportSource, community: CommunitySource) -> Row:
    report = render(model, source, community)
    return {
        **_place(model, community),
        "id": sha512(report.full_content),
        "title": source.title,
        "summary": source.summary,
        "full_content": report.full_content,
        "rank": source.rank,
        "rating_explanation": source.rating_explanation,
        "findings": [{"explanation": text, "summary": summary} for summary, text in report.findings],
        "full_content_json": report.full_content_json,
    }


def _place(model: Model, community: CommunitySource) -> Row:
    return {
        "human_readable_id": community.number,
        "community": community.number,
        "level": community.level,
        "parent": community.parent,
        "children": model.children(community),
        "period": PERIOD,
        "size": len(community.members),
    }


def _claim(model: Model, ids: Ids, index: int, claim: ClaimSource) -> Row:
    return {
        "id": ids.claims[index],
        "human_readable_id": index,
        "covariate_type": "claim",
        "type": claim.type,
        "description": claim.description,
        "subject_id": claim.subject,
        "object_id": claim.object,
        "status": claim.status,
        "start_date": _iso(claim.start),
        "end_date": _iso(claim.end),
        "source_text": claim.text,
        "text_unit_id": ids.units[model.claim_units[index]],
    }


def _iso(day: str) -> str:
    return day if day == "NONE" else f"{day}T00:00:00"
