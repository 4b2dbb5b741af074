"""What an index holds, how sound it is, and which methods it can serve: pure functions that return findings.

``index check`` prints them; nothing here calls a model or writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.errors import VectorError
from graphrag_cli.events import METHODS, Method
from graphrag_cli.index.checks.findings import Finding, health_findings
from graphrag_cli.index.checks.health import examine
from graphrag_cli.index.open import cannot_serve, file_name
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.adaptations import Adaptation, adaptations
from graphrag_cli.index.tables.schema import OWNERS, VECTORS_SEARCHED, TableName
from graphrag_cli.index.vectors.table import StoredTable

if TYPE_CHECKING:
    from graphrag_cli.config.settings import VectorName
    from graphrag_cli.index.vectors.index_vectors import IndexVectors


@dataclass(frozen=True, slots=True)
class TableReport:
    """One table file."""

    table: TableName
    file: str
    rows: int
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LevelReport:
    """What a global search at one community level reads and costs.

    ``calls`` is map calls at the budget given plus one reduce call; ``tokens`` are of the report contents alone.
    """

    level: int
    communities: int
    reports: int
    without_report: int
    tokens: int
    calls: int


@dataclass(frozen=True, slots=True)
class VectorReport:
    """One vector table: where it is and how well it fits. ``problem`` is set when it cannot be used."""

    name: VectorName
    table: str
    place: str
    rows: int
    width: int
    overlap: float
    """Share of a sample of its ids that are in the tables."""
    covered: float
    """Share of the records that have a vector."""
    problem: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class MethodReport:
    """Whether a method can be served, and if not, why."""

    method: Method
    servable: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Everything ``index check`` knows without a model."""

    path: str
    version: str
    tables: tuple[TableReport, ...]
    adaptations: tuple[Adaptation, ...]
    levels: tuple[LevelReport, ...]
    vectors: tuple[VectorReport, ...]
    methods: tuple[MethodReport, ...]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """True when nothing is an error."""
        return all(finding.severity != "error" for finding in self.findings)


def check(
    snapshot: Snapshot,
    vectors: IndexVectors,
    count: Callable[[str], int],
    batch_tokens: int,
    width: int | None,
) -> IndexReport:
    """Checks all. ``count`` counts tokens, ``batch_tokens`` is the budget of a map call, ``width`` that of the embedder."""
    tables = table_reports(snapshot)
    stored = tuple(vector_report(vectors, name, snapshot) for name in OWNERS)
    methods = method_reports(snapshot, stored, width)
    health = examine(snapshot)
    findings = (
        *_method_findings(methods),
        *_damage_findings(snapshot),
        *health_findings(health),
        *vector_findings(stored, width),
        *(
            Finding("index.where", "info", note, "name that folder with --data to read it directly")
            for note in snapshot.tables.located.notes
        ),
    )
    return IndexReport(
        path=snapshot.summary.path,
        version=snapshot.summary.version,
        tables=tables,
        adaptations=adaptations(snapshot.tables),
        levels=level_reports(snapshot, count, batch_tokens),
        vectors=stored,
        methods=methods,
        findings=findings,
    )


def table_reports(snapshot: Snapshot) -> tuple[TableReport, ...]:
    """The files, as they are."""
    located = snapshot.tables.located
    return tuple(
        TableReport(name, file_name(located, name), source.rows, source.columns)
        for name, source in snapshot.tables.sources.items()
    )


def _damage_findings(snapshot: Snapshot) -> Iterator[Finding]:
    for error in snapshot.tables.damaged.values():
        yield Finding("tables.damaged", "error", error.message, error.hint or "copy the file again")


# -- levels -------------------------------------------------------------------------------------------------------


def level_reports(
    snapshot: Snapshot, count: Callable[[str], int], batch_tokens: int
) -> tuple[LevelReport, ...]:
    """What each level costs. Every report is counted once, however many levels use it."""
    if not snapshot.tables.rows("reports") or not snapshot.tables.rows("communities"):
        return ()
    contents = convert.strings(snapshot.tables.column("reports", "content").combine_chunks())
    tokens = np.array([count(text) for text in contents], np.int64)
    made: list[LevelReport] = []
    for level in snapshot.levels():
        rows = snapshot.report_rows_at(level)
        missing = snapshot.communities_without_report(level)
        spent = int(tokens[rows].sum())
        batches = -(-spent // batch_tokens)
        made.append(
            LevelReport(level, len(rows) + missing, len(rows), missing, spent, batches + 1 if batches else 0)
        )
    return tuple(made)


# -- vectors ------------------------------------------------------------------------------------------------------


def vector_report(vectors: IndexVectors, name: VectorName, snapshot: Snapshot) -> VectorReport:
    """Opens one vector table and measures it; a problem is reported, not raised."""
    try:
        table = vectors.open(name)
    except VectorError as error:
        return VectorReport(name, "", "", 0, 0, 0.0, 0.0, error.message, error.hint)
    if not isinstance(table, StoredTable):
        return VectorReport(name, table.name, "", table.rows, table.width, 1.0, 1.0)
    try:
        covered = table.covered(snapshot.tables.rows(OWNERS[name]))
    except VectorError as error:
        return VectorReport(
            name, table.name, table.place, table.rows, table.width, 0.0, 0.0, error.message, error.hint
        )
    return VectorReport(name, table.name, table.place, table.rows, table.width, table.overlap(), covered)


def vector_findings(stored: tuple[VectorReport, ...], width: int | None) -> Iterator[Finding]:
    """Problems of the vector tables, and widths that do not fit the embedder."""
    for report in stored:
        if report.problem is not None:
            yield Finding(
                "vectors.unusable", "warning", report.problem, report.hint or "graphrag-cli index embed"
            )
            continue
        if width is not None and report.width != width:
            yield Finding(
                "vectors.width",
                "error",
                f"{report.table!r} holds vectors of {report.width} numbers, the configured embedding model makes {width}",
                "configure the model the index was made with, or build vectors with: graphrag-cli index embed",
            )
        if report.covered < 1:
            yield Finding(
                "vectors.incomplete",
                "warning",
                f"{1 - report.covered:.0%} of the {OWNERS[report.name]} have no vector in {report.table!r} and are never found by it",
                "build the vectors anew with: graphrag-cli index embed",
            )


# -- methods ------------------------------------------------------------------------------------------------------


def method_reports(
    snapshot: Snapshot, stored: tuple[VectorReport, ...], width: int | None
) -> tuple[MethodReport, ...]:
    """Which methods tables and vectors together can serve."""
    return tuple(_method_report(snapshot, stored, width, method) for method in METHODS)


def _method_report(
    snapshot: Snapshot, stored: tuple[VectorReport, ...], width: int | None, method: Method
) -> MethodReport:
    problem = cannot_serve(snapshot.tables, method)
    if problem is not None:
        return MethodReport(method, False, problem.message)
    for report in stored:
        if report.name not in VECTORS_SEARCHED[method]:
            continue
        if report.problem is not None and report.name == "community_full_content":
            continue  # DRIFT embeds reports on the fly
        if report.problem is not None:
            return MethodReport(method, False, report.problem)
        if width is not None and report.width != width:
            return MethodReport(
                method, False, f"{report.table!r} is {report.width} wide, the embedding model {width}"
            )
    return MethodReport(method, True)


def _method_findings(methods: tuple[MethodReport, ...]) -> Iterator[Finding]:
    for report in methods:
        if not report.servable:
            yield Finding(
                f"method.{report.method}",
                "error",
                f"{report.method} cannot be answered: {report.reason}",
                "see the findings below, or use another method",
            )
