"""``chat``: a conversation at the prompt."""

from __future__ import annotations

from typing import Annotated

import typer

from graphrag_cli.cli.flags.chat import ChatOptions
from graphrag_cli.cli.flags.flat import flat
from graphrag_cli.cli.helptext import HelpCommand, command_app
from graphrag_cli.events import Method

app = command_app()


@app.command("chat", cls=HelpCommand)
@flat
def chat(
    method: Annotated[
        Method,
        typer.Argument(metavar="METHOD", help="local, global, drift or basic."),
    ] = "local",
    *,
    options: ChatOptions,
) -> None:
    """Talks: each question may refer to those before it, and is rewritten to stand alone before anything is looked up.

    At the prompt, /method NAME changes the method, /sources shows what the last answer cites, /reset forgets the
    conversation, /help lists these, and /quit or Ctrl-D leaves. Ctrl-C stops an answer. With --session the
    conversation is kept, and taken up again. Limits hold for each answer. For json or a file, use query with --session.

    Questions may be piped in, one a line: the exit status is then 6 when some failed, and that of the error when
    all did.

    $ graphrag-cli chat local
    $ graphrag-cli chat drift --session pole
    """
    from graphrag_cli.cli.asking.chat import run_chat

    raise typer.Exit(run_chat(method, options.of_each_question()))
