"""Many questions from flags to lines: the project opened, all of them asked, progress shown."""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.batch.run import open_engines, run_batch
from graphrag_cli.cli.flags.values import limits_of, run_options, where_of
from graphrag_cli.cli.render.batch import BatchView

if TYPE_CHECKING:
    from graphrag_cli.batch.journal import Writer
    from graphrag_cli.batch.line import Done
    from graphrag_cli.batch.run import Batch
    from graphrag_cli.batch.summary import Tally
    from graphrag_cli.cli.flags.groups import ManyOptions
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.errors import CliError
    from graphrag_cli.project import Project


@dataclass(frozen=True, slots=True)
class Many:
    """The questions, and who hears of them."""

    batch: Batch
    writer: Writer
    tally: Tally
    consoles: Consoles
    debug: bool = False
    """Print a traceback where a question met a fault of the program."""


def ask_many(many: Many, options: ManyOptions) -> CliError | None:
    """Asks every question; the limit that left some unasked, if one did. Raises ``CliError`` when none can be asked."""
    from graphrag_cli.project import Project

    run = run_options(options.models, stream=False, limits=limits_of(options.limits))
    project = Project.open(where_of(options.where), run)
    asyncio.run(_ask_all(project, many))
    return project.purse.exhausted if many.tally.undone else None


async def _ask_all(project: Project, many: Many) -> None:
    try:
        open_engines(project, many.batch.questions)
        view = BatchView(many.consoles, many.tally, project.purse)

        def tell(done: Done) -> None:
            view.tell(done)
            if many.debug and done.fault is not None:
                traceback.print_exception(done.fault)

        try:
            with many.writer:
                await run_batch(project, many.batch, many.writer, tell)
        finally:
            view.close()
    finally:
        await project.aclose()
