"""Chunks out of the body of a reply, in whichever form it comes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag_cli import jsontext
from graphrag_cli.llm.endpoints.faults import broken_off, not_an_api
from graphrag_cli.llm.endpoints.wire import BodyKind, Chunk, EventDecoder, body_kind, read_chunk

if TYPE_CHECKING:
    from graphrag_cli.llm.endpoints.faults import Target

_QUOTED = 200
"""Characters of a body that is no reply, for the message."""
_TELLING = len("event:") + 3
"""Bytes, a mark in front included, that tell events from JSON."""
_SIGN_OF_LIFE = re.compile(r"\[?(?:ping|pong|keep[-_ ]?alive|heart[-_ ]?beat)\]?", re.IGNORECASE)
"""What gateways send as the data of an event so that the connection is not taken for dead."""


@dataclass(slots=True)
class ChunkReader:
    """Fed the bytes of one reply; gives chunks, whether it is a stream of events or one JSON value.

    Servers ignore what was asked for, so the form is told from the body. Raises ``ModelError`` when the body is
    no reply at all, or ends before it says that it is whole.
    """

    target: Target
    content_type: str
    _decoder: EventDecoder = field(default_factory=EventDecoder)
    _beginning: bytes = b""
    _kind: BodyKind | None = None
    _finished: bool = False
    _ended: bool = False
    """True after the end mark: nothing that still comes is part of the reply."""
    _seen: bool = False

    def feed(self, piece: bytes, *, last: bool = False) -> Iterator[Chunk]:
        """The chunks that ``piece`` completes; a body that begins in tiny pieces is not judged before it tells."""
        if self._kind is None:
            self._beginning += piece
            size = len(self._beginning.strip())
            if size == 0 or (size < _TELLING and not last):
                return
            self._kind = body_kind(self.content_type, self._beginning[:400].decode("utf-8", "replace"))
            piece, self._beginning = self._beginning, b""
        if self._kind == "events":
            for data in self._decoder.feed(piece):
                yield from self._event(data, last=False)
        else:
            self._beginning += piece

    def finish(self) -> Iterator[Chunk]:
        """What is left at the end of the body."""
        yield from self.feed(b"", last=True)
        if self._kind != "events":
            yield self._whole(self._beginning.decode("utf-8", "replace"))
            return
        for data in self._decoder.feed(b"", final=True):
            yield from self._event(data, last=True)
        if not self._finished:
            raise broken_off(self.target, "the stream ended early" if self._seen else "the stream was empty")

    def _event(self, data: str, *, last: bool) -> Iterator[Chunk]:
        """The chunks of one event; the end mark is none, nor is the torn last event of a cut stream."""
        data = data.strip()
        if data == "[DONE]":
            self._finished = self._ended = True
        if not data or self._ended:
            return
        try:
            value: object = jsontext.decode(data, strict=False)
        except ValueError:
            if "\n" in data:  # several events, with no empty line between them
                for line in data.split("\n"):
                    yield from self._event(line, last=last)
                return
            if last or _SIGN_OF_LIFE.fullmatch(data):
                return
            raise not_an_api(self.target, f"an event that is not JSON: {data[:_QUOTED]}") from None
        chunk = read_chunk(value)
        self._seen = True
        self._finished = self._finished or chunk.finish_reason is not None
        yield chunk

    def _whole(self, text: str) -> Chunk:
        shown = " ".join(text.split())[:_QUOTED]
        if not shown:
            raise broken_off(self.target, "the reply has no body")
        try:
            value: object = jsontext.decode(text.lstrip("\ufeff"), strict=False)
        except ValueError:
            value = None
            shown = "a web page" if text.lstrip().startswith("<") else shown
        chunk = read_chunk(value)
        if not chunk.is_reply and not chunk.error:
            raise not_an_api(self.target, shown)
        return chunk
