"""What can be said of an endpoint from its address alone."""

from __future__ import annotations

import base64
import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

OPENAI_BASE = "https://api.openai.com/v1"

_KEYS = re.compile(r"\b(?:sk|pk|rk|gsk|xai|key)-[A-Za-z0-9_\-*]{6,}|\bAIza[\w-]{20,}")
_BEARER = re.compile(r"(?i)\b(bearer|api[-_ ]?key|authorization|token)(\W{1,4})[A-Za-z0-9._~+/\-*]{12,}=*")
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Secrets:
    """Takes keys out of text that goes to people: the ones that are known, and whatever looks like one."""

    values: tuple[str, ...] = field(default=(), repr=False)

    def hide_known(self, text: str) -> str:
        """``text`` with the secrets that are known replaced, and nothing else touched."""
        for value in sorted(self.values, key=len, reverse=True):
            if len(value) >= 4:
                text = text.replace(value, "…")
        return text

    def redact(self, text: str) -> str:
        """``text`` with every secret replaced, those that only look like one too."""
        text = _USERINFO.sub("…@", self.hide_known(text))
        return _BEARER.sub(r"\1\2…", _KEYS.sub("…", text))


def shown_url(url: str) -> str:
    """``url`` for people: without user, password and query, all of which may hold keys."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return re.split(r"[?#]", _USERINFO.sub("", url))[0]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def url_secrets(url: str) -> tuple[str, ...]:
    """What in ``url`` opens doors: the password, user and password as HTTP sends them, and values of the query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ()
    values = [value for name, value in parse_qsl(parts.query) if name != "api-version"]
    if parts.password:
        user, password = unquote(parts.username or ""), unquote(parts.password)
        sent = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
        values += [sent, password, parts.password]
    return tuple(dict.fromkeys(values))


def _host(url: str) -> str:
    """The host of ``url``; empty when there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def address_fault(url: str) -> str | None:
    """What is wrong with ``url`` as an address of HTTP, or None."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in ("http", "https"):
        return "it must begin with http:// or https://"
    if not parts.hostname or " " in parts.hostname:
        return "it names no host"
    return "its port is 0" if port == 0 else None


def is_loopback(url: str) -> bool:
    """Whether ``url`` leads to this machine."""
    host = _host(url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def is_openai(url: str) -> bool:
    """Whether ``url`` is OpenAI's own API, the only place its key from the environment may go."""
    host = _host(url)
    return host == "openai.com" or host.endswith(".openai.com")


def is_azure(url: str) -> bool:
    """Whether ``url`` is an Azure OpenAI resource."""
    host = _host(url)
    return host.endswith((".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"))


def environment_proxy(url: str) -> str | None:
    """The proxy that the environment names for ``url``; never one for loopback."""
    if is_loopback(url):
        return None
    scheme = urlsplit(url).scheme or "https"
    for name in (f"{scheme}_proxy", f"{scheme.upper()}_PROXY", "all_proxy", "ALL_PROXY"):
        if value := os.environ.get(name):
            return value
    return None


def base_url(url: str) -> str:
    """``url`` as a base: without the path of a single call, which people paste along."""
    stripped = url.strip().rstrip("/")
    return re.sub(r"/(?:chat/completions|completions|embeddings|models)$", "", stripped)


def url_hint(url: str) -> str:
    """What may be wrong with a base URL whose paths do not exist."""
    path = urlsplit(url).path.rstrip("/")
    if is_azure(url):
        return (
            "this is an Azure host: use `provider: azure` with `api_version` and the deployment's name, "
            "or a base URL that ends in /openai/v1"
        )
    if path.endswith("/api"):
        return f"did you mean {shown_url(url)[: -len('/api')]}/v1? `api_base` must be the OpenAI-compatible address"
    if not re.search(r"/v\d+\w*(?:/|$)", path):
        return f"did you mean {shown_url(url).rstrip('/')}/v1? OpenAI-compatible servers answer under such a path"
    return "check `api_base`: it must be the OpenAI-compatible address, usually ending in /v1"
