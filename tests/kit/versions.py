"""The tables of the newest release, written as each older one would have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from tests.kit.tiny import Rows, Tables, vector

Version: TypeAlias = Literal["0.3", "0.4", "0.5", "1.x", "2.x", "3.x"]
VERSIONS: tuple[Version, ...] = ("0.3", "0.4", "0.5", "1.x", "2.x", "3.x")

_FINAL = {
    "entities": "create_final_entities",
    "relationships": "create_final_relationships",
    "communities": "create_final_communities",
    "community_reports": "create_final_community_reports",
    "text_units": "create_final_text_units",
    "documents": "create_final_documents",
    "covariates": "create_final_covariates",
    "nodes": "create_final_nodes",
}


def as_version(data: Tables, version: Version, *, embedded: bool = True) -> Tables:
    """``data`` in the files and columns of ``version``; ``embedded`` puts vectors into the tables of 0.3 and 0.4."""
    if version == "3.x":
        return data
    if version == "2.x":
        return {**data, "text_units": [_listed(row) for row in data["text_units"]]}
    made = _to_1x(data)
    if version != "1.x":
        made = _to_05(made)
    if version in {"0.3", "0.4"}:
        made = _to_04(made, embedded)
    return {_FINAL[name]: rows for name, rows in made.items()}


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    return _renamed(row, document_id="document_ids") | {"document_ids": [row["document_id"]]}


def _renamed(row: dict[str, Any], **names: str) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in row.items()}


def _without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _each(data: Tables, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Rows:
    return [change(row) for row in data[name]]


def _to_1x(data: Tables) -> Tables:
    return {
        **data,
        "entities": _each(data, "entities", lambda row: _without(row, "degree", "frequency")),
        "communities": _each(data, "communities", lambda row: _without(row, "children")),
        "community_reports": _each(
            data,
            "community_reports",
            lambda row: _renamed(_without(row, "children"), rating_explanation="rank_explanation"),
        ),
        "text_units": _each(data, "text_units", _listed),
        "documents": _each(data, "documents", lambda row: _without(row, "creation_date", "raw_data")),
        "nodes": _nodes(data),
    }


def _nodes(data: Tables) -> Rows:
    """One row per entity and level; an entity in no community has level 0 and community -1."""
    rows: Rows = []
    for entity in data["entities"]:
        homes = [one for one in data["communities"] if entity["id"] in one["entity_ids"]]
        places = [(one["level"], one["community"]) for one in homes] or [(0, -1)]
        rows += [
            {
                "id": entity["id"],
                "human_readable_id": entity["human_readable_id"],
                "title": entity["title"],
                "community": community,
                "level": level,
                "degree": entity["degree"],
                "x": 0.0,
                "y": 0.0,
            }
            for level, community in places
        ]
    return rows


def _to_05(data: Tables) -> Tables:
    return {
        **data,
        "communities": _each(
            data,
            "communities",
            lambda row: _without(row, "parent") | {"text_unit_ids": [",".join(row["text_unit_ids"])]},
        ),
        "community_reports": _each(
            data, "community_reports", lambda row: _without(row, "parent") | {"size": float(row["size"])}
        ),
    }


def _to_04(data: Tables, embedded: bool) -> Tables:
    def entity(row: dict[str, Any]) -> dict[str, Any]:
        made = _renamed(row, title="name") | {"graph_embedding": None}
        return made | ({"description_embedding": vector(row["description"]).tolist()} if embedded else {})

    def relationship(row: dict[str, Any]) -> dict[str, Any]:
        made = _renamed(row, combined_degree="rank")
        return made | {"human_readable_id": str(row["human_readable_id"])}

    def report(row: dict[str, Any]) -> dict[str, Any]:
        made = _without(row, "human_readable_id") | {"community": str(row["community"])}
        return made | ({"full_content_embedding": vector(row["full_content"]).tolist()} if embedded else {})

    def unit(row: dict[str, Any]) -> dict[str, Any]:
        return _without(row, "human_readable_id")

    def community(row: dict[str, Any]) -> dict[str, Any]:
        kept = _without(row, "human_readable_id", "community", "entity_ids")
        return kept | {"id": str(row["community"]), "raw_community": str(row["community"])}

    def node(row: dict[str, Any]) -> dict[str, Any]:
        inside = row["community"] >= 0
        return row | {"community": str(row["community"]) if inside else None, "source_id": "", "size": 1}

    def claim(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"human_readable_id": str(row["human_readable_id"]), "document_ids": []}

    return {
        **data,
        "entities": _each(data, "entities", entity),
        "relationships": _each(data, "relationships", relationship),
        "community_reports": _each(data, "community_reports", report),
        "communities": _each(data, "communities", community),
        "text_units": _each(data, "text_units", unit),
        "documents": [
            {
                "id": row["id"],
                "title": row["title"],
                "raw_content": row["text"],
                "text_unit_ids": row["text_unit_ids"],
            }
            for row in data["documents"]
        ],
        "nodes": _each(data, "nodes", node),
        "covariates": _each(data, "covariates", claim),
    }
