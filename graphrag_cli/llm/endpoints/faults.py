"""From what a server or the network did to an error that names the model, the URL and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from graphrag_cli.errors import (
    AuthError,
    ContentFilterError,
    ContextLengthError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
)
from graphrag_cli.llm.endpoints.address import (
    Secrets,
    environment_proxy,
    is_azure,
    is_loopback,
    shown_url,
    url_hint,
)
from graphrag_cli.llm.endpoints.refusal import Refusal

_TOO_LONG = re.compile(
    r"context_length|context length|context window|context size|maximum context|string_above_max_length"
    r"|prompt is too long|input is too long|input too long|too many (?:input )?tokens|reduce the length|n_ctx"
    r"|exceed(?:s|ed)? (?:the |its )?(?:model'?s? )?(?:maximum |max )?(?:allowed )?(?:number of )?(?:input )?(?:token|context)"
    r"|larger than the (?:maximum|max|model'?s) |must have less than \d+ tokens|maximum (?:input|sequence) length"
    r"|input length .{0,40}exceed|longer than the (?:model|maximum)|request too large"
    r"|inputs?`? tokens .{0,40}must be <=|max_tokens must be at least 1, got -"
)
_TOO_LARGE_EVER = re.compile(r"request too large|context[ _]length|maximum context|prompt is too long")
"""What a rate limit may say of a request that no amount of waiting lets through."""
_FILTERED = re.compile(
    r"content_filter|content filter|responsibleaipolicy|content management policy|content_policy|content policy"
    r"|safety (?:system|setting|filter)|flagged|moderation"
)
_QUOTA = re.compile(
    r"insufficient_quota|insufficient balance|exceeded your current quota|billing|credit|payment|per day|daily limit"
)
_NO_CREDIT = re.compile(r"insufficient[ _](?:quota|balance|credit|funds)|credit balance|out of credits?")
_BAD_KEY = re.compile(r"(?:invalid|incorrect)[ _]api[ _]?key|api[ _]key[ _](?:is )?(?:not valid|invalid)")
_NO_MODEL = re.compile(
    r"model_not_found|deploymentnotfound|no such model|(?:model|deployment)\b.{0,80}"
    r"(?:not (?:found|exist|available|supported)|does ?n[o']t exist|unknown|not loaded)|(?:unknown|invalid|pull) .{0,20}model"
    r"|not a valid model"
)
_OVERLOADED = re.compile(
    r"overload|over capacity|capacity|unavailable|temporarily|try again|busy|loading model"
    r"|server[ _]error|internal[ _]error|had an error|timed? ?out"
)
_RATE = re.compile(r"rate[ _-]?limit|too many requests|resource_exhausted|insufficient_quota|throttl")
_NUMBER = re.compile(r"(?<![-\d])(?:\d{1,3}(?:[,_]\d{3})+|\d+)")
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})


@dataclass(frozen=True, slots=True)
class Target:
    """What was called, for messages: the model, the base URL, and what must not be shown."""

    model: str
    url: str
    secrets: Secrets
    has_key: bool
    proxy: str | None = field(default=None, repr=False)
    timeout: float = 0.0

    @property
    def shown(self) -> str:
        """``model 'x' at http://…``."""
        return f"model {self.model!r} at {shown_url(self.url)}"


def is_too_long(refusal: Refusal) -> bool:
    """Whether the prompt did not fit. A limit on tokens a minute is no such refusal: another minute lets it through."""
    if refusal.status == 413:
        return True
    if refusal.status not in (0, 400, 422, 429, 500) or not _TOO_LONG.search(refusal.words):
        return False
    if not _is_limit(refusal):
        return True
    return refusal.retry_after is None and _TOO_LARGE_EVER.search(refusal.words) is not None


def _is_limit(refusal: Refusal) -> bool:
    """Whether it was too much in too short a time, or more than was paid for."""
    if refusal.status in (402, 429):
        return True
    if refusal.status in (400, 403):
        return _NO_CREDIT.search(refusal.words) is not None
    return not refusal.status and _RATE.search(refusal.words) is not None


def error_of(refusal: Refusal, target: Target) -> ModelError:
    """The error for a refusal; its kind decides whether another try may succeed."""
    said = target.secrets.redact(refusal.message)
    status = f"HTTP {refusal.status}" if refusal.status else "an error"
    text = f"{target.shown} answered {status}: {said}"
    if is_too_long(refusal):
        return _too_long(refusal, target, text)
    if _FILTERED.search(refusal.words) and refusal.status in (0, 400, 403, 422):
        return ContentFilterError(
            text,
            status=refusal.status or None,
            hint="the provider's content filter refused the prompt; the text of the index or the question set it off",
        )
    if _is_limit(refusal):
        return _limited(refusal, text)
    if refusal.status in (401, 403, 407) or (refusal.status == 400 and _BAD_KEY.search(refusal.words)):
        # A web page with 403 is a firewall's, which may dislike this one prompt only.
        once = refusal.status == 403 and refusal.web_page
        return AuthError(text, status=refusal.status, hint=_auth_hint(refusal, target), fatal=not once)
    return _other(refusal, target, text)


def _too_long(refusal: Refusal, target: Target, text: str) -> ContextLengthError:
    limit, requested = window_numbers(refusal.message)
    return ContextLengthError(
        text,
        status=refusal.status or None,
        limit=limit,
        requested=requested,
        hint=f"set `max_context_window` for {target.model!r}, or lower `max_context_tokens` of the search",
    )


def window_numbers(message: str) -> tuple[int | None, int | None]:
    """The window and the tokens asked for, out of the message of a server that tells them.

    With two numbers or more that could be either, the smallest large one is the window, the largest what was
    asked: a prompt that was refused is longer than the window.
    """
    numbers = [int(re.sub(r"[,_]", "", found)) for found in _NUMBER.findall(message)]
    large = sorted({number for number in numbers if 64 <= number <= 20_000_000})
    if not large:
        return None, None
    if len(large) == 1:
        return large[0], None
    named = re.search(
        r"(?:maximum|max|limit|n_ctx|window|size|at most|less than)\D{0,40}?(\d[\d,_]*)",
        message,
        re.IGNORECASE,
    )
    limit = int(re.sub(r"[,_]", "", named.group(1))) if named else large[0]
    asked = [number for number in large if number > limit]
    return limit, asked[-1] if asked else None


def _auth_hint(refusal: Refusal, target: Target) -> str:
    if refusal.status == 407:
        return f"the proxy {_proxy(target)} wants a user and password"
    if is_azure(target.url) and not target.has_key:
        return "sign in for Azure AD (`auth_method: azure_managed_identity`), or set `api_key` for the model"
    if not target.has_key:
        return "no key was sent: set `api_key` for the model (for example `api_key: ${GRAPHRAG_API_KEY}`)"
    if refusal.status == 403:
        return (
            "the key is known but not allowed to do this: check its rights, region and project for this model"
        )
    return "check `api_key` for the model: it was sent and refused"


def _limited(refusal: Refusal, text: str) -> RateLimitError:
    waits = refusal.retry_after is not None  # a quota that comes back by itself is a rate limit
    spent = (
        refusal.status == 402
        or _NO_CREDIT.search(refusal.words) is not None
        or (not waits and _QUOTA.search(refusal.words) is not None)
    )
    hint = (
        "the account's quota or credit is used up; more tries do not help"
        if spent
        else "set `rate_limit: {requests_per_minute: …, tokens_per_minute: …}` or a lower `concurrent_requests`"
    )
    return RateLimitError(
        text,
        status=refusal.status or None,
        retryable=not spent,
        retry_after=refusal.retry_after,
        fatal=spent,
        hint=hint,
    )


def _other(refusal: Refusal, target: Target, text: str) -> ModelError:
    status = refusal.status or None
    if refusal.status == 404 or (refusal.status == 400 and _NO_MODEL.search(refusal.words)):
        return ModelError(text, status=status, fatal=True, hint=_not_found_hint(refusal, target))
    if refusal.status in (405, 301, 302, 307, 308) or (refusal.web_page and refusal.status < 500):
        return ModelError(text, status=status, fatal=True, hint=url_hint(target.url))
    if refusal.status in (408, 504):
        return ModelTimeoutError(
            text, status=status, retryable=True, retry_after=refusal.retry_after, hint=_timeout_hint(target)
        )
    transient = refusal.status in _TRANSIENT or (
        refusal.status in (0, 424) and _OVERLOADED.search(refusal.words) is not None
    )
    return ModelError(
        text,
        status=status,
        retryable=transient,
        retry_after=refusal.retry_after,
        hint=_server_hint(refusal, target),
    )


def _not_found_hint(refusal: Refusal, target: Target) -> str:
    if _NO_MODEL.search(refusal.words):
        return f"check `model: {target.model}`: the server does not offer it (local servers must have it downloaded)"
    return url_hint(target.url)


def _server_hint(refusal: Refusal, target: Target) -> str | None:
    if refusal.status in (502, 503, 504) and (proxy := _proxy(target)):
        return f"the call went through the proxy {proxy}; add the host to NO_PROXY if it should not"
    if refusal.status >= 500:
        return "the server failed; its own log says why"
    return None


def _proxy(target: Target) -> str:
    proxy = target.proxy or environment_proxy(target.url)
    return shown_url(proxy) if proxy else ""


def _timeout_hint(target: Target) -> str:
    return (
        f"no sign of life for {target.timeout:g} s: a slow model needs a longer `timeout`"
        if target.timeout
        else "a slow model needs a longer `timeout`"
    )


def timed_out(target: Target) -> ModelTimeoutError:
    """The error for a server that gave no sign of life in time."""
    return ModelTimeoutError(
        f"{target.shown} did not answer within {target.timeout:g} s",
        retryable=True,
        hint="a slow model needs a longer `timeout`; a stopped server must be started",
    )


def not_connected(target: Target, reason: str, *, hung_up: bool = False) -> ModelError:
    """The error for a server that could not be reached; ``reason`` is the system's own word.

    One that ``hung_up`` was there, and may take another request.
    """
    proxy = _proxy(target)
    through = f" through the proxy {proxy}" if proxy else ""
    return ModelError(
        f"{target.shown} could not be reached{through}: {target.secrets.redact(reason)}",
        retryable=True,
        fatal=not hung_up,
        hint=_connection_hint(reason.lower(), target, proxy),
    )


def _connection_hint(reason: str, target: Target, proxy: str) -> str:
    if "certificate" in reason or "ssl" in reason:
        return (
            "the server's certificate is not trusted here: SSL_CERT_FILE names a file of further authorities"
        )
    if proxy:
        return "is the proxy right? NO_PROXY names hosts that are reached without one"
    if (
        "name or service" in reason
        or "nodename" in reason
        or "getaddrinfo" in reason
        or "resolution" in reason
    ):
        return "the host's name is not known: check `api_base`, or the network"
    if is_loopback(target.url):
        return "is the server running, and on this port? Check `api_base`"
    return "check `api_base` and the network"


def not_an_api(target: Target, text: str) -> ModelError:
    """The error for a reply with status 200 that is no reply of such an API."""
    return ModelError(
        f"{target.shown} answered with something else than a reply: {target.secrets.redact(text)}",
        hint=url_hint(target.url),
    )


def broken_off(target: Target, reason: str) -> ModelError:
    """The error for a stream that ended before the reply did."""
    return ModelError(
        f"{target.shown} broke off in the middle of its reply: {target.secrets.redact(reason)}",
        retryable=True,
        hint="the server or something on the way closed the connection",
    )
