"""The canonical tables: every column the rest of the program may ask for, its type, and its older names.

Whatever release wrote an index, ``adapt.py`` presents it in this shape. A column is read only when asked for.

    entities        id number title type description degree text_unit_ids
    relationships   id number source target description weight combined_degree text_unit_ids
    communities     community level parent children entity_ids title size
    reports         id community level title summary content rank
    text_units      id text n_tokens document_id
    claims          id number subject object type status description start_date end_date source_text text_unit_id
    documents       id number title creation_date text_unit_ids
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphrag_cli.events import Method

if TYPE_CHECKING:
    from graphrag_cli.config.settings import VectorName

TableName: TypeAlias = Literal[
    "entities", "relationships", "communities", "reports", "text_units", "claims", "documents", "nodes"
]
"""``nodes`` is a source table of releases up to 1.x alone; it has no canonical form."""

Kind: TypeAlias = Literal["text", "key", "int", "float", "texts", "ints"]
"""``key`` is text that repeats (titles of endpoints, types) and is kept dictionary-encoded."""


@dataclass(frozen=True, slots=True)
class Column:
    """One canonical column: ``names`` are what releases call it, newest first; ``missing`` fills nulls and absences."""

    kind: Kind
    names: tuple[str, ...]
    missing: str | int | float | None = None


FILE_NAMES: dict[TableName, tuple[str, str | None]] = {
    "entities": ("entities", "create_final_entities"),
    "relationships": ("relationships", "create_final_relationships"),
    "communities": ("communities", "create_final_communities"),
    "reports": ("community_reports", "create_final_community_reports"),
    "text_units": ("text_units", "create_final_text_units"),
    "claims": ("covariates", "create_final_covariates"),
    "documents": ("documents", "create_final_documents"),
    "nodes": ("", "create_final_nodes"),
}
"""File name without extension in releases from 2.0, and up to 1.x."""


def _text(*names: str) -> Column:
    return Column("text", names, "")


def _number(*names: str) -> Column:
    return Column("int", names, -1)


SCHEMA: dict[TableName, dict[str, Column]] = {
    "entities": {
        "id": _text("id"),
        "number": _number("human_readable_id"),
        "title": _text("title", "name"),
        "type": Column("key", ("type", "entity_type"), ""),
        "description": _text("description"),
        "degree": _number("degree"),
        "text_unit_ids": Column("texts", ("text_unit_ids",)),
    },
    "relationships": {
        "id": _text("id"),
        "number": _number("human_readable_id"),
        "source": Column("key", ("source",), ""),
        "target": Column("key", ("target",), ""),
        "description": _text("description"),
        "weight": Column("float", ("weight",), 1.0),
        "combined_degree": _number("combined_degree", "rank"),
        "text_unit_ids": Column("texts", ("text_unit_ids",)),
    },
    "communities": {
        "community": _number("community", "human_readable_id", "id"),
        "level": Column("int", ("level",), 0),
        "parent": _number("parent"),
        "children": Column("ints", ("children",)),
        "entity_ids": Column("texts", ("entity_ids",)),
        "title": _text("title"),
        "size": _number("size"),
    },
    "reports": {
        "id": _text("id"),
        "community": _number("community"),
        "level": Column("int", ("level",), 0),
        "title": _text("title"),
        "summary": _text("summary"),
        "content": _text("full_content"),
        "rank": Column("float", ("rank", "rating"), 0.0),
    },
    "text_units": {
        "id": _text("id"),
        "text": _text("text", "chunk"),
        "n_tokens": _number("n_tokens"),
        "document_id": Column("key", ("document_id",), ""),
        "relationship_ids": Column("texts", ("relationship_ids",)),
    },
    "claims": {
        "id": _text("id"),
        "number": _number("human_readable_id"),
        "subject": Column("key", ("subject_id",), ""),
        "object": _text("object_id"),
        "type": _text("type"),
        "status": _text("status"),
        "description": _text("description"),
        "start_date": _text("start_date"),
        "end_date": _text("end_date"),
        "source_text": _text("source_text"),
        "text_unit_id": Column("key", ("text_unit_id",), ""),
    },
    "documents": {
        "id": _text("id"),
        "number": _number("human_readable_id"),
        "title": _text("title"),
        "creation_date": _text("creation_date"),
        "text_unit_ids": Column("texts", ("text_unit_ids",)),
    },
}

REQUIRED: dict[Method, tuple[TableName, ...]] = {
    "basic": ("text_units",),
    "local": ("entities", "relationships", "text_units"),
    "global": ("reports", "communities", "entities"),
    "drift": ("entities", "relationships", "text_units", "reports", "communities"),
}
"""Tables without which a method cannot answer. Up to 1.x the nodes table can stand in for communities."""

VECTORS_SEARCHED: dict[Method, tuple[VectorName, ...]] = {
    "basic": ("text_unit_text",),
    "local": ("entity_description",),
    "global": (),
    "drift": ("entity_description", "community_full_content"),
}
"""The vector tables that each method searches."""

OWNERS: dict[VectorName, TableName] = {
    "entity_description": "entities",
    "community_full_content": "reports",
    "text_unit_text": "text_units",
}
"""The table whose records each vector table stands for."""

MAY_BE_EMPTY: frozenset[TableName] = frozenset({"relationships"})
"""Tables that have to be there, but that a small index may well have no rows for."""
