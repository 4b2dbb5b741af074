"""Replies of the fake endpoint on the wire: one JSON value, or a stream of events with its quirks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.kit.replies import Body, count_tokens, prompt_text
from tests.kit.texts import TEXT_MODES

_PIECE = 7
"""Characters of text in one event: short enough to break words, tags and JSON anywhere."""


@dataclass
class Reply:
    """One reply in the making; ``apply`` spoils it as a mode says."""

    text: str
    key: str | None
    body: Body
    finish: str | None = "stop"
    message: dict[str, Any] = field(default_factory=dict[str, Any])
    """Fields of the message besides, or in place of, its content."""
    no_choices: bool = False
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    prompt_tokens: int | None = None
    usage: bool = True

    def apply(self, mode: str) -> None:
        name, _, argument = mode.partition("=")
        if name in TEXT_MODES:
            self.text = TEXT_MODES[name](self.text, self.key)
        if name in REPLY_MODES:
            REPLY_MODES[name](self, argument)

    def slow(self, modes: list[str]) -> bool:
        return any(mode.partition("=")[0] in ("first_byte", "never", "token_delay") for mode in modes)

    def usage_object(self) -> dict[str, int]:
        prompt = (
            self.prompt_tokens if self.prompt_tokens is not None else count_tokens(prompt_text(self.body))
        )
        output = count_tokens(self.text)
        return {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}

    def full_message(self) -> dict[str, Any]:
        return {"role": "assistant", "content": self.text, **self.message}


def _set(**fields: Any) -> Callable[[Reply, str], None]:
    def mode(reply: Reply, _: str) -> None:
        for name, value in fields.items():
            setattr(reply, name, value)

    return mode


def _reasoning_field(reply: Reply, _: str) -> None:
    reply.message = {"content": reply.text, "reasoning_content": "Let me think {about} it."}


def _reasoning_only(reply: Reply, _: str) -> None:
    reply.message = {"content": "", "reasoning_content": reply.text}


def _parts(reply: Reply, _: str) -> None:
    reply.message = {"content": [{"type": "text", "text": reply.text}]}


def _tool_call(reply: Reply, _: str) -> None:
    function = {"name": "reply", "arguments": reply.text}
    reply.message = {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    reply.finish = "tool_calls"


def _truncate(reply: Reply, argument: str) -> None:
    reply.prompt_tokens = min(int(argument or 500), count_tokens(prompt_text(reply.body)))


REPLY_MODES: dict[str, Callable[[Reply, str], None]] = {
    "cut": _set(finish="length"),
    "reasoning_field": _reasoning_field,
    "reasoning_only": _reasoning_only,
    "null": _set(message={"content": None}),
    "null_tools": _set(message={"content": None, "tool_calls": []}),
    "tool_call": _tool_call,
    "refusal": _set(message={"content": None, "refusal": "I can't help with that."}),
    "no_choices": _set(no_choices=True),
    "over_capacity": _set(text="", extra={"x_status": "model over capacity"}),
    "filtered": _set(text="", finish="content_filter"),
    "finish_error": _set(finish="error"),
    "parts": _parts,
    "no_usage": _set(usage=False),
    "trunc": _truncate,
}


def completion(reply: Reply) -> str:
    choice = {"index": 0, "message": reply.full_message(), "finish_reason": reply.finish, "logprobs": None}
    value = _envelope(reply, "chat.completion", [] if reply.no_choices else [choice])
    if reply.usage:
        value["usage"] = reply.usage_object()
    return json.dumps(value, ensure_ascii=False)


@dataclass
class Stream:
    """Pieces of a body with the seconds to wait before each; ``delays`` names the modes that slow it down."""

    events: list[tuple[str, str]]
    """``("data", payload)`` for an event, ``("", text)`` for text as it stands."""
    delays: list[str]
    plain: bool = False
    break_off: bool = False
    split: bool = False


def stream_of(reply: Reply, modes: list[str]) -> Stream:
    """The events of ``reply``, with the quirks that ``modes`` name."""
    events: list[tuple[str, str]] = []
    if "first_empty" in modes:
        events.append(_chunk(reply, None, extra={"prompt_filter_results": [{"prompt_index": 0}]}))
    events.append(_chunk(reply, {"role": "assistant", "content": None if "null_delta" in modes else ""}))
    if "empty_delta" in modes:
        events.append(_chunk(reply, {}))
    body = _deltas(reply)
    if "cut_half" in modes or "cut_clean" in modes or "error_inside" in modes:
        body = body[: max(1, len(body) // 2)]
    for place, delta in enumerate(body):
        if "keepalive" in modes and place % 3 == 0:
            events.append(("", ": keep-alive\n\n"))
        if "null_delta" in modes and place % 5 == 2:
            events.append(_chunk(reply, {"content": None}))
        events.append(_chunk(reply, delta))
    return Stream(
        [*events, *_ending(reply, modes)],
        modes,
        break_off="cut_half" in modes,
        split="split_utf8" in modes,
    )


def _ending(reply: Reply, modes: list[str]) -> list[tuple[str, str]]:
    if "cut_half" in modes or "cut_clean" in modes:
        return []
    if "error_inside" in modes:
        return [("data", json.dumps({"error": {"message": "The server is overloaded", "code": 503}}))]
    ending: list[tuple[str, str]] = []
    if "no_finish" not in modes:
        ending.append(_chunk(reply, {}, finish=reply.finish))
    if reply.usage and "include_usage" in str(reply.body.get("stream_options")):
        usage = _envelope(reply, "chat.completion.chunk", []) | {"usage": reply.usage_object()}
        ending.append(("data", json.dumps(usage)))
    if "no_done" not in modes:
        ending.append(("data", "[DONE]"))
    return ending


def _deltas(reply: Reply) -> list[dict[str, Any]]:
    message = {key: value for key, value in reply.full_message().items() if key != "role"}
    deltas: list[dict[str, Any]] = []
    for key in ("reasoning_content", "content", "refusal", "tool_calls"):
        value = message.get(key)
        if isinstance(value, str):
            deltas += [{key: value[start : start + _PIECE]} for start in range(0, len(value), _PIECE)]
        elif value:
            deltas.append({key: value})
    return deltas


def _chunk(
    reply: Reply,
    delta: dict[str, Any] | None,
    *,
    finish: str | None = None,
    extra: dict[str, Any] | None = None,
) -> tuple[str, str]:
    choices = (
        [] if delta is None or reply.no_choices else [{"index": 0, "delta": delta, "finish_reason": finish}]
    )
    value = _envelope(reply, "chat.completion.chunk", choices) | (extra or {})
    return ("data", json.dumps(value, ensure_ascii=False))


def _envelope(reply: Reply, kind: str, choices: list[Any]) -> dict[str, Any]:
    return {
        "id": "fake-1",
        "object": kind,
        "created": 0,
        "model": "fake-model",
        "choices": choices,
        **reply.extra,
    }


async def send_stream(writer: asyncio.StreamWriter, stream: Stream) -> bool:
    """Sends a body in chunks; False when the connection must be closed after it."""
    waits = {
        name: float(value or 0)
        for name, _, value in (mode.partition("=") for mode in stream.delays)
        if _is_number(value)
    }
    if "never" in stream.delays:
        await asyncio.sleep(3600)
    await asyncio.sleep(waits.get("first_byte", 0))
    kind = "application/json" if stream.plain else "text/event-stream; charset=utf-8"
    writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    for name, payload in stream.events:
        raw = (f"data: {payload}\n\n" if name else payload).encode("utf-8", "surrogatepass")
        for piece in _pieces(raw, split=stream.split):
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
        await asyncio.sleep(waits.get("token_delay", 0))
    if stream.break_off:
        writer.transport.abort()
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _is_number(text: str) -> bool:
    return not text or text.replace(".", "", 1).isdigit()


def _pieces(raw: bytes, *, split: bool) -> list[bytes]:
    """Whole, or in two parts that break a character in the middle where there is one to break."""
    broken = next((place for place, byte in enumerate(raw) if byte >= 0xC0), None)
    if not split or broken is None:
        return [raw]
    return [raw[: broken + 1], raw[broken + 1 :]]
