"""Opens what a run reads: one index, or several as one, with a word on those that cannot take part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.errors import IndexDataError
from graphrag_cli.events import Method, RunWarning
from graphrag_cli.index.tables.schema import VECTORS_SEARCHED

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Settings
    from graphrag_cli.index.prepare import Preparation
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.index.vectors.base import VectorTables


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """What a run reads."""

    snapshot: Snapshot
    vectors: VectorTables
    preparation: Preparation
    remarks: tuple[RunWarning, ...] = ()
    """What the user should know of it before the answer."""


def open_index(settings: Settings, method: Method | None, embedding_model: str | None) -> OpenedIndex:
    """The index that ``settings`` name, checked for ``method``. Raises ``IndexDataError``.

    Of several indexes those that cannot be opened are left out with a remark; when none can, the first cause is raised.
    """
    from graphrag_cli.index.open import open_snapshot
    from graphrag_cli.index.prepare import Preparation
    from graphrag_cli.index.vectors.index_vectors import IndexVectors

    if len(settings.outputs) < 2:
        snapshot = open_snapshot(settings, method)
        vectors = IndexVectors(settings, snapshot, embedding_model)
        preparation = Preparation([(snapshot, vectors)], method)
        return OpenedIndex(snapshot, vectors, preparation, tuple(_damaged(snapshot)))
    return _open_several(settings, method, embedding_model)


def _open_several(settings: Settings, method: Method | None, embedding_model: str | None) -> OpenedIndex:
    from graphrag_cli.index.open import open_snapshot
    from graphrag_cli.index.prepare import Preparation
    from graphrag_cli.index.union import unite
    from graphrag_cli.index.vectors.index_vectors import IndexVectors
    from graphrag_cli.index.vectors.union import UnionVectors

    snapshots: dict[str, Snapshot] = {}
    vectors: dict[str, IndexVectors] = {}
    failed: dict[str, IndexDataError] = {}
    for name in settings.outputs:
        own = settings_of(settings, name)
        try:
            snapshots[name] = open_snapshot(own, method)
        except IndexDataError as error:
            failed[name] = error
            continue
        vectors[name] = IndexVectors(own, snapshots[name], embedding_model)
    if not snapshots:
        raise next(iter(failed.values()))
    union = UnionVectors(vectors)
    for table in VECTORS_SEARCHED[method] if method else ():
        failed |= union.lacking(table)
    left_out = (
        RunWarning("index.left_out", f"Index {name!r} takes no part: {error.message}")
        for name, error in failed.items()
    )
    damaged = (remark for snapshot in snapshots.values() for remark in _damaged(snapshot))
    preparation = Preparation([(snapshots[name], vectors[name]) for name in snapshots], method)
    return OpenedIndex(unite(snapshots), union, preparation, (*left_out, *damaged))


def _damaged(snapshot: Snapshot) -> Iterator[RunWarning]:
    """A word on tables that could not be read; the method does without them."""
    for error in snapshot.tables.damaged.values():
        yield RunWarning("index.damaged", f"The run does without a table: {error.message}")


def settings_of(settings: Settings, name: str) -> Settings:
    """``settings`` as they are for one of several indexes: its own tables, and the store that lies among them."""
    store = settings.vector_store.model_copy(update={"db_uri": None})
    return settings.model_copy(
        update={"output_storage": settings.outputs[name], "vector_store": store, "outputs": {}}
    )


def index_settings(settings: Settings) -> list[Settings]:
    """The settings of each index that a run reads: one, or one per ``--data``."""
    if len(settings.outputs) < 2:
        return [settings]
    return [settings_of(settings, name) for name in settings.outputs]
