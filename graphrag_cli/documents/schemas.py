"""JSON Schemas of the documents, made from their shapes. Imported by ``schema`` alone: it needs pydantic."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, TypeAdapter, with_config
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import is_typeddict  # the one that knows the shapes

from graphrag_cli.documents import event_shapes, report_shapes, shapes
from graphrag_cli.documents.report_shapes import SchemaName

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_CONFIG = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def json_schema(name: SchemaName) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a document."""
    for module in (shapes, event_shapes, report_shapes):
        for shape in vars(module).values():
            if is_typeddict(shape) and shape.__module__ == module.__name__:
                with_config(_CONFIG)(shape)
    schema = TypeAdapter(_type_of(name)).json_schema(mode="serialization", schema_generator=_Plain)
    return {"$schema": _DIALECT, **schema, "title": f"graphrag-cli {name}"}


def _type_of(name: SchemaName) -> Any:
    if name == "state":
        from graphrag_cli.engines.drift.document import StateDocument

        return StateDocument
    types: dict[str, Any] = {
        "answer": shapes.AnswerShape,
        "event": event_shapes.EventShape,
        "batch": shapes.BatchShape,
        "error": shapes.ErrorShape,
        "check": report_shapes.CheckShape,
        "index": report_shapes.IndexInfoShape,
        "index-check": report_shapes.IndexCheckShape,
        "index-embed": report_shapes.EmbedShape,
        "answer-check": report_shapes.AnswerCheckShape,
        "estimate": report_shapes.EstimateShape,
    }
    return types[name]


class _Plain(GenerateJsonSchema):
    """Leaves out titles that say no more than the key they stand at."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False
