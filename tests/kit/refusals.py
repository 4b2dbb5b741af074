"""Modes that refuse: errors by status, and endpoints that do not know a format or a parameter."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

from tests.kit.replies import Body, count_tokens, prompt_text


@dataclass(frozen=True)
class Sent:
    """A reply that is no stream."""

    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict[str, str])
    content_type: str = "application/json"


def error(status: int, message: str, **fields: Any) -> Sent:
    return Sent(
        status, json.dumps({"error": {"message": message, "type": "invalid_request_error", **fields}})
    )


def _with(sent: Sent, **headers: str) -> Sent:
    return Sent(sent.status, sent.body, {name.replace("_", "-"): value for name, value in headers.items()})


HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"

STATUSES: dict[str, Callable[[], Sent]] = {
    "401": lambda: error(401, "Incorrect API key provided: sk-secret-key-0123456789.", code="invalid_api_key"),
    "403": lambda: error(403, "You are not allowed to sample from this model", code="forbidden"),
    "404_model": lambda: error(404, "The model `nope` does not exist or you do not have access to it.", code="model_not_found"),
    "404_path": lambda: Sent(404, '{"detail":"Not Found"}'),
    "moved": lambda: _with(error(307, "Moved"), Location="http://elsewhere.example/clean/v1/chat/completions"),
    "400_model": lambda: error(400, "nope is not a valid model ID"),
    "429_tokens": lambda: error(429, "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29990, Requested 40. Please try again in 20ms.", type="tokens", code="rate_limit_exceeded"),
    "408": lambda: error(408, "Request timeout"),
    "413": lambda: error(413, "Request too large", code="request_too_large"),
    "429_seconds": lambda: _with(error(429, "Rate limit reached", code="rate_limit_exceeded"), Retry_After="1"),
    "429_date": lambda: _with(error(429, "Rate limit reached"), Retry_After=formatdate(usegmt=True)),
    "429_words": lambda: error(429, "Rate limit reached for gpt. Please try again in 20ms. Visit the docs."),
    "429_bare": lambda: error(429, "Too many requests"),
    "429_quota": lambda: error(429, "You exceeded your current quota, please check your plan and billing details.", code="insufficient_quota"),
    "500": lambda: error(500, "The server had an error"),
    "502": lambda: Sent(502, HTML, content_type="text/html"),
    "503": lambda: error(503, "The engine is currently overloaded, please try again later"),
    "filter": lambda: error(400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", code="content_filter", param="prompt"),
    "html": lambda: Sent(200, HTML, content_type="text/html"),
    "html_404": lambda: Sent(404, HTML.replace("502 Bad Gateway", "Not here"), content_type="text/html"),
    "error_200": lambda: Sent(200, json.dumps({"error": {"message": "Provider returned error", "code": 502}})),
    "error_200_text": lambda: Sent(200, json.dumps({"error": "model is overloaded, try again"})),
    "nonsense": lambda: Sent(200, json.dumps({"message": {"role": "assistant", "content": "native"}, "done": True})),
    "not_json": lambda: Sent(200, "OK", content_type="text/plain"),
    "no_body": lambda: Sent(200, ""),
}  # fmt: skip


def refuse(mode: str, body: Body) -> Sent | None:
    """The refusal of ``body`` in ``mode``, or None where it would be answered."""
    name, _, argument = mode.partition("=")
    if name in STATUSES:
        return STATUSES[name]()
    if name.startswith("nofmt"):
        return _format(name, body)
    if name.startswith("noparam"):
        return _param(name, argument, body)
    if name == "ctx":
        return _context(int(argument or 1000), body)
    if name == "nosystem" and any(turn["role"] == "system" for turn in body.get("messages", [])):
        return error(400, "System role not supported")
    if name == "only_stream" and not body.get("stream"):
        return error(400, "This model only support stream mode, please enable the stream parameter.")
    if name.startswith("nostream") and body.get("stream"):
        status = int(argument or 400)
        return error(status, "Streaming is not supported here" if status == 400 else "Forbidden by gateway")
    return None


def _format(name: str, body: Body) -> Sent | None:
    asked: dict[str, Any] = body.get("response_format") or {}
    form = asked.get("type")
    if form is None:
        return None
    if name == "nofmt_schema" and form == "json_schema":
        return error(
            400,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
            param="response_format",
        )
    if name == "nofmt_object" and form == "json_object":
        return error(400, "'response_format.type' must be 'json_schema' or 'text'")
    if name == "nofmt_any":
        return error(400, "Unrecognized request argument supplied: response_format")
    if name == "nofmt_vague":
        return error(400, "Bad request")
    if name == "nofmt_422":
        return Sent(
            422,
            json.dumps(
                {"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]}
            ),
        )
    return None  # fmt: skip


def _param(name: str, argument: str, body: Body) -> Sent | None:
    if name == "noparam_null":
        nulls = [key for key, value in body.items() if value is None]
        return (
            error(400, f"{nulls[0]}: expected an unsupported value, but got null", param=nulls[0])
            if nulls
            else None
        )
    if name == "noparam_max_tokens" and "max_tokens" in body:
        message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return error(400, message, param="max_tokens", code="unsupported_parameter")
    if name == "noparam_max_completion_tokens" and "max_completion_tokens" in body:
        return error(400, "Unrecognized request argument supplied: max_completion_tokens")
    if name == "noparam_large" and body.get("max_tokens", 0) > 1000:
        return error(
            400,
            f"max_tokens is too large: {body['max_tokens']}. This model supports at most 1000 completion tokens.",
            param="max_tokens",
        )
    if name == "noparam_temperature" and body.get("temperature", 1) != 1:
        message = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
        return error(400, message, param="temperature", code="unsupported_value")
    if name == "noparam" and argument in body:
        return error(
            400, f"Unsupported parameter: '{argument}' is not supported with this model.", param=argument
        )
    return None  # fmt: skip


def _context(limit: int, body: Body) -> Sent | None:
    used = count_tokens(prompt_text(body))
    if used <= limit:
        return None
    message = f"This model's maximum context length is {limit} tokens. However, your messages resulted in {used} tokens. Please reduce the length of the messages."
    return error(400, message, code="context_length_exceeded", param="messages")
