"""Makes, before the first question to a large index, everything that its questions will need, and tells how far it is.

Without it the same is made piece by piece when a question first touches it. What is made is kept in the user's cache
folder, so that it is done once for a state of an index.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from graphrag_cli.errors import CliError
from graphrag_cli.index.tables.schema import VECTORS_SEARCHED, TableName

if TYPE_CHECKING:
    from graphrag_cli.config.settings import VectorName
    from graphrag_cli.events import Method
    from graphrag_cli.index.links import Links
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.index.vectors.index_vectors import IndexVectors

Tell: TypeAlias = Callable[[int, int, str], None]
"""Steps done, steps there are, and what comes next; called from another thread."""

_GRAPH: tuple[TableName, ...] = ("communities", "entities", "relationships", "text_units", "claims")
TABLES: dict[Method, tuple[TableName, ...]] = {
    "basic": ("text_units", "documents"),
    "local": (*_GRAPH, "reports", "documents"),
    "global": ("communities", "entities", "reports", "text_units", "documents"),
    "drift": (*_GRAPH, "reports", "documents"),
}
"""The tables that a method, and the citations of its answer, look things up in."""
_COLUMNS: dict[TableName, tuple[str, ...]] = {
    "entities": ("id", "title", "type", "description", "number", "degree"),
    "relationships": ("id", "source", "target", "description", "number", "weight", "combined_degree"),
    "communities": ("community", "level", "parent"),
    "reports": ("id", "title", "summary", "content", "community", "level", "rank"),
    "text_units": ("id", "text", "document_id"),
    "claims": (
        "id",
        "subject",
        "object",
        "type",
        "status",
        "description",
        "start_date",
        "end_date",
        "source_text",
        "text_unit_id",
        "number",
    ),
    "documents": ("id", "title", "creation_date", "number"),
}
"""The columns of them that are read; those that are not kept cost nothing here."""


@dataclass(frozen=True, slots=True)
class Step:
    """One piece of the work."""

    name: str
    make: Callable[[], object]


class Preparation:
    """What one method needs of one index or several. Safe to use from several threads: one works, the others wait."""

    def __init__(
        self, parts: Sequence[tuple[Snapshot, IndexVectors]] = (), method: Method | None = None
    ) -> None:
        self._parts = [] if method is None else [Part(*part, method) for part in parts]
        self._lock = threading.Lock()

    @property
    def needed(self) -> bool:
        """Whether anything may have to be made. Costs next to nothing."""
        return any(part.needed for part in self._parts)

    def run(self, tell: Tell) -> None:
        """Makes it. What cannot be made is left to the question, which then says why."""
        with self._lock:
            parts = [part for part in self._parts if part.needed]
            total = sum(len(part.tables) + len(part.vectors) for part in parts)
            progress = Progress(tell, total)
            for part in parts:
                part.run(progress)


class Progress:
    """Counts steps that end in several threads."""

    def __init__(self, tell: Tell, total: int) -> None:
        self._tell = tell
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def begin(self, name: str) -> None:
        """A step begins."""
        with self._lock:
            self._tell(self._done, self._total, name)

    def end(self) -> None:
        """A step ended."""
        with self._lock:
            self._done += 1


class Part:
    """One index."""

    def __init__(self, snapshot: Snapshot, vectors: IndexVectors, method: Method) -> None:
        self._snapshot = snapshot
        self._note = f"prepared.{method}"
        self.tables = list(_table_steps(snapshot, method))
        self.vectors = [_vector_step(vectors, name) for name in VECTORS_SEARCHED[method]]

    @property
    def needed(self) -> bool:
        """Whether it was not prepared before, and can be."""
        cache = self._snapshot.tables.cache
        return cache.active and not cache.has_note(self._note)

    def run(self, progress: Progress) -> None:
        """Tables in one thread, vectors in another: most of both is done outside of Python."""
        with ThreadPoolExecutor(2, thread_name_prefix="prepare") as pool:
            running = [pool.submit(self._run, steps, progress) for steps in (self.vectors, self.tables)]
        for one in running:
            one.result()
        self._snapshot.tables.cache.note(self._note)

    def _run(self, steps: Sequence[Step], progress: Progress) -> None:
        cache = self._snapshot.tables.cache
        for step in steps:
            progress.begin(step.name)
            with suppress(CliError):
                if cache.active:
                    step.make()
            cache.release()
            progress.end()


def _table_steps(snapshot: Snapshot, method: Method) -> Iterator[Step]:
    for table in TABLES[method]:
        if snapshot.tables.has(table):
            yield Step(table.replace("_", " "), lambda table=table: _make_table(snapshot, table, method))


def _make_table(snapshot: Snapshot, table: TableName, method: Method) -> None:
    tables = snapshot.tables
    for name in _COLUMNS[table]:
        if tables.is_cached(table, name):
            tables.column(table, name)
    for make in _links(snapshot.links, table, method):
        make()


def _links(links: Links, table: TableName, method: Method) -> tuple[Callable[[], object], ...]:
    """What is worked out from a table, the columns of those before it being there."""
    local = method in {"local", "drift"}
    match table:
        case "communities":
            return (links.tree,)
        case "entities" if method != "global":
            return (lambda: links.id_index("entities"),)
        case "relationships":
            return (links.relationships_of, links.degrees)
        case "reports" if method == "global":
            return (links.units_per_community,)
        case "text_units" if local:
            return (links.units_of_entity, links.units_of_relationship, links.document_of_unit)
        case "text_units":
            return (links.document_of_unit, lambda: links.id_index("text_units"))
        case "claims":
            return (links.claims_of, links.unit_of_claim)
        case _:
            return ()


def _vector_step(vectors: IndexVectors, name: VectorName) -> Step:
    return Step("vectors", lambda: vectors.prepare(name))
