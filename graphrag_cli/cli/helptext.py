"""Help as plain text: prose wrapped, examples as they stand, flags in sections.

Plain, because the same text is a page under ``docs/``, is read through ``less``, and must not cost an import of
half of Rich.
"""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_MAX_WIDTH = 100


class HelpCommand(TyperCommand):
    """A command with such help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, prose and examples, arguments, then one section of flags per panel."""
        _format(self, ctx, formatter)


class HelpGroup(TyperGroup):
    """A group with such help; its commands are listed by panel. Called with nothing, it prints its help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does it, but no command is no error."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, prose and examples, commands, then flags."""
        _format(self, ctx, formatter)


def command_app(help_text: str | None = None, group: type[HelpGroup] = HelpGroup) -> typer.Typer:
    """An app for a module under ``commands``; with ``help_text`` it is a group."""
    return typer.Typer(
        cls=group,
        help=help_text,
        rich_markup_mode=None,
        add_completion=False,
    )


def wrap(text: str, width: int) -> str:
    """Paragraphs filled to ``width``; examples, whose lines begin with ``$``, stand as they are, indented."""
    return "\n\n".join(
        textwrap.indent(paragraph, "    ")
        if paragraph.startswith("$ ")
        else textwrap.fill(paragraph, width, break_long_words=False, break_on_hyphens=False)
        for paragraph in inspect.cleandoc(text).split("\n\n")
    )


def _format(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:
    formatter.width = min(max(formatter.width, 50), _MAX_WIDTH)
    command.format_usage(ctx, formatter)
    if command.help:
        formatter.write(f"\n{wrap(command.help, formatter.width)}\n")
    rows: dict[str, list[tuple[str, str]]] = {}
    if isinstance(command, TyperGroup):
        for name in command.list_commands(ctx):
            sub = command.commands[name]
            if not sub.hidden:
                summary = (sub.help or "").partition("\n")[0]
                rows.setdefault(getattr(sub, "rich_help_panel", None) or "Commands", []).append(
                    (name, summary)
                )
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            rows.setdefault(_panel_of(parameter), []).append(record)
    for panel, records in rows.items():
        with formatter.section(panel):
            formatter.write_dl(records)


def _panel_of(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    return getattr(parameter, "rich_help_panel", None) or "Options"
