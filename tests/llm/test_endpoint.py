"""What an address tells, who is let in with which key, and what a model costs there."""

from __future__ import annotations

import socket

import pytest
from pydantic import SecretStr

from graphrag_cli.config.settings import ChatModelSettings, EmbeddingModelSettings, Price
from graphrag_cli.errors import AuthError, ModelError, SettingsError
from graphrag_cli.llm.around.prices import PricedModel, Prices, priced
from graphrag_cli.llm.base import complete
from graphrag_cli.llm.build import endpoint_of, openai_chat
from graphrag_cli.llm.endpoints.address import base_url, is_loopback, shown_url, url_secrets
from graphrag_cli.llm.endpoints.azure import AadTokens, Token
from graphrag_cli.llm.endpoints.sdk import Endpoint, check_access, make_sdk
from tests.llm.doubles import WordCounter, request


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://0.0.0.0:8000/v1", True),
        ("http://model.localhost/v1", True),
        ("http://192.168.1.2/v1", False),
        ("https://api.openai.com/v1", False),
        ("http://localhost.example.com/v1", False),
    ],
)
def test_loopback_is_told_from_elsewhere(url: str, here: bool) -> None:
    assert is_loopback(url) is here


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    assert shown_url("https://user:pass@host:1/v1?key=abc#x") == "https://host:1/v1"


def test_what_an_address_holds_of_secrets_is_hidden_in_whatever_form_it_is_echoed() -> None:
    url = "https://user:p%40ss@host:1/v1?key=abcdef&api-version=2024-10-21"
    echoed = "Basic dXNlcjpwQHNz, p@ss, p%40ss, ?key=abcdef, 2024-10-21"
    assert Endpoint("m", url).target.secrets.hide_known(echoed) == "Basic …, …, …, ?key=…, 2024-10-21"
    assert url_secrets("http://[::1") == ()


@pytest.mark.parametrize(
    "pasted", ["http://h/v1/", "http://h/v1/chat/completions", " http://h/v1/embeddings "]
)
def test_the_path_of_a_call_is_taken_off(pasted: str) -> None:
    assert base_url(pasted) == "http://h/v1"


def settings(**fields: object) -> ChatModelSettings:
    return ChatModelSettings.model_validate({"model": "gpt-4.1", **fields})


@pytest.mark.parametrize(
    "wrong",
    [
        {"api_base": "localhost:11434/v1"},
        {"api_base": "http://"},
        {"api_base": "ftp://host/v1"},
        {"api_base": "http://[::1/v1"},
        {"api_base": "http://host:99999/v1"},
        {"api_base": "http://host:port/v1"},
        {"api_base": "http://two words/v1"},
        {"proxy": "nonsense"},
        {"headers": {"Bad Name": "x"}},
        {"headers": {"X-Name": "two\nlines"}},
    ],
)
def test_what_no_request_can_be_made_with_is_said_before_one_is(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="gpt-4"):
        endpoint_of(settings(api_key=SecretStr("k"), **wrong), "openai")


def test_a_proxy_of_the_environment_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://x")
    with pytest.raises(SettingsError, match="proxy"):
        make_sdk(Endpoint("m", "http://host.example/v1"))


def test_a_key_loses_the_blanks_that_came_with_pasting_it() -> None:
    assert endpoint_of(settings(api_key=SecretStr(" sk-set\n")), "openai").key == "sk-set"


def test_a_missing_key_is_said_before_any_call() -> None:
    with pytest.raises(AuthError, match=r"api\.openai\.com") as caught:
        check_access(endpoint_of(settings(), "openai"))
    assert "api_key" in (caught.value.hint or "")
    check_access(endpoint_of(settings(api_base="http://localhost:11434/v1"), "openai"))
    check_access(endpoint_of(settings(api_base="http://lan.example:8000/v1"), "openai"))


def test_a_key_that_no_header_can_carry_is_not_printed() -> None:
    with pytest.raises(SettingsError) as caught:
        check_access(Endpoint("m", key="sk-“quoted”"))
    assert "quoted" not in caught.value.message


@pytest.mark.parametrize(
    ("base", "kind", "url", "deployment"),
    [
        ("https://me.openai.azure.com/", "azure", "https://me.openai.azure.com", "dep"),
        ("https://me.openai.azure.com/openai/deployments/dep/chat/completions", "azure", "https://me.openai.azure.com", "dep"),
        ("https://me.openai.azure.com/openai/v1/", "openai", "https://me.openai.azure.com/openai/v1", "dep"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("provider", ["azure", "openai"])
def test_azure_addresses_are_understood_as_pasted(
    base: str, kind: str, url: str, deployment: str, provider: str
) -> None:
    named = None if "deployments" in base else deployment
    given = settings(api_base=base, deployment_name=named, api_key=SecretStr("k"), provider=provider)
    endpoint = endpoint_of(given, "azure" if provider == "azure" else "openai")
    assert (endpoint.kind, endpoint.url, endpoint.wire_model, endpoint.model) == (
        kind,
        url,
        deployment,
        "gpt-4.1",
    )
    assert endpoint.key == "k"


class Credential:
    """Gives tokens that last an hour; counts."""

    def __init__(self, error: Exception | None = None) -> None:
        self.given = 0
        self.error = error

    def get_token(self, *scopes: str) -> Token:
        from azure.core.credentials import AccessToken

        if self.error is not None:
            raise self.error
        self.given += 1
        return AccessToken(f"token-{self.given}", 3600 * self.given)


async def test_a_token_is_fetched_again_shortly_before_it_expires() -> None:
    now = [0.0]
    tokens = AadTokens(Credential(), "scope", clock=lambda: now[0])
    assert [await tokens(), await tokens()] == ["token-1", "token-1"]
    now[0] = 3400
    assert await tokens() == "token-2"


async def test_no_identity_says_how_to_sign_in() -> None:
    from azure.core.exceptions import ClientAuthenticationError

    tokens = AadTokens(Credential(ClientAuthenticationError("no identity\nlong list")), "scope")
    with pytest.raises(AuthError, match="no identity") as caught:
        await tokens()
    assert "az login" in (caught.value.hint or "")


async def test_without_the_extra_the_command_that_installs_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "azure.identity", None)
    given = settings(api_base="https://me.openai.azure.com", auth_method="azure_managed_identity")
    with pytest.raises(SettingsError) as caught:
        endpoint_of(given, "azure")
    assert "graphrag-cli[azure]" in (caught.value.hint or "")


def test_prices_of_settings_come_first() -> None:
    table = Prices([PricedModel("m", price=Price(input=2, output=4))])
    assert table.cost("m", 1_000_000, 500_000) == pytest.approx(4)


def test_what_runs_here_costs_nothing_and_what_is_unknown_has_no_cost() -> None:
    local = EmbeddingModelSettings(model="minilm", provider="minilm")
    served = settings(model="llama3", api_base="http://localhost:11434/v1")
    away = settings(model="gpt-4.1", api_base="https://gateway.example/v1")
    strange = settings(model="no-such-model")
    table = Prices([priced(local), priced(served), priced(away), priced(strange)])
    assert table.cost("minilm", 10, 0) == 0
    assert table.cost("llama3", 10, 10) == 0
    assert table.cost("gpt-4.1", 10, 10) is None
    assert table.cost("no-such-model", 10, 10) is None
    assert table.cost("never named", 10, 10) is None


def test_known_models_have_a_price() -> None:
    table = Prices(
        [
            priced(settings()),
            priced(settings(model="gpt-4o", provider="azure", api_base="https://me.openai.azure.com")),
        ]
    )
    assert (table.cost("gpt-4.1", 1000, 100) or 0) > 0
    assert (table.cost("gpt-4o", 1000, 100) or 0) > 0


async def test_a_connection_that_never_opens_is_not_taken_for_a_slow_model() -> None:
    settings = ChatModelSettings.model_validate(
        {"model": "m", "api_key": "k", "timeout": 0.2, "retry": {"max_retries": 0}}
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the connection, and never shakes hands
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1"
        chat = openai_chat(settings.model_copy(update={"api_base": url}), WordCounter(), concurrency=1)
        with pytest.raises(ModelError, match="could not be reached: no connection"):
            await complete(chat, request())
        await chat.aclose()
