"""The JSON Schema of a reply model, in the subset that every server with schemas understands."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from graphrag_cli.llm.reading.values import is_array, is_object

if TYPE_CHECKING:
    from pydantic import BaseModel

_KEPT = ("type", "enum", "description")


@lru_cache(maxsize=64)
def reply_schema(model: type[BaseModel]) -> dict[str, object]:
    """Schema of ``model``: own names, references written out, every field required, nothing additional.

    Bounds, titles and defaults are left out: strict modes refuse them, and the reader clamps anyway.
    """
    whole: dict[str, object] = model.model_json_schema(by_alias=False)
    definitions = whole.get("$defs")
    return _plain(whole, definitions if is_object(definitions) else {})


def _plain(schema: dict[str, object], definitions: dict[str, object]) -> dict[str, object]:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = definitions.get(reference.rpartition("/")[2])
        return _plain(target, definitions) if is_object(target) else {}
    kept = {
        key: schema[key]
        for key in _KEPT
        if key in schema and not (key == "description" and "properties" in schema)
    }
    choices = schema.get("anyOf")
    if is_array(choices):
        kept["anyOf"] = [_plain(choice, definitions) for choice in choices if is_object(choice)]
    items = schema.get("items")
    if is_object(items):
        kept["items"] = _plain(items, definitions)
    properties = schema.get("properties")
    if is_object(properties):
        kept["properties"] = {
            name: _plain(value, definitions) for name, value in properties.items() if is_object(value)
        }
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept
