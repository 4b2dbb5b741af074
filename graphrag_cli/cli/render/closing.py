"""What is said when the answer stands: sources, why, usage, and how the run ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.cli.render.explain import explain_lines
from graphrag_cli.cli.render.sources import SourceLine, as_markdown, as_text, source_lines
from graphrag_cli.cli.render.usage import usage_by_stage, usage_line
from graphrag_cli.cli.terminal.plain import plain
from graphrag_cli.events import Answer, Citation, ContextBuilt, Event, RunFinished

if TYPE_CHECKING:
    from rich.console import Console

    from graphrag_cli.cli.flags.single import Format, SourcesDetail
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.cli.terminal.sink import Sink


@dataclass(frozen=True, slots=True)
class Closing:
    """What was asked for."""

    format: Format
    sources: SourcesDetail | None
    usage: bool
    explain: bool
    show_prompt: bool
    context_only: bool


class ClosingRenderer:
    """Comes after the renderer of the answer. Sources that were asked for are data; the rest is conversation."""

    def __init__(self, consoles: Consoles, sink: Sink, wanted: Closing) -> None:
        self._consoles = consoles
        self._sink = sink
        self._wanted = wanted

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case ContextBuilt() if self._wanted.show_prompt and event.prompt:
                self._say_prompt(event)
            case RunFinished(answer):
                self._finish(answer)
            case _:
                pass

    def close(self) -> None:
        """Nothing is live."""

    def _finish(self, answer: Answer) -> None:
        wanted = self._wanted
        if wanted.context_only and wanted.format in {"text", "markdown"}:
            for line in _explain(answer, self._consoles):
                self._sink.write(f"{line}\n")
        elif wanted.explain:
            self._consoles.lines(_explain(answer, self._consoles), asked_for=True)
        if wanted.sources != "none" and wanted.format in {"text", "markdown"}:
            self._list_sources(answer)
        if answer.status == "partial":
            self._consoles.say(
                f"partial answer: {'; '.join(answer.failed) or 'a limit ended the run'}", style="yellow"
            )
        if wanted.usage or self._consoles.verbose:
            self._consoles.say(usage_line(answer.usage), asked_for=wanted.usage)
        if self._consoles.verbose:
            self._consoles.lines([f"  {line}" for line in usage_by_stage(answer.usage)])

    def _list_sources(self, answer: Answer) -> None:
        wanted = self._wanted
        lines = source_lines(answer.citations, self._consoles.symbols, full=wanted.sources == "full")
        if not lines:
            return
        asked_for = wanted.sources is not None
        if asked_for and wanted.format == "markdown":
            self._sink.write(as_markdown(lines))
        elif asked_for and not self._consoles.live_out:
            self._sink.write("\nSources\n" + as_text(lines))
        elif asked_for:
            _print_table(self._consoles.out, lines)
        elif not self._consoles.quiet:
            _print_table(self._consoles.err, lines)

    def _say_prompt(self, event: ContextBuilt) -> None:
        title = "prompt" if event.step_id is None else f"prompt of {event.step_id}"
        self._consoles.lines(
            [f"--- {title}: {event.tokens} tokens of context ---", plain(event.prompt), "--- end ---"],
            asked_for=True,
        )


def _explain(answer: Answer, consoles: Consoles) -> list[str]:
    records = [record for rows in answer.context.values() for record in rows]
    return explain_lines(records, answer.sections, consoles.symbols)


def list_sources(consoles: Consoles, citations: Sequence[Citation], *, full: bool) -> None:
    """The numbered list of what is cited, on stderr, also with ``--quiet``."""
    _print_table(consoles.err, source_lines(citations, consoles.symbols, full=full))


def _print_table(console: Console, lines: list[SourceLine]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not console.file.isatty():
        console.file.write("\nSources\n" + as_text(lines))
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="dim")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for line in lines:
        table.add_row(str(line.number), line.cited_as, Text(line.text, style="red" if line.bad else ""))
        for quote in line.quotes:
            table.add_row("", "", Text(f'"{quote}"', style="dim italic"))
    console.print()
    console.print(Text("Sources", style="bold"))
    console.print(table)
