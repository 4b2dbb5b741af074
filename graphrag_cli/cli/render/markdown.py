"""Markdown on a terminal while it is being written.

Blocks that can no longer change are printed for good; only the last one, which still grows, is redrawn. An
answer of any length therefore scrolls like other output, and no more than the tail is ever rendered twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from markdown_it import MarkdownIt
from rich.console import Group
from rich.markdown import Heading, Markdown, Paragraph
from rich.segment import Segment

from graphrag_cli.cli.render.live import LiveArea
from graphrag_cli.cli.terminal.plain import PlainStream, plain
from graphrag_cli.events import Event, RunFinished, TextDelta

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_WIDEST = 110
"""Columns: longer lines are hard to read."""
_CITATION = r"(?i)[\[【]\s*data\s*[:：][^\]】]*[\]】]"
_PARSER = MarkdownIt().enable("table")


class _Paragraph(Paragraph):
    """A paragraph in which citations step back behind the text."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.highlight_regex(_CITATION, "dim")
        yield from super().__rich_console__(console, options)


class _Heading(Heading):
    """A heading at the left margin, without a box."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        self.text.style = "bold underline" if self.tag == "h1" else "bold"
        yield self.text


class AnswerMarkdown(Markdown):
    """Markdown as answers are shown; addresses of links are written out, never hidden behind text."""

    elements: ClassVar = {**Markdown.elements, "paragraph_open": _Paragraph, "heading_open": _Heading}

    def __init__(self, markup: str) -> None:
        super().__init__(markup, hyperlinks=False)


def blocks(text: str) -> list[str]:
    """``text`` cut at its top-level blocks; joined they are ``text`` again. All but the last can no longer change."""
    starts = [token.map[0] for token in _PARSER.parse(text) if token.level == 0 and token.map]
    cuts = [start for start in dict.fromkeys(starts) if start > 0]
    lines = text.split("\n")
    pieces = ["\n".join(lines[begin:end]) for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True)]
    return [f"{piece}\n" for piece in pieces[:-1]] + pieces[-1:]


class Block:
    """A block without the empty lines that Rich puts in front of a list, cut to its last ``rows`` lines."""

    def __init__(self, markup: str, rows: int | None = None) -> None:
        self._markup = markup
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(options.max_width, _WIDEST)
        lines = console.render_lines(AnswerMarkdown(self._markup), options.update(width=width), pad=False)
        while lines and not "".join(segment.text for segment in lines[0]).strip():
            lines.pop(0)
        for line in lines if self._rows is None else lines[-self._rows :]:
            yield from line
            yield Segment.line()


class MarkdownRenderer:
    """The answer on stdout, rendered as it comes."""

    def __init__(self, console: Console, *, stream: bool) -> None:
        self._console = console
        self._stream = stream
        self._safe = PlainStream()
        self._tail = ""
        self._printed = False
        self._live: LiveArea | None = None

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case TextDelta(text) if self._stream:
                self._grow(self._safe.feed(text))
            case RunFinished(answer):
                self._grow(self._safe.close())
                self._settle()
                if not self._printed:
                    self._print(blocks(plain(answer.text)))
            case _:
                pass

    def close(self) -> None:
        """Leaves on the screen what was written so far."""
        self._settle()

    def _grow(self, text: str) -> None:
        if not text:
            return
        self._tail += text
        if self._live is None:
            self._live = LiveArea(self._console, self._visible_tail)
        if "\n" in text:
            *finished, self._tail = blocks(self._tail)
            self._print(finished)
        self._live.touch()

    def _settle(self) -> None:
        if self._live is not None:
            tail, self._tail = self._tail, ""
            self._live.stop()
            self._live = None
            self._print(blocks(tail))

    def _print(self, finished: list[str]) -> None:
        for block in finished:
            if block.strip():
                if self._printed:
                    self._console.print()
                self._console.print(Block(block), end="")
                self._printed = True

    def _visible_tail(self) -> RenderableType:
        """The last lines of the tail, as many as the window holds."""
        tail = Block(self._tail, rows=max(self._console.height - 2, 1))
        return Group("", tail) if self._printed and self._tail.strip() else tail
