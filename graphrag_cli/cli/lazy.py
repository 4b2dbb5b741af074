"""A group whose commands are imported when they are called, so that ``--help`` stays fast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer

from graphrag_cli.cli.helptext import HelpCommand, HelpGroup


@dataclass(frozen=True, slots=True)
class Lazy:
    """Where a command is: ``module`` has a typer app called ``app``; ``summary`` is its line in the help."""

    module: str
    summary: str
    panel: str


class LazyGroup(HelpGroup):
    """Shows a line for every command of ``table`` and imports the one that is called."""

    table: ClassVar[Mapping[str, Lazy]] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, lazy in self.table.items():
            self.commands[name] = HelpCommand(
                name, help=lazy.summary, rich_help_panel=lazy.panel, rich_markup_mode=None
            )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer does it, with the command called put in the place of its line."""
        if args and args[0] in self.table:
            self.commands[args[0]] = load(args[0], self.table[args[0]])
        return super().resolve_command(ctx, args)


def load(name: str, lazy: Lazy) -> Any:
    """The command itself, with its own help."""
    app: typer.Typer = import_module(lazy.module).app
    command = typer.main.get_command(app)
    command.name = name
    return command
