"""What an endpoint has shown that it takes: learnt from its refusals, remembered for the run.

Servers differ in which form of ``response_format`` they know, in the name of the limit on output, and in which
sampling parameters they refuse. Nobody can know beforehand, so the first refusal that names something is taken
as an answer: the request is changed once, sent again, and every later request is made that way at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphrag_cli.llm.endpoints.schema import reply_schema
from graphrag_cli.llm.reading.decode import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from graphrag_cli.config.settings import StructuredOutput
    from graphrag_cli.llm.base import ChatRequest, Message
    from graphrag_cli.llm.endpoints.refusal import Refusal

Format: TypeAlias = Literal["schema", "object", "none"]

_ORDER: dict[str, tuple[Format, ...]] = {
    "auto": ("schema", "object", "none"),
    "schema": ("schema", "object", "none"),
    "object": ("object", "schema", "none"),
    "none": ("none",),
}
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_OPTIONAL = (
    "max_completion_tokens", "max_tokens", "temperature", "top_p", "presence_penalty", "frequency_penalty",
    "reasoning_effort", "seed", "stream_options", "n",
)  # fmt: skip
_FORMAT_WORDS = re.compile(
    r"response_format|json_schema|json_object|json schema|grammar|guided|structured output"
)
_ROLE_WORDS = re.compile(
    r"system (?:role|message|prompt)s? (?:is |are )?not supported|does not support (?:the )?'?system"
    r"|'?system'? role|developer instruction is not enabled|roles must alternate"
)
_AT_MOST = re.compile(
    r"(?:at most|maximum(?: value)?(?: is| of)?|less than or equal to|<=)\D{0,20}(\d[\d,]*)"
)
_ONLY_STREAMS = re.compile(
    r"only supports? (?:the )?stream|enable the stream|set `?stream`?\s*(?:=|to) ?true|for non-streaming calls"
)


@dataclass(slots=True)
class Capabilities:
    """What is known of one model at one endpoint."""

    structured: StructuredOutput = "auto"
    dropped: set[str] = field(default_factory=set[str])
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    capped: dict[str, int] = field(default_factory=dict[str, int])
    streams: bool = True
    only_streams: bool = False
    system_role: bool = True
    _refused_formats: set[Format] = field(default_factory=set[Format])

    @property
    def format(self) -> Format:
        """How a JSON reply is asked for now."""
        for form in _ORDER[self.structured]:
            if form not in self._refused_formats:
                return form
        return "none"

    def body(self, request: ChatRequest, model: str) -> dict[str, object]:
        """The request as this endpoint takes it. Nothing unset is in it, and no null."""
        turns = self._messages(request.messages)
        body: dict[str, object] = {"model": model, "messages": turns}
        for name in request.params.__dataclass_fields__:
            value = getattr(request.params, name)
            name = self.renamed.get(name, name)
            if value is not None and name not in self.dropped:
                cap = self.capped.get(name)
                body[name] = value if cap is None else min(value, cap)
        if request.reply_model is not None:
            body |= self._format(request.reply_model, turns)
        if self.streams and (request.stream or self.only_streams):
            body["stream"] = True
            if "stream_options" not in self.dropped:
                body["stream_options"] = {"include_usage": True}
        else:
            body["stream"] = False
        return body

    def learn(self, refusal: Refusal, body: Mapping[str, object]) -> str | None:
        """Changes what is known so that the next body differs from ``body``; says what changed, or None.

        Calls that run side by side are refused for the same reason: the second one finds the change made, gets
        an empty text, and is simply sent again.
        """
        if not _may_teach(refusal):
            return None
        if _ROLE_WORDS.search(refusal.words) and _has_system(body):
            return self._without_system()
        if not body.get("stream") and self.streams and _ONLY_STREAMS.search(refusal.words):
            return self._with_stream()
        named = _named(refusal, body)
        if named is not None and named != "response_format":
            return self._without(named, refusal)
        if "response_format" in body and (named or refusal.status in (400, 422, 500, 501)):
            return self._other_format(body, refusal)
        if body.get("stream") and refusal.status in (400, 403, 405, 422, 501):
            return self._without_stream()
        return None

    def _messages(self, messages: tuple[Message, ...]) -> list[dict[str, str]]:
        turns = [{"role": turn.role, "content": clean_text(turn.content)} for turn in messages]
        return turns if self.system_role else _fold_system(turns)

    def _format(self, reply_model: type[BaseModel], turns: list[dict[str, str]]) -> dict[str, object]:
        match self.format:
            case "schema":
                schema = {"name": reply_model.__name__, "strict": True, "schema": reply_schema(reply_model)}
                return {"response_format": {"type": "json_schema", "json_schema": schema}}
            case "object":
                return {
                    "response_format": {"type": "json_object"},
                    "messages": _naming_json(turns),
                }
            case "none":
                return {}

    def _without_system(self) -> str:
        changed = self.system_role
        self.system_role = False
        return "takes no system message; it is sent as part of the question" if changed else ""

    def _with_stream(self) -> str:
        changed = not self.only_streams
        self.only_streams = True
        return "only streams; every reply is fetched as a stream" if changed else ""

    def _without_stream(self) -> str:
        changed = self.streams
        self.streams = False
        return "does not stream; the reply is fetched whole" if changed else ""

    def _other_format(self, body: Mapping[str, object], refusal: Refusal) -> str | None:
        sent = _sent_format(body)
        if sent != self.format:
            return ""
        if self.structured == "none" or sent == "none":
            return None
        self._refused_formats.add(sent)
        wanted = _wanted_format(refusal)
        if wanted is not None and wanted not in self._refused_formats:
            self._refused_formats.update(form for form in _ORDER["auto"] if form not in (wanted, "none"))
        now = {"schema": "by JSON schema", "object": "as a JSON object", "none": "in words only"}[self.format]
        return f"refuses replies asked for by `response_format` {sent}; they are asked for {now}"

    def _without(self, name: str, refusal: Refusal) -> str:
        if name in self.dropped or name in self.renamed:
            return ""
        ceiling = _AT_MOST.search(refusal.words)
        if name in _RENAMED and ceiling and name not in self.capped and "unsupported" not in refusal.words:
            self.capped[name] = int(ceiling.group(1).replace(",", ""))
            return f"takes `{name}` up to {self.capped[name]:,}"
        other = _RENAMED.get(name)
        if other is not None and other not in self.renamed and other not in self.dropped:
            self.renamed[name] = other
            return f"wants `{other}` in place of `{name}`"
        self.dropped.add(name)
        return f"does not take `{name}`; it is left out"


def _may_teach(refusal: Refusal) -> bool:
    return refusal.status in (400, 403, 404, 405, 415, 422, 500, 501)


def _named(refusal: Refusal, body: Mapping[str, object]) -> str | None:
    """The optional part of ``body`` that the refusal names, by its ``param`` or in its message."""
    param = re.split(r"[.\[]", refusal.param)[0]
    if param in ("response_format", *_OPTIONAL) and param in body:
        return param
    if "response_format" in body and _FORMAT_WORDS.search(refusal.words):
        return "response_format"
    for name in _OPTIONAL:
        quoted = rf"[`'\"‘“]{name}[`'\"’”]"
        pattern = quoted if name == "n" else rf"(?<![a-z_]){name}(?![a-z_])"
        if name in body and re.search(pattern, refusal.words):
            return name
    if "stream_options" in body and "include_usage" in refusal.words:
        return "stream_options"
    return None


def _sent_format(body: Mapping[str, object]) -> Format:
    text = str(body.get("response_format", ""))
    if "json_schema" in text:
        return "schema"
    return "object" if "json_object" in text else "none"


def _wanted_format(refusal: Refusal) -> Format | None:
    """The form that the message says must be used, such as "must be 'json_schema' or 'text'"."""
    found = re.search(r"(?:must be|expected|only|supported|use|one of)[^.]{0,60}", refusal.words)
    if found is None:
        return None
    schema, plain = "json_schema" in found.group(), "json_object" in found.group()
    if schema == plain:
        return None
    return "schema" if schema else "object"


def _has_system(body: Mapping[str, object]) -> bool:
    return "'role': 'system'" in str(body.get("messages"))


def _fold_system(turns: list[dict[str, str]]) -> list[dict[str, str]]:
    """Without system turns: their text goes before the first question, and turns of one role become one."""
    system = [turn["content"] for turn in turns if turn["role"] == "system"]
    folded: list[dict[str, str]] = [{"role": "user", "content": "\n\n".join(system)}] if system else []
    for turn in turns:
        if turn["role"] == "system":
            continue
        if folded and folded[-1]["role"] == turn["role"]:
            folded[-1] = {**turn, "content": f"{folded[-1]['content']}\n\n{turn['content']}"}
        else:
            folded.append(turn)
    return folded


def _naming_json(turns: list[dict[str, str]]) -> list[dict[str, str]]:
    """JSON mode of some servers demands that the word is in the messages."""
    if any("json" in turn["content"].lower() for turn in turns):
        return turns
    return [*turns[:-1], {**turns[-1], "content": f"{turns[-1]['content']}\n\nAnswer in JSON."}]
