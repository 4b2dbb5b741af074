"""One reply as its chunks add up: what may be shown, how it ended, what people should know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag_cli.llm.base import CallUsage, Outcome, ReplyDelta, ReplyItem, ReplyNotice, ReplyReasoning
from graphrag_cli.llm.reading.decode import clean_text
from graphrag_cli.llm.reading.reasoning import ReasoningFilter, orphan_close, strip_reasoning

if TYPE_CHECKING:
    from graphrag_cli.llm.base import TokenCounter
    from graphrag_cli.llm.endpoints.wire import Chunk

_CUT_REASONS = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_FILTER_REASONS = frozenset(
    {"content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
)
FAILED_REASONS = frozenset({"error", "insufficient_system_resource", "abort", "cancelled"})
"""Finish reasons that mean that the provider gave up."""


@dataclass(slots=True)
class Gathered:
    """One reply as it adds up. With ``raw``, reasoning stays in the text: the reader of JSON takes it out."""

    raw: bool
    filter: ReasoningFilter = field(default_factory=ReasoningFilter)
    text: str = ""
    reasoning: str = ""
    arguments: str = ""
    refusal: str = ""
    finish_reason: str | None = None
    prompt_tokens: int = 0
    output_tokens: int = 0
    model: str | None = None
    extra: str = ""
    _untold: list[str] = field(default_factory=list[str])
    """Pieces of reasoning that were not given out yet."""
    _taken: int = 0
    """How many pieces were taken from ``filter`` for them."""
    _half: str = ""
    """The first half of a surrogate pair that two pieces share."""

    def add(self, chunk: Chunk) -> list[ReplyItem]:
        """Takes a chunk in; gives what may be shown for it."""
        if chunk.reasoning:
            self.reasoning += chunk.reasoning
            self._untold.append(chunk.reasoning)
        self.arguments += chunk.arguments
        self.refusal += chunk.refusal
        self.finish_reason = chunk.finish_reason or self.finish_reason
        self.prompt_tokens = chunk.prompt_tokens or self.prompt_tokens
        self.output_tokens = chunk.output_tokens or self.output_tokens
        self.model = chunk.model or self.model
        self.extra = chunk.extra or self.extra
        text = self._characters(chunk.text)
        return self._items(self._let_through(text if self.raw else self.filter.feed(text)))

    def rest(self) -> list[ReplyItem]:
        """What is left to show at the end: text held back, or what stands in for text that never came."""
        return self._items(self._last_text())

    def usage(self, prompt: int, tokens: TokenCounter) -> CallUsage:
        """As the server counted; our own count, with ``prompt`` tokens sent, where it did not."""
        if self.prompt_tokens:
            return CallUsage(self.prompt_tokens, self.output_tokens)
        output = self.output_tokens or tokens.count(self.text + self.reasoning)
        return CallUsage(prompt, output, counted=True)

    def _items(self, text: str) -> list[ReplyItem]:
        """The reasoning that came before ``text``, and it. That in the text of a ``raw`` reply is told at the end alone."""
        if self.filter.certain and len(self.filter.reasoning) > self._taken:
            self._untold += self.filter.reasoning[self._taken :]
            self._taken = len(self.filter.reasoning)
        thought, self._untold = "".join(self._untold), []
        items: list[ReplyItem] = [ReplyReasoning(thought)] if thought else []
        return [*items, ReplyDelta(text)] if text else items

    def _last_text(self) -> str:
        shown = "" if self.raw else self._let_through(self.filter.finish())
        self.reasoning += "".join(self.filter.reasoning)
        if self.raw:
            self._untold.append(strip_reasoning(self.text).reasoning)
        if self.text.strip():
            return shown
        if self.arguments:
            return shown + self._let_through(self.arguments)
        if self.raw and self.reasoning:
            return shown + self._let_through(f"<think>{self.reasoning}")
        return shown

    def outcome(self) -> Outcome:
        """How the reply ended."""
        if self._reason in _FILTER_REASONS or (self.refusal and not self.text.strip()):
            return "filtered"
        if not self.text.strip() or (
            self.raw and not strip_reasoning(self.text).text.strip() and not self._usable()
        ):
            return "empty"
        return "cut" if self._reason in _CUT_REASONS else "ok"

    def notices(self, outcome: Outcome, model: str) -> list[ReplyNotice]:
        """What people should know of a reply beyond its outcome."""
        reason = f" (finish reason {self.finish_reason!r})" if self.finish_reason else ""
        if outcome == "empty" and self.reasoning:
            text = f"{model!r} sent nothing but reasoning{reason}; a higher `max_tokens` leaves room for the answer"
            return [ReplyNotice("reply.only_reasoning", text)]
        if outcome == "empty":
            extra = f"; the server added {self.extra[:300]}" if self.extra else ""
            return [ReplyNotice("reply.empty", f"{model!r} sent an empty reply{reason}{extra}")]
        if outcome == "filtered" and self.refusal:
            refusal = " ".join(self.refusal.split())[:300]
            return [ReplyNotice("reply.refused", f"{model!r} refused to answer: {refusal}")]
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
        return "{" in self.text and self._reason not in _CUT_REASONS

    @property
    def _reason(self) -> str:
        """The finish reason to compare with: some gateways shout."""
        return (self.finish_reason or "").lower()

    def _characters(self, text: str) -> str:
        """The whole characters of ``text``, fit to be printed."""
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return clean_text(text.removesuffix(self._half))

    def _let_through(self, text: str) -> str:
        if not self.text:
            text = text.removeprefix("\ufeff")
        self.text += text
        return text
