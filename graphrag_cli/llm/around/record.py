"""Keeps every exchange of a run in a file, and runs again from that file without any model.

The file is JSON lines: a head, then one line for each exchange as it ended, a failed one too. Keys that are
secret are not in it: requests hold no headers, and what else could hold one is redacted.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from graphrag_cli import jsontext
from graphrag_cli.errors import ModelError, ReplayMissError, UsageError
from graphrag_cli.llm.around.base import ChatAround, EmbedderAround
from graphrag_cli.llm.around.exchange import (
    chat_request_data,
    embed_request_data,
    error_from_data,
    error_to_data,
    items_from_data,
    items_to_data,
    key_of,
    vectors_from_data,
    vectors_to_data,
)
from graphrag_cli.llm.base import ReplyItem, close_items
from graphrag_cli.llm.reading.values import is_object

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.events import Json
    from graphrag_cli.llm.base import ChatModel, ChatRequest, Embedder
    from graphrag_cli.llm.endpoints.address import Secrets

SCHEMA = "graphrag-cli/recording/1"
_QUOTED = 120


class Recording:
    """A recording being written. Raises ``UsageError`` when the file cannot be."""

    def __init__(self, path: Path, secrets: Secrets) -> None:
        self._path = path
        self._secrets = secrets
        self._write({"schema": SCHEMA}, "w")

    def chat(self, model: ChatModel) -> ChatModel:
        """``model``, its exchanges kept."""
        return _RecordedChat(model, self)

    def embedder(self, model: Embedder) -> Embedder:
        """``model``, its exchanges kept."""
        return _RecordedEmbedder(model, self)

    def add(self, request: dict[str, Json], reply: dict[str, Json]) -> None:
        """Appends one exchange, at once, so that a run that is killed leaves what it had."""
        self._write({"key": key_of(request), "request": request, **reply})

    def _write(self, line: dict[str, Json], mode: Literal["w", "a"] = "a") -> None:
        text = self._secrets.hide_known(json.dumps(line, ensure_ascii=False))
        try:
            with self._path.open(mode, encoding="utf-8", newline="\n") as file:
                file.write(text + "\n")
        except OSError as error:
            raise UsageError(
                f"the recording {self._path} cannot be written: {error.strerror}",
                hint="name a file in a folder that exists and may be written",
            ) from error


class _RecordedChat(ChatAround):
    def __init__(self, inner: ChatModel, recording: Recording) -> None:
        super().__init__(inner)
        self._recording = recording

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        data = chat_request_data(self.name, request)
        kept: list[ReplyItem] = []
        items = self._inner.stream(request)
        try:
            async for item in items:
                kept.append(item)
                yield item
        except ModelError as error:
            self._recording.add(data, {"items": items_to_data(kept), "error": error_to_data(error)})
            raise
        else:
            self._recording.add(data, {"items": items_to_data(kept)})
        finally:
            await close_items(items)


class _RecordedEmbedder(EmbedderAround):
    def __init__(self, inner: Embedder, recording: Recording) -> None:
        super().__init__(inner)
        self._recording = recording

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        data = embed_request_data(self.name, texts)
        try:
            vectors = await self._inner.embed(texts)
        except ModelError as error:
            self._recording.add(data, {"error": error_to_data(error)})
            raise
        self._recording.add(data, {"vectors": vectors_to_data(vectors)})
        return vectors


class Replay:
    """A recording being read. Raises ``UsageError`` when the file is not one.

    A request that was made several times gets its replies in the order they came, and the last one again and again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._replies: dict[str, deque[dict[str, object]]] = defaultdict(deque)
        for number, line in enumerate(_lines(path), start=1):
            self._take(line, number)

    def chat(self, name: str) -> ChatModel:
        """The chat model that settings call ``name``, answering from the recording."""
        return _ReplayedChat(name, self)

    def embedder(self, name: str) -> Embedder:
        """The embedder that settings call ``name``, answering from the recording."""
        return _ReplayedEmbedder(name, self)

    def next(self, request: dict[str, Json], what: str) -> dict[str, object]:
        """The next reply to ``request``. Raises ``ReplayMissError`` when there is none."""
        replies = self._replies.get(key_of(request))
        if not replies:
            raise ReplayMissError(
                f"the recording {self.path} holds no reply to {what} (key {key_of(request)})",
                hint="a replay needs the index, settings, prompts, seed and version that the recording was made with",
            )
        return replies.popleft() if len(replies) > 1 else replies[0]

    def _take(self, line: str, number: int) -> None:
        try:
            value: object = jsontext.decode(line)
        except ValueError:
            value = None
        if not is_object(value):
            raise _not_a_recording(self.path, f"line {number} is not a JSON object")
        if number == 1:
            if value.get("schema") != SCHEMA:
                raise _not_a_recording(self.path, f"its first line does not say {SCHEMA!r}")
            return
        self._replies[str(value.get("key"))].append(value)


class _ReplayedChat:
    def __init__(self, name: str, replay: Replay) -> None:
        self.name = name
        self._replay = replay

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        ends = " ".join(request.messages[-1].content.split())[-_QUOTED:] if request.messages else ""
        what = f"a {request.stage} call to {self.name!r} that ends with {ends!r}"
        reply = self._replay.next(chat_request_data(self.name, request), what)
        try:
            items = items_from_data(reply.get("items"))
            error = error_from_data(reply["error"]) if "error" in reply else None
        except ValueError as wrong:
            raise _not_a_recording(self._replay.path, str(wrong)) from wrong
        for item in items:
            yield item
        if error is not None:
            raise error

    async def aclose(self) -> None:
        return None


class _ReplayedEmbedder:
    def __init__(self, name: str, replay: Replay) -> None:
        self.name = name
        self._replay = replay
        self._width: int | None = None

    @property
    def width(self) -> int | None:
        return self._width

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        begins = " ".join(texts[0].split())[:_QUOTED] if texts else ""
        what = f"an embedding of {len(texts)} texts by {self.name!r}, the first one {begins!r}"
        reply = self._replay.next(embed_request_data(self.name, texts), what)
        try:
            if "error" in reply:
                raise error_from_data(reply["error"])
            vectors = vectors_from_data(reply.get("vectors"))
        except ValueError as wrong:
            raise _not_a_recording(self._replay.path, str(wrong)) from wrong
        self._width = vectors.shape[1]
        return vectors

    async def aclose(self) -> None:
        return None


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise UsageError(f"there is no recording {path}", hint="make one with --record FILE") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _not_a_recording(path, str(error)) from error
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise _not_a_recording(path, "it is empty")
    return kept


def _not_a_recording(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"{path} is no recording that can be replayed: {reason}", hint="make one with --record FILE"
    )
