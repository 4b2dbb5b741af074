"""Builds the vector tables of an index with a given embedder: in batches, several at a time, resumable.

The embedder is any async callable; this folder knows no models.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from graphrag_cli.index.graph import Rows
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.schema import OWNERS
from graphrag_cli.index.vectors.similarity import Matrix
from graphrag_cli.index.vectors.staging import Plan, Staging
from graphrag_cli.index.vectors.texts import embeddable, texts
from graphrag_cli.index.vectors.writer import Manifest, read_manifest, refuse_foreign, write_table
from graphrag_cli.together import together

if TYPE_CHECKING:
    from graphrag_cli.config.settings import VectorName
    from graphrag_cli.index.vectors.base import VectorTable

Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[Matrix]]
"""One vector per text, in order."""


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    """How a table is built. ``model`` names the embedder; vectors of another model are never mixed in."""

    model: str
    batch_size: int = 64
    concurrency: int = 4


@dataclass(frozen=True, slots=True)
class EmbedProgress:
    """``done`` of ``total`` records of one table have their vector."""

    name: VectorName
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class BuiltTable:
    """A finished table. ``embedded`` counts what this run sent to the model, ``skipped`` records without any text."""

    name: VectorName
    path: Path
    rows: int
    width: int
    embedded: int
    skipped: int


async def build_table(
    snapshot: Snapshot,
    name: VectorName,
    folder: Path,
    embed: Embed,
    options: EmbedOptions,
    on_progress: Callable[[EmbedProgress], None] = lambda progress: None,
) -> BuiltTable:
    """Builds ``<folder>/<name>.lance`` and returns what was done; nothing is embedded twice, whatever ended an earlier run.

    Raises whatever ``embed`` raises (what was done so far is kept), and ``VectorError`` when ``folder`` holds a
    table of that name which is not ours, or the vectors cannot be used.
    """
    refuse_foreign(folder, name)
    rows, fingerprint = embeddable(snapshot, name)
    skipped = snapshot.tables.rows(OWNERS[name]) - len(rows)
    ready = read_manifest(folder, name)
    if ready is not None and (ready.model, ready.fingerprint) == (options.model, fingerprint):
        on_progress(EmbedProgress(name, len(rows), len(rows)))
        return BuiltTable(name, folder / f"{name}.lance", ready.rows, ready.width, 0, skipped)

    staging = Staging(folder / f".{name}.partial", Plan(options.model, fingerprint, len(rows)))
    before = staging.done

    async def one(places: Rows) -> None:
        staging.put(places, await embed(texts(snapshot, name, rows[places])))
        on_progress(EmbedProgress(name, staging.done, len(rows)))

    on_progress(EmbedProgress(name, before, len(rows)))
    await _all(one, _batches(staging.missing(), options.batch_size), options.concurrency)
    manifest = Manifest(options.model, fingerprint, len(rows), staging.width or 0)
    ids = convert.take(snapshot.tables.column(OWNERS[name], "id"), rows)
    path = await asyncio.to_thread(write_table, folder, name, ids, staging.vectors(), manifest)
    staging.remove()
    return BuiltTable(name, path, manifest.rows, manifest.width, staging.done - before, skipped)


def _batches(places: Rows, size: int) -> Iterator[Rows]:
    for start in range(0, len(places), size):
        yield places[start : start + size]


async def _all(work: Callable[[Rows], Awaitable[None]], batches: Iterator[Rows], concurrency: int) -> None:
    """Works through ``batches``, ``concurrency`` at a time. The first failure stops the others and is raised as it is."""

    async def worker() -> None:
        for batch in batches:
            await work(batch)

    await together(worker() for _ in range(max(concurrency, 1)))


async def self_test(
    snapshot: Snapshot, name: VectorName, table: VectorTable, embed: Embed, sample: int = 5
) -> float:
    """Share of a few stored texts that, embedded anew, find themselves first: 1.0 when model and vectors belong together.

    A tie with a record of the same text counts as found.
    """
    rows, _ = embeddable(snapshot, name)
    chosen = rows[:: max(len(rows) // sample, 1)][:sample]
    if not len(chosen):
        return 0.0
    queries = await embed(texts(snapshot, name, chosen))
    ids = convert.strings(convert.take(snapshot.tables.column(OWNERS[name], "id"), chosen))
    found = 0
    for key, hits in zip(ids, table.search(queries, 5), strict=True):
        best = [
            other
            for other, score in zip(hits.ids, hits.similarities, strict=True)
            if score >= hits.similarities[0] - 1e-3
        ]
        found += key in best
    return found / len(chosen)
