"""The bytes and JSON of an OpenAI-compatible chat endpoint, read as servers really write them. Pure."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graphrag_cli.llm.reading.decode import clean_text
from graphrag_cli.llm.reading.values import is_array, is_number, is_object

BodyKind: TypeAlias = Literal["events", "json", "page"]

_KNOWN_KEYS = frozenset(
    {
        "id", "object", "created", "model", "choices", "usage", "system_fingerprint", "service_tier",
        "prompt_filter_results", "provider", "timings", "stats", "x_groq", "obfuscation", "prompt_logprobs",
        "kv_transfer_params", "native_finish_reason", "prompt_annotations",
    }
)  # fmt: skip

_MOST_TOKENS = 1e9
"""No call uses more; a larger number, infinity or NaN is none."""


def body_kind(content_type: str, beginning: str) -> BodyKind:
    """Whether a body is a stream of events, one JSON value, or something else; its beginning outweighs its type."""
    start = beginning.lstrip("\ufeff \t\r\n")
    if start.startswith(("data:", "event:", ":", "id:", "retry:")):
        return "events"
    if start.startswith(("{", "[")):
        return "json"
    if start.startswith("<"):
        return "page"
    return "events" if "event-stream" in content_type else "json"


@dataclass(slots=True)
class EventDecoder:
    """Server-sent events out of bytes that arrive in any pieces, a character split between two included."""

    _utf8: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    )
    _line: str = ""
    _data: list[str] = field(default_factory=list[str])

    def feed(self, piece: bytes, *, final: bool = False) -> Iterator[str]:
        """The data of every event that ``piece`` completes; with ``final``, also of one left open at the end."""
        text = self._line + self._utf8.decode(piece, final)
        half = "\r" if text.endswith("\r") and not final else ""  # the other half of a line end may be next
        *lines, rest = text.removesuffix(half).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._line = rest + half
        if final and self._line:
            lines.append(self._line)
            self._line = ""
        if final:
            lines.append("")
        for line in lines:
            yield from self._take(line)

    def _take(self, line: str) -> Iterator[str]:
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif not line and self._data:
            data, self._data = "\n".join(self._data), []
            yield data


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one event, or a whole reply, adds."""

    text: str = ""
    """As sent: it may end with half of a surrogate pair whose other half comes next."""
    reasoning: str = ""
    arguments: str = ""
    """Arguments of a tool call."""
    refusal: str = ""
    finish_reason: str | None = None
    prompt_tokens: int = 0
    output_tokens: int = 0
    model: str | None = None
    error: object = None
    """The error object of a reply that came with status 200."""
    has_choices: bool = False
    is_reply: bool = False
    """True when the value has the shape of a reply at all."""
    extra: str = ""
    """Fields that replies do not have, as JSON: some providers say there why a reply is empty."""


def read_chunk(value: object) -> Chunk:
    """One decoded event or reply; anything missing, null or of another type counts as not there."""
    if not is_object(value):
        return Chunk()
    usage = value.get("usage")
    choice = _first_choice(value.get("choices"))
    part = _part(choice)
    finish = choice.get("finish_reason")
    model = value.get("model")
    extra = {
        key: item for key, item in value.items() if key not in _KNOWN_KEYS and item not in (None, "", [], {})
    }
    content = part.get("content")
    return Chunk(
        text=_text(content) or _text(choice.get("text")),
        reasoning=clean_text(_reasoning(part) or _thought(content)),
        arguments=clean_text(_arguments(part)),
        refusal=clean_text(_text(part.get("refusal"))),
        finish_reason=finish if isinstance(finish, str) and finish else None,
        prompt_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=_count(usage, "completion_tokens", "output_tokens"),
        model=model if isinstance(model, str) else None,
        error=value.get("error") or _error_object(value) or choice.get("error"),
        has_choices=bool(choice),
        is_reply="choices" in value or is_object(usage),
        extra=json.dumps(extra, ensure_ascii=False) if extra else "",
    )


def _first_choice(choices: object) -> dict[str, object]:
    """The choice of index 0: with ``n`` above 1, the others are not read."""
    if not is_array(choices):
        return {}
    for choice in choices:
        if is_object(choice) and choice.get("index") in (0, "0", None):
            return choice
    return {}


def _part(choice: dict[str, object]) -> dict[str, object]:
    for key in ("delta", "message"):
        part = choice.get(key)
        if is_object(part):
            return part
    return {}


def _text(content: object) -> str:
    """Content as text: a string, or typed parts, those of reasoning left out."""
    parts = content if is_array(content) else [content]
    return "".join(_part_text(part) for part in parts if not _is_thought(part))


def _part_text(part: object, key: str = "text") -> str:
    text = part.get(key) if is_object(part) else part
    return text if isinstance(text, str) else ""


def _reasoning(part: dict[str, object]) -> str:
    """Reasoning in a field of its own; some servers send it in two of them at a time."""
    return next(
        (text for key in ("reasoning_content", "reasoning", "thinking") if (text := _text(part.get(key)))), ""
    )


def _thought(content: object) -> str:
    """Reasoning among the typed parts of content: its text under ``text``, or in parts under ``thinking``."""
    if not is_array(content):
        return ""
    thoughts = [part for part in content if is_object(part) and _is_thought(part)]
    return "".join(_text(part.get("thinking")) or _part_text(part) for part in thoughts)


def _is_thought(part: object) -> bool:
    return is_object(part) and part.get("type") in ("thinking", "reasoning")


def _arguments(part: dict[str, object]) -> str:
    calls = part.get("tool_calls")
    functions = [call.get("function") for call in calls if is_object(call)] if is_array(calls) else []
    functions.append(part.get("function_call"))
    texts: list[str] = []
    for function in functions[:1] if functions[0] is not None else functions:
        if is_object(function):
            arguments = function.get("arguments")
            texts.append(
                arguments if isinstance(arguments, str) else json.dumps(arguments or "") if arguments else ""
            )
    return "".join(texts)


def _count(usage: object, *names: str) -> int:
    if not is_object(usage):
        return 0
    for name in names:
        value = usage.get(name)
        if is_number(value) and 0 < value < _MOST_TOKENS:
            return int(value)
    return 0


def _error_object(value: dict[str, object]) -> object:
    """A body such as ``{"object": "error", "message": …}`` is the error itself, and so is a message without choices."""
    if value.get("object") == "error" or value.get("type") == "error":
        return value
    return value if "choices" not in value and isinstance(value.get("message"), str) else None
