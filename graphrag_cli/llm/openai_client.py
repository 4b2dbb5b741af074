"""The openai SDK, opened for one endpoint: the only place that imports it.

One client serves the whole run, inside one event loop; it is made with the first call, because importing the SDK
takes half a second. The SDK retries nothing here and parses nothing: what servers send is read in ``wire``, so
that a server that bends the protocol is understood, or refused with a message that says how.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, cast

from graphrag_cli.errors import AuthError, ModelError, SettingsError
from graphrag_cli.llm.endpoint import (
    OPENAI_BASE,
    Secrets,
    is_azure,
    is_loopback,
    is_openai,
)
from graphrag_cli.llm.faults import Target, broken_off, not_an_api, not_connected, timed_out
from graphrag_cli.llm.lean import members_on_demand
from graphrag_cli.llm.refusal import Refusal, read_refusal

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

TokenProvider = Callable[[], Awaitable[str]]
T = TypeVar("T")

DEFAULT_AZURE_VERSION = "2024-10-21"
"""The newest version of Azure's interface that is generally available and knows JSON schemas."""

_LONGEST_CONNECT = 15.0
"""Seconds to open a connection: a host that is there answers sooner, whatever the model takes."""
_OPEN_CONNECTIONS = 200


class RefusedError(Exception):
    """The server refused a call; callers learn from ``refusal`` or turn it into a ``ModelError``."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


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
        secrets = [self.key or "", *(value for _, value in self.headers)]
        return Target(
            self.model,
            self.url,
            Secrets(tuple(secret for secret in secrets if secret)),
            has_key=bool(self.key or self.token_provider or self.headers),
            proxy=None if is_loopback(self.url) else self.proxy,
            timeout=self.timeout,
        )


class Body(Protocol):
    """The body of a reply, as it arrives."""

    @property
    def content_type(self) -> str:
        """Of the reply; empty when the server sent none."""
        ...

    def pieces(self) -> AsyncIterator[bytes]:
        """The bytes. Raises ``ModelError`` when the connection breaks or goes silent."""
        ...


class Client:
    """Sends requests to one endpoint. Safe to share between calls that run side by side."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.target = endpoint.target
        self._sdk: AsyncOpenAI | None = None

    @asynccontextmanager
    async def chat(self, body: dict[str, object]) -> AsyncGenerator[Body]:
        """The reply to a chat request, its body not read yet.

        Raises ``RefusedError`` for an HTTP error, and ``ModelError`` when the server cannot be reached.
        """
        create = cast(
            "Callable[..., AbstractAsyncContextManager[_Streamed]]",
            self._open().chat.completions.with_streaming_response.create,
        )
        rest = {key: value for key, value in body.items() if key not in ("model", "messages")}
        call = create(model=body["model"], messages=body["messages"], extra_body=rest)
        async with AsyncExitStack() as stack:
            reply = await self._guarded(stack.enter_async_context(call))
            yield _SdkBody(reply, self.target)

    async def embeddings(self, body: dict[str, object]) -> object:
        """The decoded reply to an embeddings request. Raises as ``chat`` does."""
        import httpx2

        response = await self._guarded(self._open().post("/embeddings", cast_to=httpx2.Response, body=body))
        try:
            return json.loads(response.text)
        except ValueError:
            text = " ".join(response.text.split())
        raise not_an_api(self.target, text[:200] or "nothing")

    async def aclose(self) -> None:
        """Closes connections. Safe to call twice; a later call opens them again."""
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()

    def _open(self) -> AsyncOpenAI:
        if self._sdk is None:
            check_access(self.endpoint)
            self._sdk = _make_sdk(self.endpoint)
        return self._sdk

    async def _guarded(self, call: Awaitable[T]) -> T:
        """Awaits ``call`` and turns what the SDK raises into errors of ours.

        They are raised outside the handler: the SDK's exceptions carry the request and the server's words, either
        of which may hold a key, and a traceback prints an exception's context.
        """
        import openai

        failure: Exception
        try:
            return await call
        except openai.APIStatusError as error:
            headers = dict(error.response.headers.items())
            failure = RefusedError(read_refusal(error.status_code, error.response.text, headers))
        except openai.APITimeoutError:
            failure = timed_out(self.target)
        except openai.APIConnectionError as error:
            failure = not_connected(self.target, _innermost(error))
        except openai.OpenAIError as error:
            failure = ModelError(f"{self.target.shown}: {self.target.secrets.redact(str(error))}")
        raise failure


class _Streamed(Protocol):
    @property
    def headers(self) -> httpx2.Headers: ...

    def iter_bytes(self) -> AsyncIterator[bytes]: ...


@dataclass(frozen=True, slots=True)
class _SdkBody:
    reply: _Streamed
    target: Target

    @property
    def content_type(self) -> str:
        return str(self.reply.headers.get("content-type", "")).lower()

    async def pieces(self) -> AsyncIterator[bytes]:
        import httpx2

        failure: ModelError
        try:
            async for piece in self.reply.iter_bytes():
                yield piece
        except httpx2.TimeoutException:
            failure = timed_out(self.target)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            failure = broken_off(self.target, str(error) or type(error).__name__)
        else:
            return
        raise failure


def _innermost(error: BaseException) -> str:
    """The system's own words for a failed connection, which the SDK wraps several times."""
    words = str(error)
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno:
            return os.strerror(seen.errno) if seen.errno > 0 else seen.strerror or words
        words = str(seen) or words
        seen = seen.__cause__ or seen.__context__
    return words


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
        event_hooks={"request": [_Leaves(_unwanted_headers(endpoint))]},
    )


def _make_sdk(endpoint: Endpoint) -> AsyncOpenAI:
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


@dataclass(frozen=True, slots=True)
class _Leaves:
    """Takes headers out of requests, just before they go."""

    names: tuple[str, ...]

    async def __call__(self, request: httpx2.Request) -> None:
        for name in self.names:
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
