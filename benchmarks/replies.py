"""What the fake endpoint writes: it tells from a request which step is asking, and replies in that step's shape."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal, TypeAlias

Stage: TypeAlias = Literal["embed", "rate", "map", "primer", "step", "rewrite", "answer"]

_MARKS: Final[tuple[tuple[Stage, str], ...]] = (
    ("primer", "intermediate_answer"),
    ("map", '"points"'),
    ("step", "follow_up_queries"),
    ("rate", '"rating"'),
    ("rewrite", '"question"'),
)
"""A word in the request that only this step's shape has, the most telling first."""

LENGTHS: Final[dict[Stage, int]] = {
    "answer": 220,
    "step": 120,
    "primer": 160,
    "map": 100,
    "rate": 12,
    "rewrite": 16,
}
"""Words of a reply."""

_WORDS = [
    "the",
    "record",
    "shows",
    "that",
    "council",
    "paid",
    "for",
    "light",
    "and",
    "repairs",
    "while",
    "ferry",
    "was",
    "laid",
    "up",
    "until",
    "spring",
    "because",
    "survey",
    "of",
    "reef",
    "had",
    "not",
    "been",
    "signed",
    "by",
    "keeper",
]


@dataclass(frozen=True, slots=True)
class Reply:
    """``tokens`` are the pieces it is streamed in."""

    stage: Stage
    tokens: tuple[str, ...]
    prompt_tokens: int

    @property
    def text(self) -> str:
        """The whole."""
        return "".join(self.tokens)


def stage_of(body: dict[str, Any], raw: str) -> Stage:
    """From the schema asked for, else from the words of the prompt."""
    schema = json.dumps(body["response_format"]) if body.get("response_format") else ""
    for text in (schema, raw.replace('\\"', '"')):
        for stage, mark in _MARKS:
            if mark in text:
                return stage
    return "answer"


def reply_to(raw: bytes, followups: int) -> Reply:
    """The reply to the body of a chat request; the same for the same body."""
    text = raw.decode()
    body: dict[str, Any] = json.loads(text)
    stage = stage_of(body, text)
    draw = Random(hashlib.sha256(raw).digest())
    prompt_tokens = sum(len(str(one.get("content"))) for one in body["messages"]) // 4
    return Reply(stage, _pieces(_written(stage, draw, followups)), prompt_tokens)


def _written(stage: Stage, draw: Random, followups: int) -> str:
    prose = " ".join(draw.choice(_WORDS) for _ in range(LENGTHS[stage]))
    questions = [_question(draw) for _ in range(followups)]
    shapes: dict[Stage, dict[str, object]] = {
        "map": {
            "points": [
                {"description": f"{prose} [Data: Reports (0)]", "score": draw.randint(20, 95)}
                for _ in range(2)
            ]
        },
        "rate": {"rating": draw.randint(0, 5), "reason": prose},
        "primer": {
            "intermediate_answer": prose,
            "score": draw.randint(20, 95),
            "follow_up_queries": questions,
        },
        "step": {"response": prose, "score": draw.randint(20, 95), "follow_up_queries": questions},
        "rewrite": {"question": _question(draw)},
    }
    return json.dumps(shapes[stage]) if stage in shapes else f"{prose} [Data: Entities (0, 1)]."


def _question(draw: Random) -> str:
    about = " ".join(draw.choice(_WORDS) for _ in range(6))
    return f"What is known of case {draw.randrange(10**6)}, {about}?"


def _pieces(text: str) -> tuple[str, ...]:
    """As a model streams it: a word with the blank before it."""
    first, *rest = text.split(" ")
    return (first, *(f" {word}" for word in rest))
