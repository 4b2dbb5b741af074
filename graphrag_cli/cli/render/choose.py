"""Which renderers follow a run, from the flags and from what the streams are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_cli.cli.render.closing import Closing, ClosingRenderer
from graphrag_cli.cli.render.notices import NoticeRenderer
from graphrag_cli.documents.fields import parse_fields

if TYPE_CHECKING:
    from graphrag_cli.cli.flags.groups import InspectOptions, OutputOptions
    from graphrag_cli.cli.render.base import Renderer
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.cli.terminal.sink import Sink

_INDENT = 2


def renderers_for(
    output: OutputOptions, inspect: InspectOptions, consoles: Consoles, sink: Sink
) -> list[Renderer]:
    """In the order in which they take each event: progress leaves the screen before the answer comes."""
    renderers: list[Renderer] = []
    if consoles.live_err:
        from graphrag_cli.cli.render.progress import ProgressRenderer

        shows_text = output.format in {"text", "markdown"} and output.stream and output.output is None
        renderers.append(ProgressRenderer(consoles, until_text=shows_text))
    if inspect.show_reasoning:
        from graphrag_cli.cli.render.reasoning import ReasoningRenderer

        renderers.append(ReasoningRenderer(consoles))
    renderers.append(_data_renderer(output, consoles, sink))
    renderers.append(NoticeRenderer(consoles))
    closing = Closing(
        format=output.format,
        sources=output.sources,
        usage=output.usage,
        explain=inspect.explain,
        show_prompt=inspect.show_prompt,
        context_only=inspect.context_only,
    )
    renderers.append(ClosingRenderer(consoles, sink, closing))
    return renderers


def _data_renderer(output: OutputOptions, consoles: Consoles, sink: Sink) -> Renderer:
    from graphrag_cli.cli.render.data import JsonLinesRenderer, JsonRenderer, TextRenderer

    fields = None if output.fields is None else parse_fields(output.fields)
    person_reads = consoles.live_out and output.output is None
    match output.format:
        case "json":
            return JsonRenderer(sink, fields=fields, indent=_INDENT if person_reads else None)
        case "jsonl":
            return JsonLinesRenderer(sink, fields=fields)
        case "markdown":
            return TextRenderer(sink, stream=output.stream)
        case "text" if person_reads:
            from graphrag_cli.cli.render.markdown import MarkdownRenderer

            return MarkdownRenderer(consoles.out, stream=output.stream)
        case "text":
            return TextRenderer(sink, stream=output.stream)
