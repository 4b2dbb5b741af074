"""Azure: its addresses as people paste them, and tokens of Azure AD in place of a key."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Protocol

from graphrag_cli.errors import AuthError, SettingsError

DEFAULT_AUDIENCE = "https://cognitiveservices.azure.com/.default"

_SPARE = 300.0
"""Seconds before a token expires in which it is no longer used."""

_DEPLOYMENT = re.compile(r"/openai/deployments/([^/?]+)")


class Token(Protocol):
    """A token and the time, in seconds since 1970, at which it expires."""

    @property
    def token(self) -> str: ...  # noqa: D102
    @property
    def expires_on(self) -> int: ...  # noqa: D102


class Credential(Protocol):
    """What ``azure-identity`` calls a credential."""

    def get_token(self, *scopes: str) -> Token:
        """Fetches a token; blocks."""
        ...


def resource_url(url: str) -> str:
    """``url`` without the path of a deployment or of the interface."""
    return re.sub(r"/openai(?:/.*)?$", "", url.rstrip("/"))


def named_deployment(url: str) -> str | None:
    """The deployment that a pasted address names, if it names one."""
    found = _DEPLOYMENT.search(url)
    return found.group(1) if found else None


def is_unified(url: str) -> bool:
    """Whether ``url`` is Azure's address that speaks OpenAI's own protocol, ``…/openai/v1``."""
    return re.search(r"/openai/v\d+$", url.rstrip("/")) is not None


class AadTokens:
    """Gives Azure AD tokens, fetched in a thread and kept until shortly before they expire."""

    def __init__(self, credential: Credential, scope: str, *, clock: Callable[[], float] = time.time) -> None:
        self._credential = credential
        self._scope = scope
        self._clock = clock
        self._token: Token | None = None
        self._lock = asyncio.Lock()

    async def __call__(self) -> str:
        """A token that is valid now. Raises ``AuthError`` when this machine has no identity to show."""
        async with self._lock:
            if self._token is None or self._token.expires_on - _SPARE < self._clock():
                self._token = await asyncio.to_thread(self._fetch)
            return self._token.token

    def _fetch(self) -> Token:
        from azure.core.exceptions import AzureError

        reason: str
        try:
            return self._credential.get_token(self._scope)
        except AzureError as error:
            reason = str(error).strip().splitlines()[0]
        raise AuthError(
            f"Azure AD gave no token for {self._scope}: {reason}",
            hint="sign in (`az login`), or set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET, "
            "or set `api_key` for the model",
        )


def aad_tokens(audience: str | None) -> AadTokens:
    """Tokens of whichever identity this machine has. Raises ``SettingsError`` without the extra."""
    try:
        from azure.identity import DefaultAzureCredential
    except ImportError:
        raise SettingsError(
            "`auth_method: azure_managed_identity` needs the package azure-identity",
            hint="install it with: pip install 'graphrag-cli[azure]' — or set `api_key` for the model",
        ) from None
    return AadTokens(DefaultAzureCredential(), _scope(audience))


def _scope(audience: str | None) -> str:
    if not audience:
        return DEFAULT_AUDIENCE
    return audience if audience.endswith("/.default") else audience.rstrip("/") + "/.default"
