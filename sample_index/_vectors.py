"""Embeds entities, reports and text units with the embedded model and writes the LanceDB tables."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder
from sample_index._tables import Row

WIDTH = 384

# pyarrow and lance ship no types; everything that passes through them is `Any` in this module.
pa: Any = import_module("pyarrow")
lance: Any = import_module("lance")


def write(folder: Path, rows: dict[str, list[Row]]) -> None:
    """Write the three tables anew; each is a single fragment in a single version, to keep the folder small."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, pairs in _texts(rows).items():
        vectors = asyncio.run(MiniLmEmbedder().embed([text for _, text in pairs]))
        lance.write_dataset(_table([id_ for id_, _ in pairs], vectors), str(folder / f"{name}.lance"))


def _texts(rows: dict[str, list[Row]]) -> dict[str, list[tuple[str, str]]]:
    """What GraphRAG embeds under which table name: (id, text) pairs."""
    return {
        "entity_description": [(str(r["id"]), f"{r['title']}:{r['description']}") for r in rows["entities"]],
        "community_full_content": [(str(r["id"]), str(r["full_content"])) for r in rows["community_reports"]],
        "text_unit_text": [(str(r["id"]), str(r["text"])) for r in rows["text_units"]],
    }


def _table(ids: Sequence[str], vectors: Any) -> Any:
    flat = pa.array(vectors.reshape(-1), type=pa.float32())
    columns = [pa.array(ids, type=pa.string()), pa.FixedSizeListArray.from_arrays(flat, WIDTH)]
    return pa.table(columns, names=["id", "vector"])
