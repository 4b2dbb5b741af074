"""One tolerant reader for every JSON step: reads what models really send, and says what was wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatModel, ChatRequest, ReplyNotice

ReplyT = TypeVar("ReplyT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Structured(Generic[ReplyT]):
    """A reply that was read: its value, and what had to be mended to read it."""

    value: ReplyT
    defects: tuple[str, ...]
    notices: tuple[ReplyNotice, ...]


def read_reply(text: str, reply_model: type[ReplyT]) -> tuple[ReplyT | None, list[str]]:
    """``text`` as ``reply_model``, with the defects mended on the way; None when nothing usable is in it."""
    raise NotImplementedError


async def ask(
    chat: ChatModel, request: ChatRequest, reply_model: type[ReplyT], *, reask: str
) -> Structured[ReplyT]:
    """Calls ``chat`` for a reply of that shape; when it cannot be read, asks once more with the defect named.

    ``reask`` is the text of that second request, with ``{defect}`` in it. Raises ``UnusableReplyError`` after the
    second unusable reply, ``ContentFilterError`` when the provider's filter stopped it, and any other
    ``ModelError`` as it comes.
    """
    raise NotImplementedError
