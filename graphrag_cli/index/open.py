"""Opens an index: finds its tables and checks, before anything costs, that a method has what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from graphrag_cli.errors import IndexDataError
from graphrag_cli.events import METHODS, IndexSummary, Method
from graphrag_cli.index.kept.cache import NO_CACHE, Cache, cache_for
from graphrag_cli.index.places import Place, RemotePlace, place_of
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables.adapt import Tables
from graphrag_cli.index.tables.locate import Located, locate
from graphrag_cli.index.tables.schema import FILE_NAMES, MAY_BE_EMPTY, REQUIRED, TableName
from graphrag_cli.index.tables.source import SourceTable, open_table

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Settings


def tables_folder(settings: Settings) -> Place:
    """The folder of tables that settings name. Raises ``IndexDataError`` when they lie where nothing can be read."""
    return place_of(settings.root, settings.output_storage.base_dir, settings.output_storage)


def open_snapshot(settings: Settings, method: Method | None = None) -> Snapshot:
    """The index that ``settings`` name, checked for ``method`` (None: for any). Raises ``IndexDataError``."""
    return open_folder(tables_folder(settings), method, settings.table_provider.type)


def open_folder(
    folder: Place, method: Method | None = None, wanted: Literal["parquet", "csv", "auto"] = "auto"
) -> Snapshot:
    """The index in ``folder``; see ``open_snapshot``."""
    located = locate(folder, wanted)
    sources, damaged = _open_each(located)
    tables = Tables(located, sources, _cache(located), damaged)
    if method is not None:
        problem = cannot_serve(tables, method)
        if problem is not None:
            raise problem
    elif not servable(tables):
        raise cannot_serve(tables, "basic") or IndexDataError(f"no method can be served from {str(folder)!r}")
    return Snapshot(tables, summarise(located, sources, tables))


def _open_each(located: Located) -> tuple[dict[TableName, SourceTable], dict[TableName, IndexDataError]]:
    """Every table that can be opened, and why the others cannot: a method may well do without those."""
    sources: dict[TableName, SourceTable] = {}
    damaged: dict[TableName, IndexDataError] = {}
    for table, path in located.files.items():
        try:
            sources[table] = open_table(table, path)
        except IndexDataError as error:
            damaged[table] = error
    return sources, damaged


def _cache(located: Located) -> Cache:
    """Where what is worked out from the tables is kept; nothing is of tables in an object store."""
    files = [path for path in located.files.values() if isinstance(path, Path)]
    if isinstance(located.folder, RemotePlace):
        return NO_CACHE
    return cache_for(located.folder, files)


def servable(tables: Tables) -> tuple[Method, ...]:
    """The methods whose tables are there and not empty. Vectors are another matter."""
    return tuple(method for method in METHODS if cannot_serve(tables, method) is None)


def cannot_serve(tables: Tables, method: Method) -> IndexDataError | None:
    """Why ``method`` cannot be served from the tables; None when it can."""
    table = _first_problem(tables, method)
    if table is None:
        return None
    if table in tables.damaged:
        error = tables.damaged[table]
        return IndexDataError(error.message, hint=f"{error.hint}{_others(tables, method)}")
    return _empty(tables, method, table) if tables.has(table) else _missing(tables, method, table)


def _first_problem(tables: Tables, method: Method) -> TableName | None:
    """The first table that is missing, or empty where it must not be."""
    for table in REQUIRED[method]:
        if not tables.has(table) or (table not in MAY_BE_EMPTY and tables.rows(table) == 0):
            return table
    return None


def file_name(located: Located, table: TableName) -> str:
    """What the table's file is, or would be, called."""
    current, final = FILE_NAMES[table]
    suffix = next((path.suffix for path in located.files.values()), ".parquet")
    return (final or current if located.layout == "1.x" else current) + suffix


def _others(tables: Tables, method: Method) -> str:
    """Methods that do work, for hints."""
    works = [other for other in METHODS if other != method and _first_problem(tables, other) is None]
    return f"; it can answer {', '.join(works)}" if works else ""


def _missing(tables: Tables, method: Method, table: TableName) -> IndexDataError:
    located = tables.located
    half = "the index looks half finished: run the indexer to its end" if len(located.files) < 4 else None
    return IndexDataError(
        f"{method} needs {file_name(located, table)!r}, which is not in {str(located.folder)!r} (found: {', '.join(located.found)})",
        hint=(half or "index the documents again, or name another folder with --data")
        + _others(tables, method),
    )


def _empty(tables: Tables, method: Method, table: TableName) -> IndexDataError:
    return IndexDataError(
        f"{file_name(tables.located, table)!r} in {str(tables.located.folder)!r} has no rows, and {method} needs some",
        hint="indexing found nothing for it: look at the indexer's log" + _others(tables, method),
    )


def summarise(located: Located, sources: Mapping[TableName, SourceTable], tables: Tables) -> IndexSummary:
    """Path, version and row counts, from file footers alone where they say it."""
    names: tuple[TableName, ...] = (
        "documents",
        "text_units",
        "entities",
        "relationships",
        "communities",
        "reports",
        "claims",
    )
    counts = {name: tables.rows(name) for name in names if tables.has(name)}
    return IndexSummary(str(located.folder), version(located, sources), counts)


def version(located: Located, sources: Mapping[TableName, SourceTable]) -> str:
    """Which releases write such tables, told by their columns."""

    def columns(table: TableName) -> tuple[str, ...]:
        return sources[table].columns if table in sources else ()

    if located.layout == "1.x":
        if "name" in columns("entities"):
            return "0.3-0.4"
        return "1.x" if "parent" in columns("communities") + columns("reports") else "0.5"
    return "3.x" if "document_id" in columns("text_units") else "2.x"
