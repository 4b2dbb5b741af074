"""Gives a model's calls the parameters that its settings name, where a call sets none of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag_cli.llm.around.base import ChatAround

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from graphrag_cli.llm.base import CallParams, ChatModel, ChatRequest, ReplyItem


class DefaultedChat(ChatAround):
    """A chat model with parameters of its own.

    It goes around recording and cache, so that what they keep is told apart by the parameters really sent.
    """

    def __init__(self, inner: ChatModel, defaults: CallParams) -> None:
        super().__init__(inner)
        self._defaults = defaults

    def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """See ``ChatModel.stream``."""
        return self._inner.stream(replace(request, params=request.params.over(self._limits(request.params))))

    def _limits(self, given: CallParams) -> CallParams:
        """The defaults, without a second limit on the reply beside the one that the call sets."""
        if given.max_tokens is None and given.max_completion_tokens is None:
            return self._defaults
        return replace(self._defaults, max_tokens=None, max_completion_tokens=None)
