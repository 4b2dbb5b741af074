"""The last step of local and basic search: build the context, send it, and shorten it when it is too long."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from graphrag_cli.engines.run import Run
from graphrag_cli.errors import ContextLengthError
from graphrag_cli.events import ContextBuilt, Event, StageProgress
from graphrag_cli.llm.base import CallParams, Message

if TYPE_CHECKING:
    from graphrag_cli.context.bundle import ContextBundle

MAX_SHRINKS = 4
"""A context is halved at most so often before the model's refusal stands."""

REPLY_ROOM = 1024
"""Tokens left for the answer in a known window, where settings do not say how long it may be."""

UNLIMITED = 1 << 31


async def write_fitting(
    run: Run,
    budget: int,
    build: Callable[[int], Awaitable[ContextBundle]],
    prompt: Callable[[str], str],
    max_turns: int,
    params: CallParams,
) -> AsyncGenerator[Event]:
    """Yields everything from ``ContextBuilt`` to ``RunFinished``.

    ``build`` makes the context for a budget in tokens, ``prompt`` the system prompt around its text. When the
    model says that the prompt is too long, the budget is halved, with a notice.
    """
    question = run.question
    turns = run.turns(max_turns, run.tools.history_tokens)
    spent = sum(run.tools.tokens.count(turn.content) for turn in turns)
    budget = min(max(1, budget - spent), room_in_window(run, prompt(""), spent, params))
    for shrinks in range(MAX_SHRINKS + 1):
        with run.timed("context"):
            bundle = await build(budget)
        system = prompt(bundle.text)
        yield ContextBuilt(bundle.records, bundle.summaries, bundle.tokens, system)
        if question.context_only:
            status = "no_data" if bundle.is_empty else "answered"
            yield run.finished(bundle.records, bundle.summaries, status=status, text="")
            return
        yield StageProgress("answer")
        messages = (Message("system", system), *turns, Message("user", run.query))
        try:
            async with aclosing(run.write(messages, "answer", params)) as events:
                async for event in events:
                    yield event
        except ContextLengthError:
            if shrinks == MAX_SHRINKS:
                raise
            budget = max(1, min(budget, bundle.tokens) // 2)
            yield run.notice(
                "context.shortened",
                f"The prompt is longer than the model's window; trying again with {budget} tokens of context.",
            )
            continue
        yield run.finished(bundle.records, bundle.summaries)
        return


def room_in_window(run: Run, prompt: str, spent: int, params: CallParams) -> int:
    """Tokens that a context may have so that prompt, conversation, question and reply fit the model's window.

    ``spent`` are the tokens of the conversation. At least 1; ``UNLIMITED`` where the window is not known.
    """
    if run.tools.window is None:
        return UNLIMITED
    count = run.tools.tokens.count
    reply = params.max_completion_tokens or params.max_tokens or REPLY_ROOM
    return max(1, run.tools.window - reply - spent - count(prompt) - count(run.query))
