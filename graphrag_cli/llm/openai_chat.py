"""A chat model behind an OpenAI-compatible endpoint. One try: retry, rate and limits are wrappers around it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.errors import AuthError, ContentFilterError, ContextLengthError, ModelError
from graphrag_cli.llm.base import (
    CallUsage,
    Outcome,
    ReplyDelta,
    ReplyEnd,
    ReplyItem,
    ReplyNotice,
    close_items,
)
from graphrag_cli.llm.capabilities import Capabilities
from graphrag_cli.llm.chunks import ChunkReader
from graphrag_cli.llm.faults import broken_off, error_of, is_too_long
from graphrag_cli.llm.openai_client import RefusedError
from graphrag_cli.llm.reading.reasoning import ReasoningFilter, orphan_close, strip_reasoning
from graphrag_cli.llm.refusal import refusal_of
from graphrag_cli.llm.usage import count_prompt

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatRequest, TokenCounter
    from graphrag_cli.llm.faults import Target
    from graphrag_cli.llm.openai_client import Body, Client
    from graphrag_cli.llm.refusal import Refusal
    from graphrag_cli.llm.wire import Chunk

_MOST_CHANGES = 12
"""Times one request is changed for what the endpoint does not take: more than there are things to change."""
_CUT_REASONS = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_FILTER_REASONS = frozenset({"content_filter", "safety", "recitation", "prohibited_content"})
_FAILED_REASONS = frozenset({"error", "insufficient_system_resource", "abort", "cancelled"})
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
        final = is_too_long(refusal) or isinstance(error, ContentFilterError)
        if final or (isinstance(error, AuthError) and not body.get("stream")):
            raise error
        change = self._capabilities.learn(refusal, body)
        if change is None:
            raise error
        return change

    async def _call(
        self, request: ChatRequest, body: dict[str, object], prompt: int
    ) -> AsyncIterator[ReplyItem]:
        gathered = _Gathered(
            raw=request.reply_model is not None, filter=ReasoningFilter(begun=self._reasons_unmarked)
        )
        async with (
            self._client.chat(body) as reply,
            aclosing(_chunks(reply, self._client.target)) as chunks,
        ):
            async for chunk in chunks:
                self._check(chunk)
                if text := gathered.add(chunk):
                    yield ReplyDelta(text)
        if text := gathered.rest():
            yield ReplyDelta(text)
        self._reasons_unmarked = self._reasons_unmarked or gathered.ends_unmarked()
        end = self._end(gathered, prompt)
        for notice in (*gathered.notices(end.outcome, self.name), *self._cut_notice(gathered, prompt)):
            yield notice
        yield end

    def _check(self, chunk: Chunk) -> None:
        if chunk.error:
            refusal = refusal_of(chunk.error, 0)
            raise (
                RefusedError(refusal)
                if refusal.status in (400, 422)
                else error_of(refusal, self._client.target)
            )
        if chunk.finish_reason in _FAILED_REASONS:
            raise broken_off(self._client.target, f"finish reason {chunk.finish_reason!r}")

    def _end(self, gathered: _Gathered, prompt: int) -> ReplyEnd:
        usage = CallUsage(gathered.prompt_tokens, gathered.output_tokens)
        if not usage.prompt_tokens:
            output = usage.output_tokens or self._tokens.count(gathered.text + gathered.reasoning)
            usage = CallUsage(prompt, output, counted=True)
        return ReplyEnd(gathered.outcome(), usage, gathered.finish_reason, gathered.model)

    def _cut_notice(self, gathered: _Gathered, prompt: int) -> list[ReplyNotice]:
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


@dataclass(slots=True)
class _Gathered:
    """One reply as it adds up. With ``raw``, reasoning stays in the text: the reader of JSON takes it out."""

    raw: bool
    filter: ReasoningFilter
    text: str = ""
    reasoning: str = ""
    arguments: str = ""
    refusal: str = ""
    finish_reason: str | None = None
    prompt_tokens: int = 0
    output_tokens: int = 0
    model: str | None = None
    extra: str = ""

    def add(self, chunk: Chunk) -> str:
        """Takes a chunk in; gives the text that may be shown for it."""
        self.reasoning += chunk.reasoning
        self.arguments += chunk.arguments
        self.refusal += chunk.refusal
        self.finish_reason = chunk.finish_reason or self.finish_reason
        self.prompt_tokens = chunk.prompt_tokens or self.prompt_tokens
        self.output_tokens = chunk.output_tokens or self.output_tokens
        self.model = chunk.model or self.model
        self.extra = chunk.extra or self.extra
        return self._let_through(chunk.text if self.raw else self.filter.feed(chunk.text))

    def rest(self) -> str:
        """What is left to show at the end: text held back, or what stands in for text that never came."""
        shown = "" if self.raw else self._let_through(self.filter.finish())
        self.reasoning += "".join(self.filter.reasoning)
        if self.text.strip():
            return shown
        if self.arguments:
            return shown + self._let_through(self.arguments)
        if self.raw and self.reasoning:
            return shown + self._let_through(f"<think>{self.reasoning}")
        return shown + self._let_through(self.refusal)

    def outcome(self) -> Outcome:
        """How the reply ended."""
        if self.finish_reason in _FILTER_REASONS:
            return "filtered"
        if not self.text.strip() or (
            self.raw and not strip_reasoning(self.text).text.strip() and not self._usable()
        ):
            return "empty"
        return "cut" if self.finish_reason in _CUT_REASONS else "ok"

    def notices(self, outcome: Outcome, model: str) -> list[ReplyNotice]:
        """What people should know of a reply that is not whole."""
        reason = f" (finish reason {self.finish_reason!r})" if self.finish_reason else ""
        if outcome == "empty" and self.reasoning:
            text = f"{model!r} sent nothing but reasoning{reason}; a higher `max_tokens` leaves room for the answer"
            return [ReplyNotice("reply.only_reasoning", text)]
        if outcome == "empty":
            extra = f"; the server added {self.extra[:300]}" if self.extra else ""
            return [ReplyNotice("reply.empty", f"{model!r} sent an empty reply{reason}{extra}")]
        if outcome == "cut" and not self.raw:
            return [ReplyNotice("reply.cut", f"the reply of {model!r} was cut by its length limit{reason}")]
        if outcome == "filtered":
            return [
                ReplyNotice("reply.filtered", f"the provider's content filter stopped the reply of {model!r}")
            ]
        if self.filter.late_close:
            text = f"{model!r} shows its reasoning without marking where it begins; it is part of the text"
            return [ReplyNotice("reply.unmarked_reasoning", text)]
        return []

    def ends_unmarked(self) -> bool:
        """Whether the model began with reasoning although nothing marked it: its prompt opens the block."""
        return self.filter.late_close or (self.raw and orphan_close(self.text) is not None)

    def _usable(self) -> bool:
        """Reasoning that never closes may hold the object that was asked for."""
        return "{" in self.text and self.finish_reason not in _CUT_REASONS

    def _let_through(self, text: str) -> str:
        self.text += text
        return text


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
