"""``doctor``: everything that a question needs, looked at in one go."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.flags.groups import ReportOptions, WhereOptions
from graphrag_cli.cli.flags.single import PromptDirOption
from graphrag_cli.cli.helptext import HelpCommand, command_app

app = command_app()

OnlineOption: TypeAlias = Annotated[
    bool, typer.Option("--online", show_default=False, help="Also ask the models a word.")
]


@app.command("doctor", cls=HelpCommand)
@flat
def doctor(
    *,
    online: OnlineOption = False,
    prompt_dir: PromptDirOption = None,
    where: WhereOptions,
    report: ReportOptions,
) -> None:
    """Looks at settings, prompts, index, vectors and models, and says what is wrong and what to do.

    Exits with the status of the first thing that is an error: 3 settings, 4 index, 5 model.

    $ graphrag-cli doctor
    $ graphrag-cli doctor --root my-project --online
    """
    import asyncio

    from graphrag_cli.cli.flags.values import where_of
    from graphrag_cli.cli.upkeep.checks import exit_status
    from graphrag_cli.cli.upkeep.doctor import examine
    from graphrag_cli.cli.upkeep.findings import show_findings
    from graphrag_cli.config.load import load

    found = asyncio.run(examine(load(where_of(where)), prompt_dir, online=online))
    show_findings(found, report.format)
    raise typer.Exit(exit_status(found))
