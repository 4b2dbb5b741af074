"""``completion``: the script that teaches a shell to complete graphrag-cli."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from graphrag_cli.cli.helptext import HelpCommand, command_app

app = command_app()


@app.command("completion", cls=HelpCommand)
def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Prints the completion script for a shell: commands, flags, setting keys, sessions, and what the index holds.

    Put the first line into ~/.bashrc, the second into ~/.zshrc after compinit, or run the third once.

    $ eval "$(graphrag-cli completion bash)"
    $ eval "$(graphrag-cli completion zsh)"
    $ graphrag-cli completion fish > ~/.config/fish/completions/graphrag-cli.fish
    """
    from graphrag_cli.cli.completion import completion_script

    typer.echo(completion_script(shell))
