"""One tolerant reader for every JSON step: reads what models really send, and says what was wrong with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pydantic import BaseModel

from graphrag_cli.errors import ContentFilterError, ContextLengthError, UnusableReplyError
from graphrag_cli.llm.around.base import ChatAround
from graphrag_cli.llm.base import Message, ReplyNotice, ReplyReasoning, close_items, complete
from graphrag_cli.llm.reading import reader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from graphrag_cli.llm.base import ChatModel, ChatReply, ChatRequest, ReplyItem

ReplyT = TypeVar("ReplyT", bound=BaseModel)

Tell: TypeAlias = "Callable[[ReplyNotice | ReplyReasoning], None]"

UNRATED = 1.0
"""Score of a text whose own one cannot be read, not even on the second try: the lowest that still counts."""
_QUOTED_REPLY = 1500
"""Characters of the unusable reply that the second request quotes."""
_QUOTED_DEFECTS = 5
"""Defects that a message names."""


class _Telling(ChatAround):
    """Tells of notices and reasoning as they come, however the call ends."""

    def __init__(self, inner: ChatModel, tell: Tell) -> None:
        super().__init__(inner)
        self._tell = tell

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """See ``ChatModel.stream``."""
        items = self._inner.stream(request)
        try:
            async for item in items:
                if isinstance(item, ReplyNotice | ReplyReasoning):
                    self._tell(item)
                yield item
        finally:
            await close_items(items)


def read_reply(
    text: str, reply_model: type[ReplyT], *, cut: bool = False, unrated: float | None = None
) -> tuple[ReplyT | None, list[str]]:
    """``text`` as ``reply_model``, with the defects mended on the way; None when nothing usable is in it.

    ``cut`` says that a length limit cut the reply: then what is complete is kept, and its unfinished end is not.
    ``unrated`` is the score of a text that comes without a readable one; None leaves such a text out.
    """
    return reader.read(text, reply_model, cut=cut, unrated=unrated)


async def ask(
    chat: ChatModel,
    request: ChatRequest,
    reply_model: type[ReplyT],
    *,
    reask: str,
    tell: Tell = lambda _item: None,
) -> ReplyT:
    """Calls ``chat`` for a reply of that shape; when it cannot be read, asks once more with the defect named.

    A text that has no readable score even then counts as ``UNRATED``, with a notice.

    ``reask`` is the text of that second request, with ``{defect}`` in it. ``tell`` hears of every notice and of what
    the model thought as it comes, also when the call fails in the end. Raises ``UnusableReplyError`` after the
    second unusable reply, ``ContentFilterError`` when the provider's filter stopped it, and any other
    ``ModelError`` as it comes.
    """
    request = replace(request, reply_model=reply_model)
    chat = _Telling(chat, tell)
    first = await complete(chat, request)
    value, defects = _read(first, reply_model, chat.name)
    if value is not None:
        return value
    again = _second_request(request, first, reask.replace("{defect}", _in_words(defects)))
    text = f"a {request.stage} reply could not be read ({_in_words(defects)}); asked again"
    tell(ReplyNotice("reply.reask", text))
    try:
        second = await complete(chat, again)
    except ContextLengthError as error:
        raise _unusable(chat.name, request, defects) from error
    value, defects = _read(second, reply_model, chat.name)
    if value is None:
        value = _without_scores((second, first), reply_model)
        if value is None:
            raise _unusable(chat.name, request, defects)
        tell(_unrated_notice(request, defects))
    return value


def _without_scores(replies: Sequence[ChatReply], model: type[ReplyT]) -> ReplyT | None:
    """The first of ``replies`` whose text can be read when the lack of a score is let pass; None when there is none."""
    for reply in replies:
        value, _ = read_reply(reply.text, model, cut=reply.outcome == "cut", unrated=UNRATED)
        if value is not None:
            return value
    return None


def _unrated_notice(request: ChatRequest, defects: list[str]) -> ReplyNotice:
    text = f"a {request.stage} reply came without readable scores ({_in_words(defects)}); its text counts as {UNRATED:g}"
    return ReplyNotice("reply.unrated", text)


def _read(reply: ChatReply, model: type[ReplyT], name: str) -> tuple[ReplyT | None, list[str]]:
    if reply.outcome == "filtered":
        raise ContentFilterError(
            f"the provider's content filter stopped the reply of {name!r}",
            hint="the text of the index or the question set it off; other batches and steps go on",
        )
    return read_reply(reply.text, model, cut=reply.outcome == "cut")


def _second_request(request: ChatRequest, reply: ChatReply, text: str) -> ChatRequest:
    """The first request, the reply it got (shortened) and what was wrong with it."""
    quoted = _shorten(reply.text.strip())
    turns = (Message("assistant", quoted),) if quoted else ()
    return replace(request, messages=(*request.messages, *turns, Message("user", text)))


def _shorten(text: str) -> str:
    if len(text) <= _QUOTED_REPLY:
        return text
    half = _QUOTED_REPLY // 2
    return f"{text[:half]}\n[…]\n{text[-half:]}"


def _in_words(defects: list[str]) -> str:
    return "; ".join(defects[-_QUOTED_DEFECTS:])


def _unusable(name: str, request: ChatRequest, defects: list[str]) -> UnusableReplyError:
    return UnusableReplyError(
        f"the {request.stage} reply of {name!r} could not be used, even after a second try: {_in_words(defects)}",
        hint="a larger model follows formats better; `structured_output: schema` makes servers that know it "
        "enforce the shape; a higher `max_tokens` helps against cut replies",
    )
