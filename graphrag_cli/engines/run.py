"""What every engine does the same way around its own steps: count, time, embed, search, write, finish.

A ``Run`` belongs to one question and is made at the start of ``stream``.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from graphrag_cli.context.history import as_text, newest_turns
from graphrag_cli.engines.finish import cite, rows_by_dataset
from graphrag_cli.engines.prepare import prepared
from graphrag_cli.engines.threads import searched
from graphrag_cli.errors import (
    ContentFilterError,
    DeadlineError,
    IndexDataError,
    LimitError,
    ModelError,
    UnusableReplyError,
    VectorError,
)
from graphrag_cli.events import (
    Answer,
    Citation,
    ContextRecord,
    Event,
    Json,
    Method,
    ModelNames,
    Notice,
    Reasoning,
    RunFinished,
    RunStarted,
    RunWarning,
    SectionSummary,
    StageProgress,
    Status,
    TextDelta,
)
from graphrag_cli.index.vectors.base import made_by
from graphrag_cli.llm.around.usage import UsageMeter
from graphrag_cli.llm.base import (
    CallParams,
    ChatRequest,
    Message,
    ReplyDelta,
    ReplyEnd,
    ReplyNotice,
    ReplyReasoning,
    Stage,
    close_items,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from graphrag_cli.config.settings import CallArgs
    from graphrag_cli.engines.base import Question, Toolbox
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.index.vectors.base import Hits, VectorTable
    from graphrag_cli.llm.base import ChatModel

ReplyT = TypeVar("ReplyT", bound="BaseModel")

NO_DATA = "I do not know: the index holds nothing that answers this question."
"""The answer of status ``no_data`` when no model was asked."""


@dataclass(slots=True)
class Written:
    """How the final call ended."""

    text: str = ""
    whole: bool = True
    answered: bool = True
    """False when the model itself says that the context holds no answer."""


class Run:
    """One question on its way through an engine."""

    def __init__(self, method: Method, question: Question, tools: Toolbox) -> None:
        self.method: Method = method
        self.question = question
        self.tools = tools
        self.meter = UsageMeter(question.limits, tools.prices, tools.tokens, shared=tools.purse)
        self.chat = self.meter.chat(tools.chat)
        self.embedder = self.meter.embedder(tools.embedder)
        self.written = Written()
        self.failed: list[str] = []
        """What failed on the way, a line each."""
        self.standalone: str | None = None
        self._warnings: list[RunWarning] = []
        self._timing: dict[str, float] = {}
        self._inside: dict[str, tuple[int, float]] = {}
        """Per stage that is going on: how many are inside, and since when."""
        self._began = time.perf_counter()

    # -- small things ---------------------------------------------------------------------------------------

    @property
    def query(self) -> str:
        """The question that retrieval uses: rewritten to stand alone where there is a conversation."""
        return self.standalone or self.question.text

    @property
    def models(self) -> ModelNames:
        """Names of the models of this run."""
        embedding = None if self.method == "global" else self.embedder.name
        return ModelNames(chat=self.chat.name, embedding=embedding)

    async def opening(self) -> AsyncGenerator[Event]:
        """The first events: ``RunStarted``, what should be known before the answer, the question rewritten.

        Whoever iterates it inside another generator closes it (``contextlib.aclosing``).
        """
        summary = self.tools.snapshot.summary
        yield RunStarted(self.method, self.question.text, self.question.seed, self.models, summary)
        for remark in self.tools.remarks:
            yield self.notice(remark.code, remark.text)
        async with aclosing(prepared(self.tools.preparation)) as steps:
            async for step in steps:
                yield step
        # A resumed run goes on with the question of its state.
        if self.question.history and self.question.resume is None:
            yield StageProgress("rewrite")
            for event in await self._rewrite():
                yield event

    def notice(self, code: str, text: str) -> Notice:
        """An event for the user that is also kept as a warning of the answer; the same one is kept once."""
        warning = RunWarning(code, text)
        if warning not in self._warnings:
            self._warnings.append(warning)
        return Notice(code, text)

    @contextmanager
    def timed(self, stage: str) -> Generator[None]:
        """Adds the time spent inside to ``stage``; what runs side by side counts once."""
        inside, begun = self._inside.get(stage, (0, time.perf_counter()))
        self._inside[stage] = (inside + 1, begun)
        try:
            yield
        finally:
            inside, begun = self._inside.pop(stage)
            if inside > 1:
                self._inside[stage] = (inside - 1, begun)
            else:
                self._timing[stage] = self._timing.get(stage, 0.0) + time.perf_counter() - begun

    # -- conversation ---------------------------------------------------------------------------------------

    def turns(self, max_turns: int, max_tokens: int) -> tuple[Message, ...]:
        """The newest turns of the conversation that fit, as messages."""
        kept = newest_turns(self.question.history, max_turns, max_tokens, self.tools.tokens)
        return tuple(Message(turn.role, turn.content) for turn in kept)

    async def _rewrite(self) -> list[Event]:
        """Rewrites the question to stand alone, with one call; a failure keeps it as it is, with a notice."""
        # Loads pydantic, which a single question of local and basic never needs.
        from graphrag_cli.llm.replies import RewriteReply

        told: list[Event] = []
        history = newest_turns(
            self.question.history, len(self.question.history), self.tools.history_tokens, self.tools.tokens
        )
        prompt = self.tools.prompts["rewrite"].fill(history=as_text(history), question=self.question.text)
        messages = (Message("system", prompt), Message("user", self.question.text))
        request = ChatRequest(messages, "rewrite", RewriteReply)
        try:
            with self.timed("rewrite"):
                reply = await self.ask(request, RewriteReply, told.append, "rewrite")
        except ModelError as error:
            if error.fatal:
                raise
            failed = self.notice("rewrite.failed", f"The question is used as it stands: {error.message}")
            return [*told, failed]
        self.standalone = reply.question.strip() or None
        if self.standalone is None or self.standalone == self.question.text:
            return told
        return [*told, self.notice("rewrite", f"Understood as: {self.standalone}")]

    # -- retrieval ------------------------------------------------------------------------------------------

    async def embed(self, texts: Sequence[str], table: VectorTable) -> NDArray[np.float32]:
        """Vectors of ``texts`` by the embedder, of the width of ``table``: shape ``(len(texts), width)``."""
        check_width(self.embedder.name, self.embedder.width, table)
        with self.timed("embed"):
            vectors = await self.embedder.embed(texts)
        check_width(self.embedder.name, int(vectors.shape[1]), table)
        return vectors

    async def search(
        self, table: VectorTable, vectors: NDArray[np.float32], k: int, only: Sequence[str] | None = None
    ) -> list[Hits]:
        """``table.search`` off the event loop."""
        with self.timed("search"):
            return await searched(lambda: table.search(vectors, k, only=only))

    # -- the calls of steps ---------------------------------------------------------------------------------

    async def ask(
        self,
        request: ChatRequest,
        reply_model: type[ReplyT],
        emit: Emit,
        step_id: str,
        chat: ChatModel | None = None,
    ) -> ReplyT:
        """The reply of ``structured.ask`` to ``request``, by ``chat`` where it is another than the run's own.

        What should be known is told by ``emit`` as it comes, and at the end what the model thought: steps run side by
        side, and pieces of several thoughts would be none.
        """
        from graphrag_cli.llm.structured import ask

        thoughts: list[str] = []

        def tell(item: ReplyNotice | ReplyReasoning) -> None:
            if isinstance(item, ReplyReasoning):
                thoughts.append(item.text)
            else:
                emit(self.notice(item.code, item.text))

        reask = self.tools.prompts["reask"].text
        try:
            return await ask(chat or self.chat, request, reply_model, reask=reask, tell=tell)
        finally:
            if thoughts:
                emit(Reasoning("".join(thoughts), step_id))

    # -- the final call -------------------------------------------------------------------------------------

    async def write(
        self, messages: tuple[Message, ...], stage: Stage, params: CallParams
    ) -> AsyncGenerator[Event]:
        """Streams the final answer; ``written`` says how it ended. Raises ``ModelError`` when nothing came."""
        self.written = written = Written()
        request = ChatRequest(messages, stage, params=params, stream=self.question.stream)
        end: ReplyEnd | None = None
        items = self.chat.stream(request)
        with self.timed(stage):
            try:
                async for item in items:
                    match item:
                        case ReplyDelta(text):
                            written.text += text
                            yield TextDelta(text)
                        case ReplyReasoning(text):
                            yield Reasoning(text)
                        case ReplyNotice(code, text):
                            yield self.notice(code, text)
                        case ReplyEnd():
                            end = item
            except (DeadlineError, LimitError) as error:
                if not written.text.strip():
                    raise
                written.whole = False
                self.failed.append(f"{stage}: {error.message}")
                yield self.notice("answer.cut", f"The answer ends early: {error.message}")
                return
            finally:
                await close_items(items)
        notice = self._judge(end, stage)
        if notice is not None:
            yield notice

    def _judge(self, end: ReplyEnd | None, stage: Stage) -> Notice | None:
        reason = end.finish_reason if end else None
        outcome = end.outcome if end else "empty"
        if not self.written.text.strip():
            if outcome == "filtered":
                raise ContentFilterError(
                    f"{self.chat.name}: the provider's content filter stopped the answer",
                    hint="rephrase the question, or change the filter at the provider",
                )
            raise UnusableReplyError(
                f"{self.chat.name} sent an empty answer (finish reason: {reason or 'none'})",
                hint="a smaller max_context_tokens or a larger max_tokens often helps; --debug shows the exchange",
            )
        self.written.answered = outcome != "no_answer"
        if outcome in {"cut", "filtered"}:
            self.written.whole = False
            cause = "the provider's content filter" if outcome == "filtered" else f"finish reason {reason!r}"
            self.failed.append(f"{stage}: the answer was cut short ({cause})")
            return self.notice("answer.cut", f"The answer was cut short ({cause}).")
        return None

    # -- the end --------------------------------------------------------------------------------------------

    def nothing_found(self) -> Iterator[Event]:
        """The last events of a run for which retrieval found nothing: no model is asked."""
        text = "" if self.question.context_only else NO_DATA
        if text:
            yield TextDelta(text)
        yield self.finished((), (), status="no_data", text=text)

    def finished(
        self,
        records: Sequence[ContextRecord],
        sections: Sequence[SectionSummary],
        *,
        status: Status | None = None,
        text: str | None = None,
        drift: Json = None,
    ) -> RunFinished:
        """The last event. Unset, status and text follow from how the final call ended and what failed."""
        answer = self.written.text.strip() if text is None else text
        with self.timed("citations"):
            citations = self._cited(answer, records)
        self._timing["total"] = time.perf_counter() - self._began
        return RunFinished(
            Answer(
                method=self.method,
                question=self.question.text,
                status=status or self._status(),
                text=answer,
                citations=citations,
                context=rows_by_dataset(records),
                sections=tuple(sections),
                usage=self.meter.usage(),
                timing={stage: round(seconds, 6) for stage, seconds in self._timing.items()},
                seed=self.question.seed,
                models=self.models,
                index=self.tools.snapshot.summary,
                warnings=tuple(self._warnings),
                standalone_question=self.standalone,
                drift=drift,
                failed=tuple(self.failed),
            )
        )

    def _cited(self, answer: str, records: Sequence[ContextRecord]) -> tuple[Citation, ...]:
        try:
            return cite(self.tools.snapshot, answer, records)
        except IndexDataError as error:
            # A table that nothing but citations reads may be damaged; the answer is there and paid for.
            text = f"The citations could not be resolved: {error.message}"
            self._warnings.append(RunWarning("citations.unresolved", text))
            return ()

    def _status(self) -> Status:
        if self.failed or not self.written.whole:
            return "partial"
        return "answered" if self.written.answered else "no_data"


def check_width(model: str, width: int | None, table: VectorTable) -> None:
    """Raises ``VectorError`` when vectors of ``model`` cannot be compared with those of ``table``."""
    if width is not None and width != table.width:
        raise VectorError(
            f"{model} makes vectors of width {width}, but {table.name} holds vectors of width {table.width}{made_by(table.width)}",
            hint="set embedding_models to the model that the index was made with, "
            "or build vectors for this one: graphrag-cli index embed",
        )


def call_params(args: CallArgs) -> CallParams:
    """Settings' call arguments as parameters of a call."""
    return CallParams(**args.model_dump())
