"""Modes that change what the model says: one function from a good text to what such a model would send."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from graphrag_cli.llm.reading.values import is_array, is_object
from tests.kit.replies import value_for

TextMode = Callable[[str, str | None], str]
"""Takes the good text and the key of the JSON reply (None for prose)."""


def _score(value: Any) -> TextMode:
    """Every score becomes ``value``; ``...`` leaves it out."""

    def change(node: object) -> object:
        if is_array(node):
            return [change(item) for item in node]
        if not is_object(node):
            return node
        changed: dict[str, object] = {key: change(item) for key, item in node.items()}
        for key in ("score", "rating"):
            if key in changed:
                if value is ...:
                    del changed[key]
                else:
                    changed[key] = value
        return changed

    return lambda text, key: text if key is None else json.dumps(change(json.loads(text)))


def _field(*names: str, value: Any) -> TextMode:
    def mode(text: str, key: str | None) -> str:
        if key is None:
            return text
        parsed = json.loads(text)
        return json.dumps({name: value if name in names else item for name, item in parsed.items()})

    return mode


def _escaped(extra: str) -> TextMode:
    """Puts ``extra`` raw into the first string of a JSON reply, or in front of prose."""

    def mode(text: str, key: str | None) -> str:
        if key is None:
            return f"{extra} {text}"
        parsed = json.loads(text)
        marked = json.dumps(_mark_first(parsed), ensure_ascii=False)
        return marked.replace("@@", extra)

    return mode


def _mark_first(node: object) -> object:
    if is_object(node):
        items = list(node.items())
        for place, (name, item) in enumerate(items):
            if isinstance(item, str) or is_array(item) or is_object(item):
                items[place] = (name, _mark_first(item))
                return dict(items)
        return node
    if is_array(node) and node:
        return [_mark_first(node[0]), *node[1:]]
    return f"@@ {node}" if isinstance(node, str) else node


def _points(value: Any) -> TextMode:
    return lambda text, key: text if key != "points" else json.dumps(value)


FAKE = '{"points": [{"description": "from the reasoning {", "score": 99}], "score": 99, "rating": 5}'
POINTS = value_for("points")["points"]

TEXT_MODES: dict[str, TextMode] = {
    # FS2
    "fenced": lambda text, key: text if key is None else f"```json\n{text}\n```",
    "fenced_plain": lambda text, key: text if key is None else f"```\n{text}\n```",
    "fenced_upper": lambda text, key: text if key is None else f"```JSON\n{text}\n```",
    "fenced_open": lambda text, key: text if key is None else f"Here it is:\n```json\n{text}",
    # FS3
    "prose_around": lambda text, key: text if key is None else f"Sure! Here {{it}} is:\n{text}\nI hope [this] helps.",
    "prose_only": lambda text, key: text if key is None else "I am sorry, I would rather chat about it.",
    "two_objects": lambda text, key: text if key is None else f"{text}\n\nOr, shorter:\n{text}",
    # FS4
    "think": lambda text, key: f"<think>Let me see {FAKE} well.</think>\n\n{text}",
    "think_open": lambda text, key: f"<think>Let me see {FAKE} well.\n\n{text}",
    "think_upper": lambda text, key: f"<Reasoning>Let me see {FAKE}</Reasoning>{text}",
    "think_orphan": lambda text, key: f"Let me see {FAKE} well.</think>\n{text}",
    "channels": lambda text, key: (
        f"<|channel|>analysis<|message|>Let me see {FAKE}<|end|><|start|>assistant<|channel|>final<|message|>{text}"
    ),
    # FS5
    "tail": lambda text, key: text if key is None else text + ']}"',
    # FS6
    "raw_newline": _escaped("a\nb\tc\x00d"),
    "bom": lambda text, key: "\ufeff" + text,
    "unicode_escapes": lambda text, key: text if key is None else json.dumps(json.loads(text), ensure_ascii=True),
    "backslashes": _escaped("C:\\Users\\new\\x \\alpha \\frac{1}{2}"),
    "single_quotes": lambda text, key: text if key is None else str(json.loads(text)),
    "trailing_commas": lambda text, key: text if key is None else text.replace("}", ",}"),
    # FS7: the server sends finish_reason "length"
    "cut": lambda text, key: text[: len(text) * 7 // 10],
    # FS8
    "empty": lambda text, key: "",
    "blank": lambda text, key: " \n",
    # FS10
    "top_list": lambda text, key: json.dumps(POINTS) if key == "points" else f"[{text}]" if key else text,
    "top_string": lambda text, key: text if key is None else '"just a string"',
    "json_in_string": lambda text, key: text if key is None else json.dumps(text),
    "no_points": _points({"answer": "there are no points"}),
    "points_dict": _points({"points": {"1": POINTS[0], "2": POINTS[1]}}),
    "points_string": _points({"points": json.dumps(POINTS)}),
    "points_strings": _points({"points": ["one", "two"]}),
    "points_content": _points({"content": POINTS}),
    "points_null": _points({"points": None}),
    "wrapped": lambda text, key: text if key is None else f'{{"result": {text}}}',
    # FS11
    "score_string": _score("85"),
    "score_fraction": _score("85/100"),
    "score_decimal_string": _score("8.5"),
    "score_decimal": _score(8.5),
    "score_word": _score("high"),
    "score_null": _score(None),
    "score_missing": _score(...),
    "score_negative": _score(-1),
    "score_huge": _score(900),
    "score_nan": _score(float("nan")),
    "follow_json": _field("follow_up_queries", value='["Who led?", "What next?"]'),
    "follow_plain": _field("follow_up_queries", value="Who led?"),
    "follow_dicts": _field("follow_up_queries", value=[{"query": "Who led?"}, {"question": "What next?"}]),
    "follow_null": _field("follow_up_queries", value=None),
    "follow_duplicates": _field("follow_up_queries", value=["Who led?", "Who led?", "who led? "]),
    "follow_sixty": _field("follow_up_queries", value=[f"What about number {n}?" for n in range(60)]),
    "answer_list": _field("intermediate_answer", "response", value=["One.", "Two."]),
    "answer_dict": _field("intermediate_answer", "response", value={"text": "One."}),
}  # fmt: skip
