"""How the engines speak to models: two protocols and the values that cross them.

Everything else in this folder implements or wraps them: an adapter speaks a wire protocol, and retry, rate
limits, recording, caching and metering are wrappers with the same two shapes, so that an engine cannot tell
them apart.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

Role: TypeAlias = Literal["system", "user", "assistant"]

Stage: TypeAlias = Literal[
    "embed", "rewrite", "answer", "map", "reduce", "rate", "hyde", "primer", "step", "check"
]
"""What a call is for; usage is added up by it."""

Outcome: TypeAlias = Literal["ok", "empty", "cut", "filtered", "no_answer"]
"""How a reply ended when the call itself did not fail: whole; without text; cut by the length limit or a
broken stream after text was shown; stopped by the provider's filter; whole, and saying that the context holds
no answer (only a model that can know this reports it: the embedded answerer)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class CallParams:
    """Sampling parameters. None means unset, and unset is never sent."""

    temperature: float | None = None
    top_p: float | None = None
    n: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    reasoning_effort: str | None = None

    def over(self, base: CallParams) -> CallParams:
        """These parameters where set, else those of ``base``."""
        picked = {
            name: value if (value := getattr(self, name)) is not None else getattr(base, name)
            for name in CallParams.__dataclass_fields__
        }
        return CallParams(**picked)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call to a chat model.

    ``reply_model`` asks for a JSON reply of that shape; the adapter makes of it whatever the endpoint
    understands, and ``structured.ask`` reads what comes back. ``stream`` asks for text as it is written.
    """

    messages: tuple[Message, ...]
    stage: Stage
    reply_model: type[BaseModel] | None = None
    params: CallParams = field(default_factory=CallParams)
    stream: bool = False


@dataclass(frozen=True, slots=True)
class CallUsage:
    """Tokens of one call; ``counted`` when they are our count because the server sent none."""

    prompt_tokens: int = 0
    output_tokens: int = 0
    counted: bool = False


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """The next piece of a reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyReasoning:
    """The next piece of what the model thought before it replied: no part of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyNotice:
    """Something that happened on the way and that the user should know (a retry, a dropped parameter)."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplyEnd:
    """The last item of every reply that did not raise."""

    outcome: Outcome
    usage: CallUsage
    finish_reason: str | None = None
    model: str | None = None


ReplyItem: TypeAlias = ReplyDelta | ReplyReasoning | ReplyNotice | ReplyEnd


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A whole reply: the fold over ``ChatModel.stream``."""

    text: str
    outcome: Outcome
    usage: CallUsage
    finish_reason: str | None = None
    notices: tuple[ReplyNotice, ...] = ()
    reasoning: str = ""
    """What the model thought before, where it shows that."""


class ChatModel(Protocol):
    """A model that answers messages with text."""

    @property
    def name(self) -> str:
        """As settings name it, for people and for the price table."""
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """Yields any number of deltas, pieces of reasoning and notices, then exactly one ``ReplyEnd``.

        Raises ``ModelError`` (or a subclass) when no usable reply can be had. Works the same whether
        ``request.stream`` is set; unset, the whole text may come as one delta.
        """
        ...

    async def aclose(self) -> None:
        """Frees connections. Safe to call twice."""
        ...


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """As settings name it."""
        ...

    @property
    def width(self) -> int | None:
        """Length of its vectors, where that is known before the first call."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text, in order: shape ``(len(texts), width)``, finite, no zero rows.

        Long texts are embedded in windows and averaged. Raises ``ModelError``.
        """
        ...

    async def aclose(self) -> None:
        """Frees connections. Safe to call twice."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as the model does, or as near as can be had offline."""

    @property
    def name(self) -> str:
        """Name of the encoding."""
        ...

    def count(self, text: str) -> int:
        """Number of tokens in ``text``."""
        ...

    def truncate(self, text: str, limit: int) -> str:
        """The longest prefix of ``text`` of at most ``limit`` tokens, cut at a character boundary."""
        ...


async def close_items(items: AsyncIterator[ReplyItem]) -> None:
    """Ends a reply that is not read to its end, so that its connection is freed now and not by the collector."""
    if isinstance(items, AsyncGenerator):
        await items.aclose()


async def complete(chat: ChatModel, request: ChatRequest) -> ChatReply:
    """The whole reply to ``request``: folds the stream."""
    parts: list[str] = []
    thoughts: list[str] = []
    notices: list[ReplyNotice] = []
    end = ReplyEnd("empty", CallUsage())
    async for item in chat.stream(request):
        match item:
            case ReplyDelta(text):
                parts.append(text)
            case ReplyReasoning(text):
                thoughts.append(text)
            case ReplyNotice():
                notices.append(item)
            case ReplyEnd():
                end = item
    text, reasoning = "".join(parts), "".join(thoughts)
    return ChatReply(text, end.outcome, end.usage, end.finish_reason, tuple(notices), reasoning)


TOKENS_PER_MESSAGE = 4
"""What chat formats add around each message: its role and separators."""
TOKENS_PER_PROMPT = 3
"""What chat formats add once, to open the reply."""


def count_prompt(messages: Iterable[Message], tokens: TokenCounter) -> int:
    """Tokens that ``messages`` take as a prompt, with what chat formats add around each."""
    return TOKENS_PER_PROMPT + sum(TOKENS_PER_MESSAGE + tokens.count(turn.content) for turn in messages)
