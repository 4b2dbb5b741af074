"""A real, small language model: over a real endpoint, and inside the process.

These show that requests, streams, JSON schemas and embeddings are understood by llama.cpp. What a model of this
size says is of no interest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphrag_cli.config.settings import ChatModelSettings, EmbeddingModelSettings
from graphrag_cli.errors import ContextLengthError
from graphrag_cli.llm.base import (
    CallParams,
    ChatModel,
    ChatRequest,
    Message,
    ReplyDelta,
    ReplyEnd,
    close_items,
    complete,
)
from graphrag_cli.llm.build import gguf_chat, openai_chat, openai_embedder
from graphrag_cli.llm.replies import RatingReply
from graphrag_cli.llm.structured import ask
from tests.kit.gguf import small_model
from tests.llm.doubles import Told, WordCounter

SHORT = CallParams(temperature=0, max_tokens=12)
ASKED = (Message("system", "You answer briefly."), Message("user", "Who reached the South Pole first?"))


@pytest.fixture(scope="session")
def model_file(pytestconfig: pytest.Config) -> Path:
    cache = pytestconfig.cache
    assert cache is not None
    return small_model(cache.mkdir("models"))


@pytest.fixture(scope="module")
def endpoint(model_file: Path) -> Iterator[str]:
    """The model behind an OpenAI-compatible endpoint on loopback."""
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file)
    params.n_ctx, params.n_parallel, params.verbosity, params.warmup = 1024, 1, -1, False
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(params=["endpoint", "process"])
async def chat(request: pytest.FixtureRequest, model_file: Path) -> AsyncIterator[ChatModel]:
    if request.param == "endpoint":
        url: str = request.getfixturevalue("endpoint")
        settings = ChatModelSettings(model="smollm2", api_base=url)
        made = openai_chat(settings, WordCounter(), concurrency=2)
    else:
        settings = ChatModelSettings(
            model="smollm2", provider="gguf", path=model_file, max_context_window=1024
        )
        made = gguf_chat(settings, model_file, WordCounter())
    yield made
    await made.aclose()


async def test_it_answers_in_pieces(chat: ChatModel) -> None:
    request = ChatRequest(ASKED, "answer", params=SHORT, stream=True)
    items = [item async for item in chat.stream(request)]
    end = items[-1]
    assert isinstance(end, ReplyEnd)
    assert sum(isinstance(item, ReplyDelta) for item in items) > 2
    assert end.outcome in ("ok", "cut")
    assert 0 < end.usage.output_tokens <= 12
    assert end.usage.prompt_tokens > 10
    assert not end.usage.counted


async def test_it_answers_in_json_of_the_schema(chat: ChatModel) -> None:
    request = ChatRequest(
        (Message("user", "How good is this text?"),), "rate", params=CallParams(max_tokens=60)
    )
    told = Told()
    rating = await ask(chat, request, RatingReply, reask="Only JSON please: {defect}", tell=told)
    assert 0 <= rating.rating <= 5
    assert "model.adapted" not in told.codes


async def test_a_prompt_that_does_not_fit_is_told_as_such(chat: ChatModel) -> None:
    messages = (Message("user", "word " * 3000),)
    with pytest.raises(ContextLengthError):
        await complete(chat, ChatRequest(messages, "answer", params=SHORT))


async def test_calls_side_by_side_are_all_answered(chat: ChatModel) -> None:
    request = ChatRequest(ASKED, "map", params=CallParams(max_tokens=3))
    replies = await asyncio.gather(*(complete(chat, request) for _ in range(3)))
    assert all(reply.text for reply in replies)


async def test_leaving_a_reply_early_leaves_the_model_usable(chat: ChatModel) -> None:
    items = chat.stream(ChatRequest(ASKED, "answer", params=CallParams(max_tokens=200), stream=True))
    async for item in items:
        if isinstance(item, ReplyDelta):
            break
    await close_items(items)
    assert (await complete(chat, ChatRequest(ASKED, "answer", params=SHORT))).text


async def test_the_endpoint_embeds(endpoint: str) -> None:
    embedder = openai_embedder(
        EmbeddingModelSettings(model="smollm2", api_base=endpoint),
        WordCounter(),
        concurrency=2,
    )
    vectors = await embedder.embed(["a ship in the ice", "a ship in pack ice", "tax law"])
    assert vectors.shape[0] == 3
    assert np.isfinite(vectors).all()
    near, far = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert near > far
    await embedder.aclose()
