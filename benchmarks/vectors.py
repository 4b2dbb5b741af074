"""Vectors of a synthetic index, written with lance; and the embedding that the fake endpoint gives to a text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index.arrow import pa, pc

Matrix = NDArray[np.float32]
HUB_WORD = "hub"
_BLOCK = 8192


def embedding(text: str, width: int) -> NDArray[np.float32]:
    """A direction that depends on the text alone; texts that speak of the hub all point its way."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "little")
    drawn = np.random.default_rng(seed).standard_normal(width, np.float32)
    drawn /= np.linalg.norm(drawn)
    if HUB_WORD in text.lower():
        drawn = hub_direction(width) + 0.1 * drawn
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def hub_direction(width: int) -> NDArray[np.float32]:
    """Where the hub lies."""
    drawn = np.random.default_rng(1).standard_normal(width, np.float32)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def blocks(rows: int, width: int, seed: int, *, hub: bool) -> Iterator[Matrix]:
    """Unit vectors in topics of fifty neighbours; the hub's first."""
    rng = np.random.default_rng(seed)
    for start in range(0, rows, _BLOCK):
        count = min(_BLOCK, rows - start)
        drawn = rng.standard_normal((count, width), np.float32)
        topics = rng.standard_normal((count // 50 + 1, width), np.float32)
        drawn += 0.7 * np.repeat(topics, 50, axis=0)[:count]
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        if hub and start == 0:
            drawn[0] = hub_direction(width)
        yield drawn


def write_table(path: Path, ids: Any, width: int, seed: int, *, hub: bool = False, ann: bool = False) -> None:
    """One vector table of the ids given, all in order."""
    lance: Any = __import__("lance")
    schema = pa.schema([("id", pa.string()), ("vector", pa.list_(pa.float32(), width))])

    def batches() -> Iterator[Any]:
        start = 0
        for block in blocks(len(ids), width, seed, hub=hub):
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), width)
            own = pc.cast(ids.slice(start, len(block)), pa.string())
            yield pa.record_batch([own, vectors], schema=schema)
            start += len(block)

    data = lance.write_dataset(pa.RecordBatchReader.from_batches(schema, batches()), str(path))
    if ann:
        partitions = max(1, int(len(ids) ** 0.5))
        data.create_index(
            "vector",
            index_type="IVF_PQ",
            metric="l2",
            num_partitions=partitions,
            num_sub_vectors=width // 16,
        )
