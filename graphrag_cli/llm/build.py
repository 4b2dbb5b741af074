"""Models from their settings, each with the wrappers it needs, in the one order that is right.

From the wire outwards: adapter, throttle (each try waits its turn), retry, then batches for embeddings. A cache or
a recording goes around that, and the meter of a run around everything. Nothing here decides which provider to
use: that is ``engines/build.py``, which calls the factory for the provider that settings name.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Literal

from graphrag_cli.errors import SettingsError
from graphrag_cli.llm.around.batches import BatchedEmbedder
from graphrag_cli.llm.around.rate import Throttle, ThrottledChat, ThrottledEmbedder
from graphrag_cli.llm.around.retry import RetryingChat, RetryingEmbedder, RetryPolicy
from graphrag_cli.llm.around.windows import known_window
from graphrag_cli.llm.endpoints.address import (
    OPENAI_BASE,
    address_fault,
    base_url,
    is_azure,
    is_loopback,
    shown_url,
)
from graphrag_cli.llm.endpoints.azure import aad_tokens, is_unified, named_deployment, resource_url
from graphrag_cli.llm.endpoints.capabilities import Capabilities
from graphrag_cli.llm.endpoints.chat import OpenAIChat
from graphrag_cli.llm.endpoints.client import Client
from graphrag_cli.llm.endpoints.embed import OpenAIEmbedder
from graphrag_cli.llm.endpoints.sdk import Endpoint

if TYPE_CHECKING:
    from pathlib import Path

    from graphrag_cli.config.settings import (
        ChatModelSettings,
        EmbeddingModelSettings,
        EndpointSettings,
        RetrySettings,
    )
    from graphrag_cli.llm.base import ChatModel, Embedder, TokenCounter
    from graphrag_cli.llm.endpoints.azure import AadTokens


def openai_chat(
    settings: ChatModelSettings,
    tokens: TokenCounter,
    *,
    concurrency: int,
    kind: Literal["openai", "azure"] = "openai",
) -> ChatModel:
    """A chat model behind an OpenAI-compatible (or Azure) endpoint, with retry and rate limits around it.

    ``concurrency`` is the root ``concurrent_requests``, used where the model sets none of its own. Nothing is
    imported or opened before the first call. Raises ``SettingsError`` for what can be known without one.
    """
    endpoint = endpoint_of(settings, kind)
    chat = OpenAIChat(
        Client(endpoint),
        tokens,
        Capabilities(settings.structured_output),
        window=settings.max_context_window or known_window(settings.model),
    )
    throttled = ThrottledChat(chat, _throttle(settings, concurrency), tokens)
    return RetryingChat(throttled, _policy(settings.retry))


def openai_embedder(
    settings: EmbeddingModelSettings,
    tokens: TokenCounter,
    *,
    concurrency: int,
    kind: Literal["openai", "azure"] = "openai",
) -> Embedder:
    """The same for an embedding model; batches go side by side, long texts in windows."""
    endpoint = endpoint_of(settings, kind)
    embedder = OpenAIEmbedder(Client(endpoint), dimensions=settings.dimensions)
    throttled = ThrottledEmbedder(embedder, _throttle(settings, concurrency), tokens)
    return BatchedEmbedder(
        RetryingEmbedder(throttled, _policy(settings.retry)),
        tokens,
        batch_size=settings.batch_size,
        max_input_tokens=settings.max_input_tokens or known_window(settings.model),
    )


def gguf_chat(settings: ChatModelSettings, path: Path, tokens: TokenCounter) -> ChatModel:
    """A GGUF file run in this process; ``path`` is its absolute path. Raises ``SettingsError`` without file or extra."""
    from graphrag_cli.llm.in_process.gguf import GgufChat

    return GgufChat(
        settings.model,
        path,
        tokens,
        window=settings.max_context_window,
        capabilities=Capabilities(settings.structured_output),
    )


def endpoint_of(settings: EndpointSettings, kind: Literal["openai", "azure"]) -> Endpoint:
    """Who serves the model and how to be let in. Keys come from settings, which know the environment too."""
    url = base_url(settings.api_base or OPENAI_BASE)
    _check(settings, url)
    key = settings.api_key.get_secret_value().strip() if settings.api_key else None
    wants_token = settings.auth_method == "azure_managed_identity" and not is_loopback(url)
    if kind == "azure" or is_azure(url):
        return _azure(settings, url, key, aad_tokens(settings.audience) if wants_token and not key else None)
    return Endpoint(
        settings.model,
        url,
        key=key or None,
        organization=settings.organization,
        proxy=settings.proxy,
        headers=tuple(settings.headers.items()),
        timeout=settings.timeout,
    )


def _check(settings: EndpointSettings, url: str) -> None:
    """Raises ``SettingsError`` for an address, a proxy or a header that no request can be made with."""
    if fault := address_fault(url):
        raise SettingsError(
            f"`api_base` {shown_url(url)!r} of model {settings.model!r} is no address: {fault}",
            hint="such as http://localhost:11434/v1 or https://api.openai.com/v1",
        )
    if settings.proxy and (fault := address_fault(settings.proxy)):
        raise SettingsError(
            f"`proxy` of model {settings.model!r} is no address: {fault}",
            hint="such as http://proxy.example:3128",
        )
    for name, value in settings.headers.items():
        if not (
            re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII) and value.isascii() and value.isprintable()
        ):
            raise SettingsError(
                f"the header {name!r} of model {settings.model!r} cannot be sent",
                hint="names of headers are words with dashes; values are ASCII, on one line",
            )


def _azure(settings: EndpointSettings, url: str, key: str | None, tokens: AadTokens | None) -> Endpoint:
    """Azure by its own protocol, or by OpenAI's where the address is the one that speaks it."""
    unified = is_unified(url)
    headers = dict(settings.headers)
    if unified and key:
        headers.setdefault("api-key", key)
    return Endpoint(
        settings.model,
        url if unified else resource_url(url),
        "openai" if unified else "azure",
        key=key or None,
        deployment=settings.deployment_name or named_deployment(url),
        api_version=settings.api_version,
        proxy=settings.proxy,
        headers=tuple(headers.items()),
        timeout=settings.timeout,
        token_provider=tokens,
    )


def _throttle(settings: EndpointSettings, concurrency: int) -> Throttle:
    return Throttle(
        settings.concurrent_requests or concurrency,
        requests_per_minute=settings.rate_limit.requests_per_minute,
        tokens_per_minute=settings.rate_limit.tokens_per_minute,
    )


def _policy(settings: RetrySettings) -> RetryPolicy:
    return RetryPolicy(
        settings.max_retries,
        settings.base_delay,
        max(settings.base_delay, settings.max_delay),
        random.Random(),
    )
