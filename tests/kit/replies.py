"""What the fake endpoint says: well-formed answers to whatever a step asks for, and vectors."""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]

KEYS = ("points", "intermediate_answer", "response", "rating", "question")
"""Keys that tell the kinds of JSON replies apart, in prompts of engines that send no schema."""

PROSE = "The fake endpoint answers this. Amundsen arrived first — 先 [Data: Sources (1); Reports (1, 2)]."


def prompt_text(body: Body) -> str:
    return "\n".join(str(turn.get("content") or "") for turn in body.get("messages", []))


def wanted(body: Body) -> str | None:
    """The first key of the JSON reply that is asked for: by schema, else by the words of the prompt."""
    form: dict[str, Any] = body.get("response_format") or {}
    asked: dict[str, Any] = form.get("json_schema") or {}
    schema: dict[str, Any] = asked.get("schema") or {}
    properties: dict[str, Any] = schema.get("properties") or {}
    for key in KEYS:
        if key in properties:
            return key
    text = prompt_text(body)
    named = [key for key in KEYS if re.search(rf'["\'`]{key}["\'`]', text)]
    return named[0] if named and (form or "json" in text.lower()) else None


def value_for(key: str) -> dict[str, Any]:
    """A good reply of the kind that ``key`` names."""
    follow_ups = ["Who led the ship?", "What did the dogs carry?"]
    match key:
        case "points":
            points = [
                {"description": "A first point [Data: Reports (1)]", "score": 85},
                {"description": "A second point [Data: Reports (2, +more)]", "score": 40},
            ]
            return {"points": points}
        case "intermediate_answer":
            answer = "## Primer\n\nAn answer so far [Data: Reports (1)]."
            return {"intermediate_answer": answer, "score": 70, "follow_up_queries": follow_ups}
        case "response":
            return {
                "response": "A step's answer [Data: Sources (1)].",
                "score": 60,
                "follow_up_queries": follow_ups,
            }
        case "rating":
            return {"rating": 4, "reason": "it fits"}
        case _:
            return {"question": "Who led the expedition of 1911?"}


def good_text(body: Body) -> str:
    """A good reply: JSON where it is asked for, prose elsewhere."""
    key = wanted(body)
    return PROSE if key is None else json.dumps(value_for(key), ensure_ascii=False)


def count_tokens(text: str) -> int:
    """The fake endpoint's tokenizer: about four characters a token, one for each that is not ASCII."""
    ascii_part = sum(character < "\x80" for character in text)
    return math.ceil(ascii_part / 4) + len(text) - ascii_part


def vector(text: str, width: int) -> list[float]:
    """A unit vector of hashed words: texts that share words are near each other."""
    values = [0.0] * width
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        for part in range(4):
            place = int.from_bytes(digest[part * 4 : part * 4 + 3], "big") % width
            values[place] += 1.0 if digest[part * 4 + 3] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in values))
    if length == 0.0:
        values[0] = length = 1.0
    return [value / length for value in values]
