"""What the shell may complete besides flags: setting keys, sessions, and what the index at hand holds.

A completion never fails and never speaks: what cannot be read completes to nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

import typer

from graphrag_cli.errors import CliError

if TYPE_CHECKING:
    from graphrag_cli.index.snapshot import Snapshot

Completer: TypeAlias = Callable[[typer.Context, str], list[str]]
_MOST = 200


def _quiet(completer: Callable[[typer.Context], Iterable[str]]) -> Completer:
    @functools.wraps(completer)
    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            found = [text for text in completer(ctx) if text.startswith(incomplete)]
        except (CliError, OSError, ValueError):
            return []
        return found[:_MOST]

    del complete.__wrapped__
    return complete


@_quiet
def setting_keys(ctx: typer.Context) -> Iterable[str]:
    """Every key of the settings."""
    from graphrag_cli.config.describe import keys

    return (key.dotted for key in keys())


@_quiet
def setting_assignments(ctx: typer.Context) -> Iterable[str]:
    """Every key of the settings, ready for its value."""
    from graphrag_cli.config.describe import keys

    return (f"{key.dotted}=" for key in keys())


@_quiet
def sessions(ctx: typer.Context) -> Iterable[str]:
    """Names of sessions."""
    from graphrag_cli.sessions import SessionStore, default_folder

    return SessionStore(default_folder()).names()


@_quiet
def document_titles(ctx: typer.Context) -> Iterable[str]:
    """Titles of the documents of the index at hand."""
    return _distinct(_snapshot(ctx), "documents", "title")


@_quiet
def entity_titles(ctx: typer.Context) -> Iterable[str]:
    """Titles of its entities."""
    return _distinct(_snapshot(ctx), "entities", "title")


@_quiet
def entity_types(ctx: typer.Context) -> Iterable[str]:
    """Types of its entities."""
    return _distinct(_snapshot(ctx), "entities", "type")


@_quiet
def vector_tables(ctx: typer.Context) -> Iterable[str]:
    """Vector tables that can be built."""
    from graphrag_cli.index.vectors.names import CONTAINER_NAMES

    return CONTAINER_NAMES


def _snapshot(ctx: typer.Context) -> Snapshot:
    """The index that the flags given so far name."""
    from graphrag_cli.config.load import Where, load
    from graphrag_cli.index.open import open_snapshot

    given = cast("dict[str, object]", ctx.params)
    where = Where(
        root=_path(given.get("root")),
        config=_path(given.get("config")),
        data=tuple(cast("list[str] | None", given.get("data")) or ()),
    )
    return open_snapshot(load(where).settings)


def _path(value: object) -> Path | None:
    return None if value is None else Path(str(value))


def _distinct(snapshot: Snapshot, table: str, column: str) -> Iterable[str]:
    from graphrag_cli.index.tables import convert
    from graphrag_cli.index.tables.schema import TableName

    name = cast("TableName", table)
    if not snapshot.tables.has(name):
        return ()
    return sorted(set(convert.strings(snapshot.tables.column(name, column).combine_chunks())))
