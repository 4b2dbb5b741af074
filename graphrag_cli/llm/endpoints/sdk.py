"""How one endpoint is reached, and the SDK's client made for it: key, proxy, time-outs, headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphrag_cli.errors import AuthError, SettingsError
from graphrag_cli.llm.endpoints.address import (
    OPENAI_BASE,
    Secrets,
    is_azure,
    is_loopback,
    is_openai,
    url_secrets,
)
from graphrag_cli.llm.endpoints.faults import Target
from graphrag_cli.llm.endpoints.lean import members_on_demand

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

TokenProvider: TypeAlias = Callable[[], Awaitable[str]]

DEFAULT_AZURE_VERSION = "2024-10-21"
"""The newest version of Azure's interface that is generally available and knows JSON schemas."""

_LONGEST_CONNECT = 15.0
"""Seconds to open a connection: a host that is there answers sooner, whatever the model takes."""
_OPEN_CONNECTIONS = 200


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Who serves a model, where, and how to be let in."""

    model: str
    """As settings name it."""
    url: str = OPENAI_BASE
    kind: Literal["openai", "azure"] = "openai"
    key: str | None = field(default=None, repr=False)
    deployment: str | None = None
    """Azure: what the request calls the model."""
    api_version: str | None = None
    organization: str | None = None
    proxy: str | None = field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    timeout: float = 180.0
    """Seconds without a sign of life."""
    token_provider: TokenProvider | None = None
    """Azure AD: gives a fresh token for every call."""

    @property
    def wire_model(self) -> str:
        """What the request calls the model."""
        return self.deployment or self.model

    @property
    def target(self) -> Target:
        """For messages."""
        secrets = [
            self.key or "",
            *(value for _, value in self.headers),
            *url_secrets(self.url),
            *url_secrets(self.proxy or ""),
        ]
        return Target(
            self.model,
            self.url,
            Secrets(tuple(secret for secret in secrets if secret)),
            has_key=bool(self.key or self.token_provider or self.headers),
            proxy=None if is_loopback(self.url) else self.proxy,
            timeout=self.timeout,
        )


def check_access(endpoint: Endpoint) -> None:
    """Raises before any call when the endpoint cannot let us in: no key, or one that no header can carry."""
    key = endpoint.key
    if key is not None and not (key.isascii() and key.isprintable()):
        raise SettingsError(
            f"`api_key` of model {endpoint.model!r} holds characters that no HTTP header can carry",
            hint="copy it again, without line breaks or typographic characters",
        )
    let_in = key or endpoint.token_provider or endpoint.headers or is_loopback(endpoint.url)
    if let_in or not (endpoint.kind == "azure" or is_openai(endpoint.url) or is_azure(endpoint.url)):
        return
    raise AuthError(
        f"no key for {endpoint.target.shown}",
        hint="set `api_key` for the model, for example `api_key: ${GRAPHRAG_API_KEY}` with the variable in .env; "
        "a server on this machine needs none; `provider: extractive` answers without any model",
    )


def _http_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    import httpx2

    here = is_loopback(endpoint.url)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(endpoint.timeout, connect=min(endpoint.timeout, _LONGEST_CONNECT)),
        limits=httpx2.Limits(max_connections=_OPEN_CONNECTIONS, max_keepalive_connections=50),
        follow_redirects=not here,
        proxy=None if here else endpoint.proxy,
        trust_env=not here,
        # Reading the file of authorities takes longer than the call to a server on this machine.
        verify=not (here and endpoint.url.startswith("http://")),
        event_hooks={"request": [_Leaves(endpoint)]},
    )


def make_sdk(endpoint: Endpoint) -> AsyncOpenAI:
    """The SDK's client: it retries nothing and sends no header that was not asked for."""
    import httpx2

    with members_on_demand():
        from openai import AsyncAzureOpenAI, AsyncOpenAI

    try:
        http = _http_client(endpoint)
    except (ValueError, httpx2.InvalidURL):
        http = None
    if http is None:
        raise SettingsError(
            "a proxy that the environment names is no address that can be used",
            hint="check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, or name the host in NO_PROXY",
        )
    headers: dict[str, str] = dict(endpoint.headers)
    if endpoint.kind == "azure":
        return AsyncAzureOpenAI(
            azure_endpoint=endpoint.url,
            azure_deployment=endpoint.wire_model,
            api_version=endpoint.api_version or DEFAULT_AZURE_VERSION,
            api_key=endpoint.key or (None if endpoint.token_provider else "none"),
            azure_ad_token_provider=endpoint.token_provider,
            default_headers=headers,
            max_retries=0,
            http_client=http,
        )
    return AsyncOpenAI(
        base_url=endpoint.url,
        api_key=endpoint.key or endpoint.token_provider or "none",
        organization=endpoint.organization,
        default_headers=headers,
        max_retries=0,
        http_client=http,
    )


class _Leaves:
    """Takes headers out of requests, just before they go.

    A request that the server sends on to another host loses all that lets us in at this one.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        import httpx2

        self._unwanted = _unwanted_headers(endpoint)
        self._secret = ("authorization", "api-key", *(name for name, _ in endpoint.headers))
        self._host = httpx2.URL(endpoint.url).host

    async def __call__(self, request: httpx2.Request) -> None:
        away = request.url.host != self._host
        for name in (*self._unwanted, *self._secret) if away else self._unwanted:
            request.headers.pop(name, None)


def _unwanted_headers(endpoint: Endpoint) -> tuple[str, ...]:
    """Headers that the SDK adds by itself: a key where there is none, and names out of the environment."""
    given = {name.lower() for name, _ in endpoint.headers}
    unwanted: set[str] = set()
    if not (endpoint.key or endpoint.token_provider):
        unwanted |= {"authorization", "api-key"}
    if not is_openai(endpoint.url):
        unwanted |= {"openai-project"} if endpoint.organization else {"openai-project", "openai-organization"}
    return tuple(sorted(unwanted - given))
