"""Scripted models for DRIFT runs: replies that follow from the question alone, never from the order of calls."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from graphrag_cli.config.settings import DriftSearchSettings
from graphrag_cli.engines.base import Toolbox
from graphrag_cli.engines.drift.engine import DriftSearch
from graphrag_cli.events import Json
from graphrag_cli.llm.base import ChatRequest
from graphrag_cli.llm.in_process.scripted import (
    HashEmbedder,
    Matcher,
    Reply,
    Scripted,
    ScriptedChat,
    as_reply,
    by_stage,
)
from tests.engines import kit
from tests.engines.kit import Seen, question, toolbox

ASKED = "Who reached the South Pole first?"
WIDTH = 384
"""As wide as the sample's stored vectors."""
SMALL = {"local_search_max_data_tokens": 500, "primer_llm_max_tokens": 1500}
"""Small contexts, for tests that are not about them."""


def drawn(request: ChatRequest) -> random.Random:
    """A source of chance that depends on the stage and the question (for folds: on the reports too)."""
    parts = [request.stage, request.messages[-1].content]
    if request.stage == "primer":
        parts.append(request.messages[0].content)
    return random.Random(hashlib.sha256("/".join(parts).encode()).digest())


def questions(draw: random.Random, count: int) -> list[str]:
    """Questions that share no word, so that none is near another."""
    return [f"q{draw.getrandbits(40):x} w{draw.getrandbits(40):x}?" for _ in range(count)]


def step_reply(request: ChatRequest, follow_ups: int = 8) -> dict[str, Json]:
    draw = drawn(request)
    return {
        "response": f"Answer to {request.messages[-1].content} [Data: Sources (1)]",
        "score": draw.randint(1, 100),
        "follow_up_queries": cast("Json", questions(draw, follow_ups)),
    }


def primer_reply(request: ChatRequest, follow_ups: int = 25) -> dict[str, Json]:
    draw = drawn(request)
    return {
        "intermediate_answer": "An overview. [Data: Reports (0)]",
        "score": draw.randint(1, 100),
        "follow_up_queries": cast("Json", questions(draw, follow_ups)),
    }


def script(**changes: Scripted | Matcher | list[Scripted]) -> Matcher:
    """Replies to every stage; ``changes`` replaces those of some."""
    replies: dict[str, Any] = {
        "hyde": "A report of the race.",
        "primer": primer_reply,
        "step": step_reply,
        "reduce": "Amundsen did [Data: Sources (1); Reports (0)].",
    }
    return by_stage(**{**replies, **changes})


def delayed(matcher: Matcher, seconds: Callable[[], float]) -> Matcher:
    """The same replies, each after a while."""

    def match(request: ChatRequest) -> Scripted | None:
        reply = matcher(request)
        return reply if reply is None else replace(as_reply(reply), delay=seconds())

    return match


def tools_for(chat: ScriptedChat, embedder: HashEmbedder | None = None) -> Toolbox:
    return toolbox(chat, embedder or HashEmbedder(WIDTH))


def settings(**changes: Any) -> DriftSearchSettings:
    return DriftSearchSettings.model_validate({**SMALL, **changes})


async def drift(
    chat: ScriptedChat | Matcher | None = None,
    setting: DriftSearchSettings | None = None,
    embedder: HashEmbedder | None = None,
    **changes: Any,
) -> Seen:
    """A whole run over the sample index."""
    model = chat if isinstance(chat, ScriptedChat) else ScriptedChat(chat or script())
    engine = DriftSearch(tools_for(model, embedder), setting or settings())
    return await kit.run(engine.stream(question(ASKED, **changes)))


def nodes_of(seen: Seen) -> list[dict[str, Any]]:
    state = cast("Mapping[str, Any]", seen.answer.drift)
    return cast("list[dict[str, Any]]", state["nodes"])


def timeless(state: Json) -> Json:
    """``state`` without what depends on the clock."""
    data = cast("dict[str, Any]", state)
    return {**data, "nodes": [{**node, "seconds": 0} for node in data["nodes"]]}


def slow(text: str, delay: float) -> Reply:
    return Reply(text, delay=delay)


def texts(requests: Sequence[ChatRequest]) -> list[str]:
    """System prompts of ``requests``."""
    return [request.messages[0].content for request in requests]
