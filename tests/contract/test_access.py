"""Keys, tokens and proxies, as they reach the wire."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import SecretStr

from graphrag_cli.config.settings import ChatModelSettings, EmbeddingModelSettings
from graphrag_cli.llm.base import ChatRequest, Message, complete
from graphrag_cli.llm.build import endpoint_of, openai_chat, openai_embedder
from graphrag_cli.llm.endpoints.chat import OpenAIChat
from graphrag_cli.llm.endpoints.client import Client
from tests.kit.replies import PROSE
from tests.kit.server import FakeServer
from tests.llm.doubles import WordCounter

ASKED = ChatRequest((Message("user", "Who?"),), "answer")


async def say(settings: ChatModelSettings) -> str:
    kind = "azure" if settings.provider == "azure" else "openai"
    chat = openai_chat(settings, WordCounter(), concurrency=2, kind=kind)
    try:
        return (await complete(chat, ASKED)).text
    finally:
        await chat.aclose()


def root(server: FakeServer) -> str:
    return f"http://127.0.0.1:{server.port}"


async def test_azure_is_asked_by_deployment_version_and_key(server: FakeServer) -> None:
    settings = ChatModelSettings(
        model="gpt-4.1",
        provider="azure",
        api_base=root(server),
        deployment_name="dep",
        api_key=SecretStr("azure-key"),
    )
    assert await say(settings) == PROSE
    sent = server.requests[0]
    assert sent.path == "/openai/deployments/dep/chat/completions?api-version=2024-10-21"
    assert sent.headers["api-key"] == "azure-key"
    assert "authorization" not in sent.headers
    assert sent.body["model"] == "dep"


async def test_azure_embeds_by_deployment_too(server: FakeServer) -> None:
    settings = EmbeddingModelSettings(
        model="e", provider="azure", api_base=root(server), deployment_name="emb", api_version="2025-01-01"
    )
    embedder = openai_embedder(settings, WordCounter(), concurrency=2, kind="azure")
    assert (await embedder.embed(["x"])).shape == (1, 8)
    await embedder.aclose()
    assert server.requests[0].path == "/openai/deployments/emb/embeddings?api-version=2025-01-01"
    assert not {"api-key", "authorization"} & set(server.requests[0].headers)


async def test_azure_without_a_key_sends_a_token(server: FakeServer) -> None:
    async def token() -> str:
        return "aad-token"

    settings = ChatModelSettings(model="gpt-4.1", provider="azure", api_base=root(server))
    chat = OpenAIChat(Client(replace(endpoint_of(settings, "azure"), token_provider=token)), WordCounter())
    assert (await complete(chat, ASKED)).text == PROSE
    await chat.aclose()
    assert server.requests[0].headers["authorization"] == "Bearer aad-token"
    assert "api-key" not in server.requests[0].headers


async def test_settings_add_headers_and_may_sign_with_them(server: FakeServer) -> None:
    settings = ChatModelSettings(
        model="m", api_base=server.base(), headers={"X-Title": "graphrag-cli", "Authorization": "Token own"}
    )
    await say(settings)
    assert server.requests[0].headers["x-title"] == "graphrag-cli"
    assert server.requests[0].headers["authorization"] == "Token own"


async def test_a_server_on_this_machine_is_reached_without_the_proxy(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    settings = ChatModelSettings(model="m", api_base=server.base(), proxy="http://127.0.0.1:9")
    assert await say(settings) == PROSE


@pytest.mark.parametrize("by", ["settings", "environment"])
async def test_any_other_server_is_reached_through_the_proxy(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    proxy = root(server) if by == "settings" else None
    if by == "environment":
        monkeypatch.setenv("HTTP_PROXY", root(server))
    settings = ChatModelSettings(model="m", api_base="http://model.example/clean/v1", proxy=proxy)
    assert await say(settings) == PROSE
    assert server.requests[0].headers["host"] == "model.example"


async def test_the_sdk_takes_nothing_from_the_environment_by_itself(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-environment")
    assert await say(ChatModelSettings(model="m", api_base=server.base())) == PROSE
    assert "environment" not in str(server.requests[0].headers)


@pytest.mark.parametrize(("provider", "path"), [("openai", "/moved/v1"), ("azure", "/moved")])
async def test_a_server_that_sends_us_elsewhere_does_not_send_our_keys_there(
    server: FakeServer, provider: str, path: str
) -> None:
    settings = ChatModelSettings.model_validate(
        {
            "model": "m",
            "provider": provider,
            "api_base": f"http://model.example{path}",
            "api_key": "sk-for-the-first-alone",
            "headers": {"X-Gateway": "for-the-first-alone"},
            "proxy": root(server),
        }
    )
    assert await say(settings) == PROSE
    first, second = server.requests
    assert str(first.headers).count("for-the-first-alone") == 2
    assert "for-the-first-alone" not in str(second.headers)


async def test_a_host_in_any_spelling_is_let_in_by_the_key(server: FakeServer) -> None:
    for host in ("MODEL.example", "xn--bcher-kva.example"):
        settings = ChatModelSettings(
            model="m",
            api_base=f"http://{host}/clean/v1",
            api_key=SecretStr("sk-for-the-first-alone"),
            proxy=root(server),
        )
        assert await say(settings) == PROSE
        assert "sk-for-the-first-alone" in server.requests[-1].headers["authorization"]
