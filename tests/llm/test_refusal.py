"""Errors are read in every form that servers write them, and become errors that say what to do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphrag_cli.errors import (
    AuthError,
    ContentFilterError,
    ContextLengthError,
    ModelError,
    RateLimitError,
)
from graphrag_cli.llm.endpoints.address import Secrets
from graphrag_cli.llm.endpoints.faults import Target, error_of, not_connected, window_numbers
from graphrag_cli.llm.endpoints.refusal import read_refusal, refusal_of, retry_after, wait_hint

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
HERE = Target("m", "http://127.0.0.1:1234/v1", Secrets(("hush-hush",)), has_key=True, timeout=5)


@pytest.mark.parametrize(
    ("body", "message", "code", "param"),
    [
        ('{"error":{"message":"bad","code":"c","param":"p"}}', "bad", "c", "p"),
        ('{"error":"bad"}', "bad", "", ""),
        ('{"object":"error","message":"bad","code":400,"param":null}', "bad", "400", ""),
        ('{"detail":"bad"}', "bad", "", ""),
        ('{"detail":[{"loc":["body","seed"],"msg":"extra"}]}', "body.seed: extra", "", "seed"),
        ('{"message":"bad"}', "bad", "", ""),
        ('{"error":{"message":"bad","innererror":{"code":"ResponsibleAIPolicyViolation"}}}', "bad", "ResponsibleAIPolicyViolation", ""),
        ('[{"error":{"message":"bad","code":400}}]', "bad", "400", ""),
        ("plain text", "plain text", "", ""),
        ("", "no text", "", ""),
        ("[]", "[]", "", ""),
        ("<html><h1>Bad <b>Gateway</b></h1></html>", "Bad Gateway", "", ""),
    ],
)  # fmt: skip
def test_a_body_is_read(body: str, message: str, code: str, param: str) -> None:
    refusal = read_refusal(400, body, {}, NOW)
    assert (refusal.message, refusal.code, refusal.param) == (message, code, param)
    assert refusal.web_page is body.startswith("<")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"Retry-After": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30),
        ({"Retry-After": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 20ms.", 0.02),
        ("Please try again in 1.5s.", 1.5),
        ("Please try again in 2m10s.", 130),
        ("Please retry after 12 seconds.", 12),
        ("Try again in 1 minute", 60),
        ("Rate limit of 500 requests", None),
        ("model requires more memory (8.0 GiB) than is available (4.0 GiB)", None),
    ],
)
def test_a_wait_is_read_from_the_message(message: str, seconds: float | None) -> None:
    assert wait_hint(message) == seconds


@pytest.mark.parametrize(
    ("message", "limit", "requested"),
    [
        ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8192, 9000),
        ("you requested 4500 tokens (500 in the messages, 4000 in the completion). maximum context length is 4097 tokens", 4097, 4500),
        ("request (6031 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096, 6031),
        ("prompt is too long: 210000 tokens > 200,000 maximum", 200000, 210000),
        ("input must have less than 512 tokens", 512, None),
        ("The prompt is too long", None, None),
        ("max_tokens must be at least 1, got -200", None, None),
    ],
)  # fmt: skip
def test_the_numbers_of_a_window_are_read(message: str, limit: int | None, requested: int | None) -> None:
    assert window_numbers(message) == (limit, requested)


@pytest.mark.parametrize(
    ("status", "message", "kind", "retryable"),
    [
        (400, "context_length_exceeded", ContextLengthError, False),
        (400, "This model's maximum context length is 10 tokens", ContextLengthError, False),
        (500, "the request exceeds the available context size", ContextLengthError, False),
        (400, "Input is too long for requested model", ContextLengthError, False),
        (413, "anything", ContextLengthError, False),
        (400, "content_filter: management policy", ContentFilterError, False),
        (401, "no", AuthError, False),
        (403, "no", AuthError, False),
        (407, "proxy", AuthError, False),
        (402, "Insufficient Balance", RateLimitError, False),
        (429, "slow down", RateLimitError, True),
        (429, "You exceeded your current quota", RateLimitError, False),
        (404, "model 'x' not found, try pulling it first", ModelError, False),
        (400, "max_tokens must be positive", ModelError, False),
        (500, "boom", ModelError, True),
        (503, "loading model", ModelError, True),
        (529, "overloaded", ModelError, True),
    ],
)
def test_the_kind_of_error_and_whether_another_try_may_help(
    status: int, message: str, kind: type[ModelError], retryable: bool
) -> None:
    error = error_of(read_refusal(status, message, {}, NOW), HERE)
    assert type(error) is kind
    assert error.retryable is retryable
    assert "'m'" in error.message
    assert "http://127.0.0.1:1234/v1" in error.message


@pytest.mark.parametrize(
    ("body", "kind", "retryable"),
    [
        ({"message": "slow down", "code": "429"}, RateLimitError, True),
        ({"message": "Rate limit reached for m"}, RateLimitError, True),
        ({"message": "You exceeded your current quota", "code": "insufficient_quota"}, RateLimitError, False),
        ({"message": "The server had an error while processing your request"}, ModelError, True),
        ({"message": "sorry", "type": "server_error"}, ModelError, True),
        ({"message": "sorry", "code": "500"}, ModelError, True),
        ({"message": "bad request", "code": "400"}, ModelError, False),
    ],
)
def test_an_error_that_comes_with_status_200_is_told_by_its_words(
    body: dict[str, str], kind: type[ModelError], retryable: bool
) -> None:
    error = error_of(refusal_of(body, 0), HERE)
    assert type(error) is kind
    assert error.retryable is retryable


@pytest.mark.parametrize(
    ("status", "body", "fatal"),
    [
        (401, "no", True),
        (402, "Insufficient Balance", True),
        (403, "no", True),
        (403, "<html><title>Blocked</title></html>", False),
        (404, "model 'x' not found", True),
        (404, "404 page not found", True),
        (400, "The model `x` does not exist", True),
        (400, "max_tokens must be positive", False),
        (400, "maximum context length is 4097 tokens", False),
        (400, "content_filter", False),
        (429, "slow down", False),
        (429, "You exceeded your current quota", True),
        (500, "boom", False),
        (503, "overloaded", False),
    ],
)
def test_what_every_call_would_meet_is_told_apart(status: int, body: str, fatal: bool) -> None:
    assert error_of(read_refusal(status, body, {}, NOW), HERE).fatal is fatal


@pytest.mark.parametrize(
    ("status", "error", "kind", "wait"),
    [
        (429, {"message": "Rate limit reached for gpt on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 8s.", "type": "tokens", "code": "rate_limit_exceeded"}, RateLimitError, 8),
        (429, {"message": "Requests to the Operation have exceeded token rate limit of your current pricing tier. Please retry after 20 seconds."}, RateLimitError, 20),
        (429, {"message": "Too many tokens, please wait before trying again."}, RateLimitError, None),
        (429, {"message": "You exceeded your current quota, check your plan and billing. Please retry in 23.4s."}, RateLimitError, 23.4),
        (429, {"message": "Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 45000.", "type": "tokens", "code": "rate_limit_exceeded"}, ContextLengthError, None),
        (0, {"message": "Rate limit reached on tokens per min", "type": "tokens", "code": "rate_limit_exceeded"}, RateLimitError, None),
        (422, {"message": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens"}, ContextLengthError, None),
        (400, {"message": "max_tokens must be at least 1, got -200."}, ContextLengthError, None),
        (424, {"message": "Model too busy, unable to get response in less than 60 second(s)"}, ModelError, None),
    ],
)  # fmt: skip
def test_what_another_minute_lets_through_is_told_from_what_is_too_long(
    status: int, error: dict[str, str], kind: type[ModelError], wait: float | None
) -> None:
    found = error_of(refusal_of({"error": error}, status), HERE)
    assert type(found) is kind
    assert found.retryable is (kind is not ContextLengthError)
    assert not found.fatal
    assert found.retry_after == wait


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "API key not valid. Please pass a valid API key.", AuthError),
        (400, "Your credit balance is too low to access the API", RateLimitError),
        (403, "You have run out of credits", RateLimitError),
        (429, "insufficient_quota. Please try again in 20s.", RateLimitError),
        (400, "x is not a valid model ID", ModelError),
    ],
)
def test_a_refusal_for_good_is_one_whatever_its_status(
    status: int, message: str, kind: type[ModelError]
) -> None:
    found = error_of(read_refusal(status, message, {}, NOW), HERE)
    assert type(found) is kind
    assert (found.fatal, found.retryable) == (True, False)


def test_a_server_that_hangs_up_was_there() -> None:
    assert not_connected(HERE, "Connection refused").fatal
    assert not not_connected(HERE, "Server disconnected", hung_up=True).fatal


def test_a_key_that_the_server_repeats_is_not_shown() -> None:
    for secret in ("hush-hush", "sk-proj-abcdefghijklmnop", "Bearer abcdefghijklmnop1234"):
        error = error_of(read_refusal(401, f"Incorrect key: {secret}.", {}, NOW), HERE)
        assert secret not in error.message
        assert secret.split()[-1] not in error.message


@pytest.mark.parametrize(
    ("url", "message", "hint"),
    [
        ("http://host:11434/api", "404 page not found", "http://host:11434/v1"),
        ("http://host:1234", "404 page not found", "http://host:1234/v1"),
        ("https://me.openai.azure.com", "Resource not found", "provider: azure"),
        ("http://host/v1", "Not Found", "api_base"),
        ("http://host/v1", "model 'x' not found, try pulling it first", "does not offer it"),
    ],
)
def test_what_is_not_found_is_told_apart(url: str, message: str, hint: str) -> None:
    target = Target("x", url, Secrets(), has_key=True)
    assert hint in (error_of(read_refusal(404, message, {}, NOW), target).hint or "")


def test_a_proxy_is_named_where_it_may_be_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://user:password@proxy.example:3128")
    away = Target("m", "http://host/v1", Secrets(), has_key=False)
    for error in (
        error_of(read_refusal(502, "Bad Gateway", {}, NOW), away),
        not_connected(away, "Connection refused"),
    ):
        shown = f"{error.message} {error.hint}"
        assert "http://proxy.example:3128" in shown
        assert "password" not in shown
        assert "NO_PROXY" in (error.hint or "")
    assert "proxy" not in f"{not_connected(HERE, 'Connection refused').message}"


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("Name or service not known", "name is not known"),
        ("certificate verify failed: self-signed certificate", "SSL_CERT_FILE"),
        ("Connection refused", "api_base"),
    ],
)
def test_a_failed_connection_says_what_may_be_wrong(
    reason: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    target = Target("m", "https://host.example/v1", Secrets(), has_key=True)
    assert hint in (not_connected(target, reason).hint or "")
