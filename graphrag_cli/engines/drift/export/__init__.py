"""A DRIFT state in other forms, and as a tree for reading. Pure: from the document to text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from graphrag_cli.engines.drift.document import StateDocument, dump_state
from graphrag_cli.engines.drift.export.graphs import to_dot, to_graphml, to_mermaid
from graphrag_cli.engines.drift.export.page import to_html

ExportFormat: TypeAlias = Literal["json", "graphml", "dot", "mermaid", "html"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)


def to_json(document: StateDocument) -> str:
    """The state itself, as ``--state`` writes it."""
    return dump_state(document.model_dump(mode="json", by_alias=True))


_WRITERS: dict[ExportFormat, Callable[[StateDocument], str]] = {
    "json": to_json,
    "graphml": to_graphml,
    "dot": to_dot,
    "mermaid": to_mermaid,
    "html": to_html,
}


def export_state(document: StateDocument, form: ExportFormat) -> str:
    """``document`` as text in ``form``, ending in a newline."""
    return _WRITERS[form](document)
