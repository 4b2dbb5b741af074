"""``index embed``: builds vector tables beside an index, with progress."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from graphrag_cli.cli.flags.values import where_of
from graphrag_cli.cli.terminal.console import open_consoles, print_prose
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.documents.report_shapes import EMBED_SCHEMA
from graphrag_cli.documents.strict import dumps
from graphrag_cli.engines.models import Models, RunOptions
from graphrag_cli.engines.opening import index_settings
from graphrag_cli.errors import UsageError
from graphrag_cli.index.open import open_snapshot
from graphrag_cli.index.tables.schema import OWNERS
from graphrag_cli.index.vectors.embed import BuiltTable, EmbedOptions, EmbedProgress, build_table
from graphrag_cli.index.vectors.names import CONTAINER_NAMES, built_folder

if TYPE_CHECKING:
    from graphrag_cli.cli.flags.groups import WhereOptions
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.config.load import Loaded
    from graphrag_cli.config.settings import VectorName
    from graphrag_cli.documents.report_shapes import EmbedShape


def run_embed(
    where: WhereOptions,
    tables: Sequence[str],
    output: Path | None,
    form: Literal["text", "json"],
    *,
    quiet: bool,
) -> None:
    """Builds ``tables`` (none: all whose records are there) and says what was built. Raises ``CliError``."""
    import asyncio

    from graphrag_cli.config.load import load

    loaded = load(where_of(where))
    consoles = open_consoles(quiet=quiet)
    model, built = asyncio.run(_build(loaded, _named(tables), output, consoles))
    if form == "json":
        consoles.out.file.write(dumps(_document(model, built)) + "\n")
        return
    for table in built:
        skipped = f", {table.skipped} without text" if table.skipped else ""
        done = f"{table.embedded} embedded now" if table.embedded else "ready before"
        told = f"{table.name}: {table.rows} rows of {table.width} numbers, {done}{skipped}: {table.path}"
        print_prose(consoles.out, plain_line(told), hang=2)


def _named(tables: Sequence[str]) -> list[VectorName]:
    for name in tables:
        if name not in CONTAINER_NAMES:
            raise UsageError(
                f"there is no vector table {name!r}", hint=f"one of {', '.join(CONTAINER_NAMES)}"
            )
    return [name for name in CONTAINER_NAMES if not tables or name in tables]


async def _build(
    loaded: Loaded, tables: Sequence[VectorName], output: Path | None, consoles: Consoles
) -> tuple[str, list[BuiltTable]]:
    settings = index_settings(loaded.settings)
    if len(settings) > 1:
        raise UsageError("index embed takes one index at a time", hint="name one folder with --data")
    model_id = loaded.settings.local_search.embedding_model_id
    models = Models(loaded, RunOptions())
    embedder = models.embedder(model_id)
    entry = loaded.settings.embedding_models[model_id]
    options = EmbedOptions(
        embedder.name, entry.batch_size, entry.concurrent_requests or loaded.settings.concurrent_requests
    )
    snapshot = open_snapshot(settings[0])
    folder = output or built_folder(settings[0], embedder.name)
    view = _Progress(consoles)
    try:
        return embedder.name, [
            await build_table(snapshot, name, folder, embedder.embed, options, view.tell)
            for name in tables
            if snapshot.tables.rows(OWNERS[name])
        ]
    finally:
        view.close()
        await models.aclose()


class _Progress:
    """A status line on a terminal."""

    def __init__(self, consoles: Consoles) -> None:
        self._text = "reading the index"
        self._area = None
        if consoles.live_err:
            from rich.text import Text

            from graphrag_cli.cli.render.live import LiveArea

            self._area = LiveArea(consoles.err, lambda: Text(self._text, style="dim"), ticking=True)

    def tell(self, progress: EmbedProgress) -> None:
        self._text = f"embedding {progress.name}: {progress.done} of {progress.total}"

    def close(self) -> None:
        if self._area is not None:
            self._area.stop()


def _document(model: str, built: Sequence[BuiltTable]) -> EmbedShape:
    return {
        "schema": EMBED_SCHEMA,
        "model": model,
        "tables": [
            {
                "name": table.name,
                "path": str(table.path),
                "rows": table.rows,
                "width": table.width,
                "embedded": table.embedded,
                "skipped": table.skipped,
            }
            for table in built
        ],
    }
