"""Renderers for stdout or a file when no person watches it grow: text, Markdown, JSON, JSON Lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from graphrag_cli.cli.terminal.plain import PlainStream
from graphrag_cli.documents.build import answer_document, event_document
from graphrag_cli.documents.fields import pick
from graphrag_cli.documents.strict import dump_line, dumps
from graphrag_cli.events import Event, Reasoning, RunFinished, TextDelta

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.sink import Sink


class TextRenderer:
    """The answer's Markdown source, piece by piece, made safe for a terminal; it ends with one newline."""

    def __init__(self, sink: Sink, *, stream: bool) -> None:
        self._sink = sink
        self._stream = stream
        self._safe = PlainStream()
        self._last = ""

    def show(self, event: Event) -> None:
        """Takes the next event."""
        match event:
            case TextDelta(text) if self._stream:
                self._write(self._safe.feed(text))
            case RunFinished(answer):
                self._write(self._safe.close())
                if not self._last:
                    self._write(self._safe.feed(answer.text) + self._safe.close())
                if self._last and not self._last.endswith("\n"):
                    self._write("\n")
            case _:
                pass

    def close(self) -> None:
        """Ends the line that an interrupted answer left open."""
        if self._last and not self._last.endswith("\n"):
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            self._sink.write(text)
            self._last = text[-1]


class JsonRenderer:
    """One document at the end; indented where a person reads it."""

    def __init__(self, sink: Sink, *, fields: Sequence[str] | None = None, indent: int | None = None) -> None:
        self._sink = sink
        self._fields = fields
        self._indent = indent

    def show(self, event: Event) -> None:
        """Takes the next event."""
        if isinstance(event, RunFinished):
            document = answer_document(event.answer)
            chosen = document if self._fields is None else pick(document, self._fields)
            self._sink.write(dumps(chosen, indent=self._indent) + "\n")

    def close(self) -> None:
        """Nothing is live."""


class JsonLinesRenderer:
    """Every event as one line, but for reasoning, which is no data; ``fields`` are picked from the last one's answer."""

    def __init__(self, sink: Sink, *, fields: Sequence[str] | None = None) -> None:
        self._sink = sink
        self._fields = fields

    def show(self, event: Event) -> None:
        """Takes the next event."""
        if isinstance(event, RunFinished) and self._fields is not None:
            picked = pick(answer_document(event.answer), self._fields)
            kind: Literal["run_finished"] = "run_finished"
            self._sink.write(dump_line({"kind": kind, "answer": picked}))
        elif not isinstance(event, Reasoning):
            self._sink.write(dump_line(event_document(event)))

    def close(self) -> None:
        """Nothing is live."""
