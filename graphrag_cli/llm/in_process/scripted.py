"""Models that say what they are told to: for tests, examples and dry runs.

``ScriptedChat`` takes its replies from a queue, a function, or a file, streams them in pieces as a real model
would, and keeps every request in ``calls``. ``HashEmbedder`` makes vectors of words without any model: texts that
share words are similar.

    chat = ScriptedChat(["first reply", MapReply(points=()), ModelError("down")])
    chat = ScriptedChat(by_stage(map={"points": []}, reduce="All told …"))
    chat = ScriptedChat(lambda request: "Amundsen" if request.stage == "answer" else None)

A reply is text, a reply model or plain JSON data (sent as JSON text), an exception (raised), or a ``Reply`` that
also says how it ends, how long it takes, or where it breaks.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic import BaseModel

from graphrag_cli import jsontext
from graphrag_cli.errors import ModelError, SettingsError
from graphrag_cli.llm.base import (
    CallUsage,
    ChatRequest,
    Outcome,
    ReplyDelta,
    ReplyEnd,
    ReplyItem,
    ReplyNotice,
    ReplyReasoning,
    Stage,
)

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

_PIECE = re.compile(r"\S+\s*|\s+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply in full.

    ``delay`` and ``pause`` are seconds before the first piece and between pieces. ``error`` is raised after ``text``
    was sent, as when a connection breaks half way. Unset usage is counted in words.
    """

    text: str = ""
    reasoning: str = ""
    """Sent before the text."""
    outcome: Outcome | None = None
    """Unset: ``ok``, or ``empty`` for no text."""
    finish_reason: str | None = "stop"
    usage: CallUsage | None = None
    notices: tuple[ReplyNotice, ...] = ()
    delay: float = 0.0
    pause: float = 0.0
    error: Exception | None = None


Scripted: TypeAlias = "Reply | str | BaseModel | Mapping[str, Any] | Sequence[Any] | Exception"
Matcher: TypeAlias = Callable[[ChatRequest], "Scripted | None"]
"""Gives the reply to a request, or None when it has none."""


class ScriptedChat:
    """``ChatModel`` that replies from a script.

    ``script`` is a list (one reply per call, in order; running out is a ``ModelError`` that shows the call) or a
    function of the request. ``fallback`` answers what the script does not.
    """

    def __init__(
        self,
        script: Iterable[Scripted] | Matcher = (),
        *,
        name: str = "scripted",
        fallback: Scripted | None = None,
    ) -> None:
        self._name = name
        self._match: Matcher = script if callable(script) else _from_queue(deque(script))
        self._fallback = fallback
        self.calls: list[ChatRequest] = []
        """Every request so far, in the order of arrival."""
        self.running = 0
        """Calls under way now."""
        self.most_running = 0
        """The most calls that were ever under way at once."""
        self.closed = False

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def stages(self) -> list[Stage]:
        """The stage of every call so far."""
        return [call.stage for call in self.calls]

    def calls_of(self, stage: Stage) -> list[ChatRequest]:
        """The calls of one stage."""
        return [call for call in self.calls if call.stage == stage]

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """The scripted reply, word by word when ``request.stream``, else as one delta."""
        self.calls.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            async for item in _play(self._reply(request), request):
                yield item
        finally:
            self.running -= 1

    async def aclose(self) -> None:
        """Sets ``closed``."""
        self.closed = True

    def _reply(self, request: ChatRequest) -> Reply:
        scripted = self._match(request)
        if scripted is None:
            scripted = self._fallback
        if scripted is None:
            raise ModelError(f"the script has no reply to this {request.stage} call: {_tail(request)!r}")
        return as_reply(scripted)


def as_reply(scripted: Scripted) -> Reply:
    """``scripted`` in full."""
    match scripted:
        case Reply():
            return scripted
        case str():
            return Reply(scripted)
        case Exception():
            return Reply(error=scripted)
        case BaseModel():
            return Reply(scripted.model_dump_json())
        case _:
            return Reply(json.dumps(scripted, ensure_ascii=False))


def by_stage(**replies: Scripted | Matcher | list[Scripted]) -> Matcher:
    """A matcher from stage to reply; a list is used up in order, its last reply again and again."""
    rules = {stage: _one_by_one(reply) for stage, reply in replies.items()}

    def match(request: ChatRequest) -> Scripted | None:
        rule = rules.get(request.stage)
        return rule(request) if rule else None

    return match


def prompt_text(request: ChatRequest) -> str:
    """Everything the request says, for matchers and assertions."""
    return "\n\n".join(message.content for message in request.messages)


def from_file(path: Path, *, name: str = "scripted") -> ScriptedChat:
    """A model that replies by the rules in ``path``: JSON Lines, or YAML with a list of them.

    A rule is ``{stage: map, match: "regex", reply: …, delay: 0.1, error: "text"}``; all but ``reply`` (or
    ``error``) may be missing. The first rule whose stage is the call's and whose pattern is found in the prompt
    answers. A reply that is not text is sent as JSON. Raises ``SettingsError`` when the file cannot be used.
    """
    return ScriptedChat(_first_of(_read_rules(path)), name=name)


class HashEmbedder:
    """``Embedder`` without a model: each word adds a fixed pseudo-random direction, so shared words mean similarity."""

    def __init__(self, width: int = 64, *, name: str = "hash") -> None:
        self._name = name
        self._width = width
        self.calls: list[tuple[str, ...]] = []
        """Every batch so far."""
        self.closed = False

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def width(self) -> int:
        """As given."""
        return self._width

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length rows, the same for the same words in any order and process."""
        import numpy as np

        self.calls.append(tuple(texts))
        rows = [hash_vector(text, self._width) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._width), dtype=np.float32)

    async def aclose(self) -> None:
        """Sets ``closed``."""
        self.closed = True


def hash_vector(text: str, width: int) -> NDArray[np.float32]:
    """The vector of ``text``; shape ``(width,)``, unit length."""
    import numpy as np

    words = _WORD.findall(text.lower()) or [""]
    total = np.zeros(width, dtype=np.float64)
    for word in words:
        total += _direction(word, width)
    length = float(np.linalg.norm(total))
    if length == 0:
        total = _direction("", width)
        length = float(np.linalg.norm(total))
    return (total / length).astype(np.float32)


def _direction(word: str, width: int) -> NDArray[np.float64]:
    import numpy as np

    digest = hashlib.shake_256(word.encode("utf-8", "replace")).digest(width)
    return np.frombuffer(digest, dtype=np.uint8).astype(np.float64) - 127.5


async def _play(reply: Reply, request: ChatRequest) -> AsyncIterator[ReplyItem]:
    await asyncio.sleep(reply.delay)
    for notice in reply.notices:
        yield notice
    for piece in _pieces(reply.reasoning, request.stream):
        yield ReplyReasoning(piece)
    for number, piece in enumerate(_pieces(reply.text, request.stream)):
        if number:
            await asyncio.sleep(reply.pause)
        yield ReplyDelta(piece)
    if reply.error is not None:
        raise reply.error
    usage = reply.usage or CallUsage(len(prompt_text(request).split()), len(reply.text.split()), counted=True)
    outcome = reply.outcome or ("ok" if reply.text.strip() else "empty")
    yield ReplyEnd(outcome, usage, reply.finish_reason, "scripted")


def _pieces(text: str, streamed: bool) -> list[str]:
    if not text:
        return []
    return _PIECE.findall(text) if streamed else [text]


def _from_queue(queue: deque[Scripted]) -> Matcher:
    return lambda _request: queue.popleft() if queue else None


def _one_by_one(reply: Scripted | Matcher | list[Scripted]) -> Matcher:
    if isinstance(reply, list):
        queue = deque(cast("list[Scripted]", reply))
        return lambda _request: (queue.popleft() if len(queue) > 1 else queue[0]) if queue else None
    if callable(reply):
        return reply
    return lambda _request: reply


def _tail(request: ChatRequest, length: int = 80) -> str:
    content = request.messages[-1].content if request.messages else ""
    return content if len(content) <= length else f"…{content[-length:]}"


@dataclass(frozen=True, slots=True)
class _Rule:
    stage: str | None
    pattern: re.Pattern[str]
    reply: Reply


def _first_of(rules: Sequence[_Rule]) -> Matcher:
    def match(request: ChatRequest) -> Scripted | None:
        text = prompt_text(request)
        for rule in rules:
            if rule.stage in {None, request.stage} and rule.pattern.search(text):
                return rule.reply
        return None

    return match


def _read_rules(path: Path) -> list[_Rule]:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix in {".yaml", ".yml"}:
            entries = yaml.safe_load(text)
        else:
            entries = [jsontext.decode(line) for line in text.splitlines() if line.strip()]
    except OSError as error:
        raise SettingsError(
            f"cannot read the scripted replies: {error}", hint="set `path` of the model"
        ) from error
    except (ValueError, yaml.YAMLError) as error:
        raise SettingsError(f"{path}: not JSON Lines or YAML: {error}") from error
    if not isinstance(entries, list):
        raise SettingsError(f"{path}: should be a list of rules", hint="start each rule with `- reply: …`")
    return [_rule(path, number, entry) for number, entry in enumerate(cast("list[Any]", entries), start=1)]


def _rule(path: Path, number: int, entry: Any) -> _Rule:
    if not isinstance(entry, dict) or not {"reply", "error"} & cast("dict[str, Any]", entry).keys():
        raise SettingsError(f"{path}: rule {number} has neither `reply` nor `error`")
    rule = cast("dict[str, Any]", entry)
    try:
        pattern = re.compile(str(rule.get("match", "")))
        delay = float(rule.get("delay", 0.0))
    except (re.error, TypeError, ValueError) as error:
        raise SettingsError(f"{path}: rule {number}: {error}") from error
    reply = replace(as_reply(rule.get("reply", "")), delay=delay)
    if "error" in rule:
        reply = replace(reply, error=ModelError(str(rule["error"])))
    stage = rule.get("stage")
    return _Rule(None if stage is None else str(stage), pattern, reply)
