"""A chat model behind an OpenAI-compatible endpoint. One try: retry, rate and limits are wrappers around it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from graphrag_cli.errors import ContentFilterError, ContextLengthError, ModelError
from graphrag_cli.llm.base import ReplyEnd, ReplyItem, ReplyNotice, close_items, count_prompt
from graphrag_cli.llm.endpoints.capabilities import Capabilities
from graphrag_cli.llm.endpoints.chunks import ChunkReader
from graphrag_cli.llm.endpoints.client import RefusedError
from graphrag_cli.llm.endpoints.faults import broken_off, error_of, is_too_long
from graphrag_cli.llm.endpoints.gathering import FAILED_REASONS, Gathered
from graphrag_cli.llm.endpoints.refusal import refusal_of
from graphrag_cli.llm.reading.reasoning import ReasoningFilter

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatRequest, TokenCounter
    from graphrag_cli.llm.endpoints.client import Body, Client
    from graphrag_cli.llm.endpoints.faults import Target
    from graphrag_cli.llm.endpoints.refusal import Refusal
    from graphrag_cli.llm.endpoints.wire import Chunk

_MOST_CHANGES = 12
"""Times one request is changed for what the endpoint does not take: more than there are things to change."""
_SHORTFALL = 0.5
"""A server that reports less than this share of our count has cut the prompt, whatever its tokenizer."""
_SMALLEST_CUT = 400
"""Tokens; smaller differences may be those of templates and tokenizers."""


class OpenAIChat:
    """``ChatModel`` over the openai SDK."""

    def __init__(
        self,
        client: Client,
        tokens: TokenCounter,
        capabilities: Capabilities | None = None,
        *,
        window: int | None = None,
    ) -> None:
        self._client = client
        self._tokens = tokens
        self._capabilities = capabilities or Capabilities()
        self._window = window
        self._warned_of_cut = False
        self._reasons_unmarked = False

    @property
    def name(self) -> str:
        """As settings name it."""
        return self._client.endpoint.model

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """See ``ChatModel.stream``. Text that was yielded before an error is raised is the caller's to judge."""
        prompt = count_prompt(request.messages, self._tokens)
        self._check_window(prompt, request)
        for _ in range(_MOST_CHANGES):
            body = self._capabilities.body(request, self._client.endpoint.wire_model)
            items = self._call(request, body, prompt)
            try:
                async for item in items:
                    yield item
            except RefusedError as refused:
                refusal = refused.refusal
            else:
                return
            finally:
                await close_items(items)
            if change := self._learn(refusal, body):
                yield ReplyNotice("model.adapted", f"{self._client.target.shown} {change}")
        raise ModelError(f"{self._client.target.shown} refuses the request however it is made")

    async def aclose(self) -> None:
        """Closes the client, which other models of the same endpoint may share."""
        await self._client.aclose()

    def _check_window(self, prompt: int, request: ChatRequest) -> None:
        reserved = request.params.max_completion_tokens or request.params.max_tokens or 0
        if self._window is not None and prompt + reserved > self._window:
            raise ContextLengthError(
                f"the prompt of {prompt:,} tokens"
                + (f" and a reply of up to {reserved:,}" if reserved else "")
                + f" do not fit the window of {self._window:,} tokens of {self._client.target.shown}",
                hint="lower `max_context_tokens` of the search, or correct `max_context_window` of the model",
                limit=self._window,
                requested=prompt + reserved,
            )

    def _learn(self, refusal: Refusal, body: dict[str, object]) -> str:
        """What changed for the next try; raises the error for a refusal that teaches nothing."""
        error = error_of(refusal, self._client.target)
        # Gateways refuse to stream with these as well, so what they mean shows without the stream.
        unclear = body.get("stream") and refusal.status in (403, 405)
        if is_too_long(refusal) or isinstance(error, ContentFilterError) or (error.fatal and not unclear):
            raise error
        change = self._capabilities.learn(refusal, body)
        if change is None:
            raise error
        return change

    async def _call(
        self, request: ChatRequest, body: dict[str, object], prompt: int
    ) -> AsyncIterator[ReplyItem]:
        gathered = Gathered(
            raw=request.reply_model is not None, filter=ReasoningFilter(begun=self._reasons_unmarked)
        )
        async with (
            self._client.chat(body) as reply,
            aclosing(_chunks(reply, self._client.target)) as chunks,
        ):
            async for chunk in chunks:
                self._check(chunk)
                for item in gathered.add(chunk):
                    yield item
        for item in gathered.rest():
            yield item
        self._reasons_unmarked = self._reasons_unmarked or gathered.ends_unmarked()
        outcome = gathered.outcome()
        for notice in (*gathered.notices(outcome, self.name), *self._cut_notice(gathered, prompt)):
            yield notice
        usage = gathered.usage(prompt, self._tokens)
        yield ReplyEnd(outcome, usage, gathered.finish_reason, gathered.model)

    def _check(self, chunk: Chunk) -> None:
        if chunk.error:
            refusal = refusal_of(chunk.error, 0)
            raise (
                RefusedError(refusal)
                if refusal.status in (400, 422)
                else error_of(refusal, self._client.target)
            )
        if chunk.finish_reason in FAILED_REASONS:
            raise broken_off(self._client.target, f"finish reason {chunk.finish_reason!r}")

    def _cut_notice(self, gathered: Gathered, prompt: int) -> list[ReplyNotice]:
        """A warning, once, when the server reports far fewer prompt tokens than were sent."""
        reported = gathered.prompt_tokens
        if not reported or self._warned_of_cut:
            return []
        if reported >= prompt * _SHORTFALL or prompt - reported < _SMALLEST_CUT:
            return []
        self._warned_of_cut = True
        return [
            ReplyNotice(
                "model.prompt_cut",
                f"{self._client.target.shown} read {reported:,} tokens of a prompt of about {prompt:,}: it seems to "
                "cut prompts in silence, so the answer may miss most of the context. With Ollama, raise `num_ctx` "
                f"of the model (PARAMETER num_ctx {_next_power(prompt)}), or lower `max_context_tokens` of the search",
            )
        ]


async def _chunks(reply: Body, target: Target) -> AsyncGenerator[Chunk]:
    reader = ChunkReader(target, reply.content_type)
    async for piece in reply.pieces():
        for chunk in reader.feed(piece):
            yield chunk
    for chunk in reader.finish():
        yield chunk


def _next_power(tokens: int) -> int:
    """The next power of two above ``tokens`` with room for a reply."""
    size = 4096
    while size < tokens + 1024:
        size *= 2
    return size
