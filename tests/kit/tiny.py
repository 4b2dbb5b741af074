"""One tiny good index: a harbour town in three text units, as tables of the newest release.

Six entities (one of them in no community), seven relationships, two levels of communities, two claims.
"""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow
import pyarrow.parquet
from numpy.typing import NDArray

pa: Any = pyarrow
pq: Any = pyarrow.parquet

Rows: TypeAlias = list[dict[str, Any]]
Tables: TypeAlias = dict[str, Rows]
"""Rows by the table's newest file name."""

WIDTH = 8


def uid(kind: str, number: int) -> str:
    """An id as current releases make them."""
    digest = hashlib.sha256(f"{kind}{number}".encode()).hexdigest()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))


def long_uid(kind: str, number: int) -> str:
    """The id of a text unit or document: 128 hexadecimal digits."""
    return hashlib.sha512(f"{kind}{number}".encode()).hexdigest()


def vector(text: str, width: int = WIDTH) -> NDArray[np.float32]:
    """A direction that depends on the text alone."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "little")
    drawn = np.random.default_rng(seed).normal(size=width)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


_ENTITIES = (
    ("MIRA VOSS", "PERSON", "Mira Voss keeps the lighthouse of Skarn and logs every ship.", (0, 1)),
    ("SKARN LIGHTHOUSE", "GEO", "The lighthouse stands on the northern reef of Skarn harbour.", (0, 1)),
    ("THE HERON", "SHIP", "The Heron is a grain ship that struck the reef in the storm of March.", (0, 2)),
    ("OLE BRANDT", "PERSON", "Ole Brandt was master of the Heron on her last voyage.", (0, 2)),
    ("HARBOUR BOARD", "ORGANIZATION", "The harbour board pays for the light and held the inquiry.", (1, 2)),
    ("TIDE TABLE", "EVENT", "A printed table of tides that no one else mentions.", (1,)),
)
_RELATIONSHIPS = (
    (0, 1, "Mira Voss tends the lighthouse.", 9.0, (0, 1)),
    (2, 1, "The Heron steered by the lighthouse.", 4.0, (0,)),
    (3, 2, "Ole Brandt commanded the Heron.", 8.0, (0, 2)),
    (4, 1, "The board pays for the light.", 5.0, (1,)),
    (4, 3, "The board questioned Brandt.", 6.0, (2,)),
    (4, 0, "The board employs Mira Voss.", 3.0, (1,)),
    (0, 2, "Mira Voss saw the Heron strike.", 7.0, (0,)),
)
_UNITS = (
    "In the storm of March the Heron struck the northern reef of Skarn while Mira Voss held the light.",
    "The harbour board of Skarn employs a keeper, Mira Voss, and pays for the light and the tide table.",
    "The board held an inquiry and heard Ole Brandt, master of the Heron, who had mistaken the light.",
)
_COMMUNITIES = (
    (0, 0, -1, (0, 1, 2, 3, 4)),
    (1, 1, 0, (0, 1, 4)),
    (2, 1, 0, (2, 3)),
)


def degrees() -> list[int]:
    """Relationships of each entity."""
    ends = [end for one in _RELATIONSHIPS for end in one[:2]]
    return [ends.count(row) for row in range(len(_ENTITIES))]


def tables() -> Tables:
    """The good index, fresh: change what you like."""
    return {
        "entities": _entities(),
        "relationships": _relationships(),
        "communities": _communities(),
        "community_reports": _reports(),
        "text_units": _units(),
        "documents": _documents(),
        "covariates": _claims(),
    }


def _entities() -> Rows:
    return [
        {
            "id": uid("entity", row),
            "human_readable_id": row,
            "title": title,
            "type": kind,
            "description": text,
            "text_unit_ids": [long_uid("unit", unit) for unit in units],
            "frequency": len(units),
            "degree": degrees()[row],
        }
        for row, (title, kind, text, units) in enumerate(_ENTITIES)
    ]


def _relationships() -> Rows:
    return [
        {
            "id": uid("relationship", row),
            "human_readable_id": row,
            "source": _ENTITIES[source][0],
            "target": _ENTITIES[target][0],
            "description": text,
            "weight": weight,
            "combined_degree": degrees()[source] + degrees()[target],
            "text_unit_ids": [long_uid("unit", unit) for unit in units],
        }
        for row, (source, target, text, weight, units) in enumerate(_RELATIONSHIPS)
    ]


def _communities() -> Rows:
    return [
        {
            "id": uid("community", number),
            "human_readable_id": number,
            "community": number,
            "level": level,
            "parent": parent,
            "children": [other[0] for other in _COMMUNITIES if other[2] == number],
            "title": f"Community {number}",
            "entity_ids": [uid("entity", row) for row in members],
            "relationship_ids": [
                uid("relationship", row)
                for row, one in enumerate(_RELATIONSHIPS)
                if one[0] in members and one[1] in members
            ],
            "text_unit_ids": sorted(
                {long_uid("unit", unit) for row in members for unit in _ENTITIES[row][3]}
            ),
            "period": "2025-01-01",
            "size": len(members),
        }
        for number, level, parent, members in _COMMUNITIES
    ]


def _reports() -> Rows:
    titles = ("Skarn harbour", "The light and its keeper", "The Heron and her master")
    return [
        {
            "id": uid("report", number).replace("-", ""),
            "human_readable_id": number,
            "community": number,
            "level": level,
            "parent": parent,
            "children": [other[0] for other in _COMMUNITIES if other[2] == number],
            "title": titles[number],
            "summary": f"{titles[number]}: a summary.",
            "full_content": f"# {titles[number]}\n\nWhat is known of it, told in full.",
            "rank": 7.0 - number,
            "rating_explanation": "It matters to the town.",
            "findings": [{"explanation": "It is so.", "summary": "A finding"}],
            "full_content_json": "{}",
            "period": "2025-01-01",
            "size": len(members),
        }
        for number, level, parent, members in _COMMUNITIES
    ]


def _units() -> Rows:
    return [
        {
            "id": long_uid("unit", row),
            "human_readable_id": row,
            "text": text,
            "n_tokens": len(text.split()),
            "document_id": long_uid("document", row // 2),
            "entity_ids": [uid("entity", place) for place, one in enumerate(_ENTITIES) if row in one[3]],
            "relationship_ids": [
                uid("relationship", place) for place, one in enumerate(_RELATIONSHIPS) if row in one[4]
            ],
            "covariate_ids": [uid("claim", row)] if row < 2 else [],
        }
        for row, text in enumerate(_UNITS)
    ]


def _documents() -> Rows:
    return [
        {
            "id": long_uid("document", row),
            "human_readable_id": row,
            "title": title,
            "text": title,
            "text_unit_ids": [long_uid("unit", unit) for unit in units],
            "creation_date": date,
            "raw_data": None,
        }
        for row, (title, units, date) in enumerate(
            (
                ("storm.txt", (0, 1), "2024-03-05 09:39:37 -0800"),
                ("inquiry.txt", (2,), "2024-06-20 10:00:00 +0000"),
            )
        )
    ]


def _claims() -> Rows:
    said = (("THE HERON", "SKARN LIGHTHOUSE", "NEGLIGENCE"), ("MIRA VOSS", "NONE", "DUTY"))
    return [
        {
            "id": uid("claim", row),
            "human_readable_id": row,
            "covariate_type": "claim",
            "type": kind,
            "description": f"{subject} is said to be a case of {kind.lower()}.",
            "subject_id": subject,
            "object_id": other,
            "status": "SUSPECTED",
            "start_date": "2024-03-01",
            "end_date": "2024-03-02",
            "source_text": _UNITS[row][:40],
            "text_unit_id": long_uid("unit", row),
        }
        for row, (subject, other, kind) in enumerate(said)
    ]


def write_tables(folder: Path, data: Tables, form: str = "parquet") -> None:
    """Writes each table; types follow from the rows, lists of nothing are lists of strings."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in data.items():
        write_table(folder / f"{name}.{form}", pa.Table.from_pylist(rows))


def write_table(path: Path, table: pyarrow.Table) -> None:
    """Writes one table as parquet, or as CSV the way pandas does (lists in Python's spelling)."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    import pandas as pd

    frame: Any = pd.DataFrame(table.to_pylist())
    frame.to_csv(path, index=False)


TEXTS = {
    "entity_description": ("entities", "description"),
    "community_full_content": ("community_reports", "full_content"),
    "text_unit_text": ("text_units", "text"),
}


def write_vectors(store: Path, data: Tables, width: int = WIDTH, prefix: str | None = None) -> None:
    """A LanceDB store with the three tables, named as current releases do or ``<prefix>-…`` as 2.x did."""
    old = {
        "entity_description": "entity-description",
        "community_full_content": "community-full_content",
        "text_unit_text": "text_unit-text",
    }
    for name, (table, column) in TEXTS.items():
        rows = data[table]
        vectors = [vector(row.get(column) or "", width).tolist() for row in rows]
        title = name if prefix is None else f"{prefix}-{old[name]}"
        write_vector_table(store, title, [row["id"] for row in rows], vectors)


def write_vector_table(
    store: Path, name: str, ids: list[Any], vectors: list[Any], kind: pyarrow.DataType | None = None
) -> None:
    """One LanceDB table; ``kind`` is the type of its vector column, fixed-size float lists unless named."""
    lance: Any = importlib.import_module("lance")
    store.mkdir(parents=True, exist_ok=True)
    width = len(vectors[0]) if vectors and vectors[0] is not None else WIDTH
    table = pa.table(
        {"id": pa.array(ids, pa.string()), "vector": pa.array(vectors, kind or pa.list_(pa.float32(), width))}
    )
    lance.write_dataset(table, str(store / f"{name}.lance"))


def write_index(folder: Path, data: Tables | None = None) -> Path:
    """The good index, whole: tables in ``folder``, vectors in ``folder/lancedb``."""
    data = tables() if data is None else data
    write_tables(folder, data)
    write_vectors(folder / "lancedb", data)
    return folder
