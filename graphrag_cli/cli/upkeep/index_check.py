"""``index check``: the reports of one index or several, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from graphrag_cli.cli.render.usage import cost, spaced
from graphrag_cli.cli.terminal.console import open_consoles, print_prose
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.cli.terminal.tables import print_table
from graphrag_cli.cli.upkeep.checks import IndexCheck, exit_status, report_found
from graphrag_cli.cli.upkeep.findings import Found, check_document, print_findings
from graphrag_cli.documents.report_shapes import INDEX_CHECK_SCHEMA
from graphrag_cli.documents.strict import dumps
from graphrag_cli.engines.opening import index_settings
from graphrag_cli.llm.around.prices import Prices, priced

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.config.load import Loaded
    from graphrag_cli.config.settings import Settings
    from graphrag_cli.documents.report_shapes import IndexCheckShape
    from graphrag_cli.index.checks.check import IndexReport, LevelReport, VectorReport

_REPLY_TOKENS = 400
"""What a map reply is taken to have, for the estimate of a level's cost."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One index: its report, all findings, and the cost of a global search by level."""

    report: IndexReport
    found: list[Found]
    costs: dict[int, float | None]


async def check_indexes(loaded: Loaded, *, online: bool) -> list[Examined]:
    """Examines each index that settings or ``--data`` name. Raises ``IndexDataError`` when one cannot be opened."""
    examined: list[Examined] = []
    for settings in index_settings(loaded.settings):
        check = IndexCheck(loaded, settings)
        try:
            report = await check.report()
            tests = [found async for found in check.self_tests(report, online=online)]
        finally:
            await check.aclose()
        examined.append(Examined(report, [*report_found(report), *tests], _costs(settings, report)))
    return examined


def show_reports(examined: list[Examined], form: Literal["text", "json"]) -> int:
    """Prints the reports on stdout; the exit status."""
    consoles = open_consoles()
    if form == "json":
        documents = [_document(one) for one in examined]
        consoles.out.file.write(dumps(documents[0] if len(documents) == 1 else documents) + "\n")
    else:
        for one in examined:
            _print(consoles, one)
    return max(exit_status(one.found) for one in examined)


def _costs(settings: Settings, report: IndexReport) -> dict[int, float | None]:
    entry = settings.completion_models.get(settings.global_search.completion_model_id)
    if entry is None:
        return {}
    prices = Prices([priced(entry)])
    return {
        level.level: prices.cost(entry.model, level.tokens, level.calls * _REPLY_TOKENS)
        for level in report.levels
    }


def _print(consoles: Consoles, one: Examined) -> None:
    out, report = consoles.out, one.report
    print_prose(out, f"{plain_line(report.path)}, written by GraphRAG {report.version}")
    out.print()
    print_table(
        out,
        ["table", "rows", "file", "columns"],
        [[table.table, str(table.rows), table.file, str(len(table.columns))] for table in report.tables],
    )
    out.print()
    print_table(
        out,
        ["community level", "reports", "without", "tokens", "calls of a global search", "cost"],
        [_level_row(level, one.costs.get(level.level)) for level in report.levels],
    )
    out.print()
    print_table(
        out,
        ["vectors", "rows", "width", "ids match", "covered", "table"],
        [
            [vector.name, str(vector.rows), str(vector.width), f"{vector.overlap:.0%}", f"{vector.covered:.0%}", _found_as(vector)]
            for vector in report.vectors
        ],
    )  # fmt: skip
    if report.adaptations:
        out.print("\nread otherwise than it stands in the files:")
        for note in report.adaptations:
            print_prose(out, f"  {note.table}.{note.column}: {plain_line(note.how)}", hang=2)
    out.print()
    print_findings(consoles, one.found)


def _found_as(vector: VectorReport) -> str:
    if not vector.table:
        return "none"
    return "same name" if vector.table == vector.name else vector.table


def _level_row(level: LevelReport, usd: float | None) -> list[str]:
    return [
        str(level.level),
        str(level.reports),
        str(level.without_report),
        spaced(level.tokens),
        str(level.calls),
        cost(usd),
    ]


def _document(one: Examined) -> IndexCheckShape:
    report = one.report
    return {
        "schema": INDEX_CHECK_SCHEMA,
        "path": report.path,
        "version": report.version,
        "tables": [
            {"name": table.table, "file": table.file, "rows": table.rows, "columns": list(table.columns)}
            for table in report.tables
        ],
        "levels": [
            {
                "level": level.level,
                "communities": level.communities,
                "reports": level.reports,
                "without_report": level.without_report,
                "tokens": level.tokens,
                "calls": level.calls,
                "cost_usd": one.costs.get(level.level),
            }
            for level in report.levels
        ],
        "vectors": [
            {
                "name": vector.name,
                "found_as": vector.table or None,
                "place": vector.place or None,
                "rows": vector.rows,
                "width": vector.width,
                "overlap": vector.overlap,
                "covered": vector.covered,
                "problem": vector.problem,
            }
            for vector in report.vectors
        ],
        "methods": [
            {"method": method.method, "servable": method.servable, "reason": method.reason}
            for method in report.methods
        ],
        "adapted": [f"{note.table}.{note.column}: {note.how}" for note in report.adaptations],
        "check": check_document(one.found),
    }
