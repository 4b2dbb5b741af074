"""Writes vector tables of our own, in LanceDB's format. The only module that writes with ``lance``.

A table appears whole or not at all: it is written beside its place and moved there.
"""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphrag_cli.errors import VectorError
from graphrag_cli.index.arrow import Array, pa
from graphrag_cli.index.vectors.similarity import Matrix

INDEX_ROWS = 100_000
"""From so many rows on an approximate index pays; below, an exact search takes a few hundredths of a second."""
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a table of ours was made of; lies beside it as ``<name>.json``."""

    model: str
    fingerprint: str
    rows: int
    width: int


def read_manifest(folder: Path, name: str) -> Manifest | None:
    """The manifest of a finished table; None when there is no such table, or it is not ours."""
    try:
        text = (folder / f"{name}.json").read_text(encoding="utf-8")
        manifest = Manifest(**json.loads(text))
    except (OSError, ValueError, TypeError):
        return None
    return manifest if (folder / f"{name}.lance").is_dir() else None


def refuse_foreign(folder: Path, name: str) -> None:
    """Raises ``VectorError`` when a table of that name is there that this program did not make."""
    if (folder / f"{name}.lance").exists() and not (folder / f"{name}.json").exists():
        raise VectorError(
            f"{str(folder / name)!r} is a vector table that graphrag-cli did not make, and it will not be replaced",
            hint="choose another folder with --output",
        )


def write_table(folder: Path, name: str, ids: Array, vectors: Matrix, manifest: Manifest) -> Path:
    """Writes ``ids`` and ``vectors`` as the table ``name``, indexed where that pays, and returns its path.

    The manifest is in place before the table is: a run that is killed in between leaves a manifest without a table,
    which counts as no table, and never a table that looks like somebody else's.
    """
    lance: Any = importlib.import_module("lance")
    fresh = folder / f".{name}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    kind = pa.schema([("id", pa.string()), ("vector", pa.list_(pa.float32(), manifest.width))])
    reader = pa.RecordBatchReader.from_batches(kind, _batches(ids, vectors, kind))
    data = lance.write_dataset(reader, str(fresh))
    if manifest.rows >= INDEX_ROWS:
        _index(data, manifest)
    final = folder / f"{name}.lance"
    shutil.rmtree(final, ignore_errors=True)
    _write_manifest(folder / f"{name}.json", manifest)
    fresh.rename(final)
    return final


def _batches(ids: Array, vectors: Matrix, kind: Any) -> Iterator[Any]:
    for start in range(0, len(ids), _BLOCK):
        block = np.ascontiguousarray(vectors[start : start + _BLOCK])
        lists = pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), vectors.shape[1])
        yield pa.record_batch([ids.slice(start, _BLOCK), lists], schema=kind)


def _index(data: Any, manifest: Manifest) -> None:
    """An IVF-PQ index for cosine: about the root of the rows in partitions, eight numbers to a sub-vector."""
    parts = next(parts for parts in (8, 4, 2, 1) if manifest.width % parts == 0)
    data.create_index(
        "vector",
        "IVF_PQ",
        metric="cosine",
        num_partitions=int(np.sqrt(manifest.rows)),
        num_sub_vectors=manifest.width // parts,
    )


def _write_manifest(path: Path, manifest: Manifest) -> None:
    fresh = path.with_suffix(".json.new")
    fresh.write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    fresh.replace(path)
