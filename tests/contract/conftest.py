"""The fake endpoint, and models that speak to it through every wrapper that a run uses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from pydantic import SecretStr

from graphrag_cli.config.settings import (
    ChatModelSettings,
    EmbeddingModelSettings,
    RetrySettings,
    StructuredOutput,
)
from graphrag_cli.llm.base import ChatModel, Embedder
from graphrag_cli.llm.build import openai_chat, openai_embedder
from tests.kit.server import FakeServer
from tests.llm.doubles import WordCounter

KEY = "sk-secret-key-0123456789"
QUICK = RetrySettings(max_retries=2, base_delay=0.001, max_delay=0.002)

ChatAt = Callable[..., ChatModel]
EmbedderAt = Callable[..., Embedder]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    for name in (
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    with FakeServer() as running:
        yield running


@pytest.fixture
async def chat_at(server: FakeServer) -> AsyncIterator[ChatAt]:
    """A chat model at the address of a mode; closed after the test."""
    made: list[ChatModel] = []

    def make(
        mode: str = "clean",
        *,
        structured: StructuredOutput = "auto",
        timeout: float = 20,
        window: int | None = None,
    ) -> ChatModel:
        settings = ChatModelSettings(
            model="fake-model",
            api_base=server.base(mode),
            api_key=SecretStr(KEY),
            retry=QUICK,
            structured_output=structured,
            timeout=timeout,
            max_context_window=window,
        )
        made.append(openai_chat(settings, WordCounter(), concurrency=8))
        return made[-1]

    yield make
    for chat in made:
        await chat.aclose()


@pytest.fixture
async def embedder_at(server: FakeServer) -> AsyncIterator[EmbedderAt]:
    """An embedder at the address of a mode; closed after the test."""
    made: list[Embedder] = []

    def make(
        mode: str = "clean", *, dimensions: int | None = None, batch: int = 64, longest: int | None = None
    ) -> Embedder:
        settings = EmbeddingModelSettings(
            model="fake-embedder",
            api_base=server.base(mode),
            retry=QUICK,
            dimensions=dimensions,
            batch_size=batch,
            max_input_tokens=longest,
        )
        made.append(openai_embedder(settings, WordCounter(), concurrency=8))
        return made[-1]

    yield make
    for embedder in made:
        await embedder.aclose()
