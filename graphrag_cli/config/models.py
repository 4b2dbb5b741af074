"""Settings of the models: who serves them, where, and how they may be called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast

from pydantic import Field, SecretStr, model_validator

from graphrag_cli.config.base import CallArgs, NonNegative, Positive, Seconds, Section

StructuredOutput: TypeAlias = Literal["auto", "schema", "object", "none"]
ChatProvider: TypeAlias = Literal["openai", "azure", "extractive", "gguf", "scripted"]
EmbeddingProvider: TypeAlias = Literal["openai", "azure", "minilm", "scripted"]

USUAL_NAMES = {
    "extractive": "extractive",
    "minilm": "all-MiniLM-L6-v2",
    "gguf": "gguf",
    "scripted": "scripted",
}
"""Name of a model that needs none, by provider."""


class RetrySettings(Section):
    """When a call that may succeed on another try is tried again."""

    max_retries: NonNegative = 7
    """Tries after the first one."""
    base_delay: Annotated[float, Field(ge=0)] = 1.0
    """Seconds before the first retry; doubled for each one after it, with jitter."""
    max_delay: Seconds = 30.0
    """Most seconds between two tries."""


class RateLimitSettings(Section):
    """At most so many requests and tokens per minute; None is no limit."""

    requests_per_minute: Positive | None = None
    """Requests begun in any one minute."""
    tokens_per_minute: Positive | None = None
    """Tokens of prompts and replies in any one minute."""


class Price(Section):
    """Price of a model in USD per million tokens, where the price table does not know it. *Ours.*"""

    input: Annotated[float, Field(ge=0)] = 0.0
    """USD for a million prompt tokens."""
    output: Annotated[float, Field(ge=0)] = 0.0
    """USD for a million reply tokens."""


class EndpointSettings(Section):
    """What chat and embedding models have in common: who serves it, where, and how it may be called."""

    model: str = ""
    """Name of the model as the endpoint knows it."""
    api_key: SecretStr | None = None
    """The key; best given as `${VARIABLE}`. Not needed for a server on this machine or its own network."""
    api_base: str | None = None
    """Base URL of the endpoint, up to and with `/v1`; unset, OpenAI itself."""
    api_version: str | None = None
    """Azure: version of the API, such as `2024-10-21`."""
    deployment_name: str | None = None
    """Azure: name of the deployment; unset, the model's name."""
    organization: str | None = None
    """OpenAI: organization that is billed."""
    proxy: str | None = None
    """URL of a proxy for this endpoint."""
    audience: str | None = None
    """Azure: audience of the token for `azure_managed_identity`."""
    auth_method: Literal["api_key", "azure_managed_identity"] = "api_key"
    """How requests are signed."""
    timeout: Seconds = 180.0
    """Seconds that one request may take without a sign of life."""
    concurrent_requests: Positive | None = None
    """Requests to this model at a time; unset, the root `concurrent_requests`."""
    retry: RetrySettings = Field(default_factory=RetrySettings)
    rate_limit: RateLimitSettings = Field(default_factory=RateLimitSettings)
    price: Price | None = None
    encoding_model: str | None = None
    """Name of a tiktoken encoding, where the model's name does not tell."""
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    """Sent with every request (gateways ask for such). *Ours.*"""

    @model_validator(mode="before")
    @classmethod
    def _name_embedded(cls, data: object) -> object:
        """Gives models that need no name their usual one."""
        if not isinstance(data, dict):
            return data
        values = cast("dict[str, object]", data)
        usual = USUAL_NAMES.get(str(values.get("provider")))
        return {**values, "model": usual} if usual and not values.get("model") else values


class ChatModelSettings(EndpointSettings):
    """An entry of `completion_models`."""

    provider: ChatProvider = "openai"
    """Who answers: an OpenAI-compatible endpoint, Azure, the embedded answerer, a GGUF file, a script.
    `model_provider` of 3.x (`ollama`, `openrouter`, …) is read too, and brings the address. *Ours.*"""
    call_args: CallArgs = Field(default_factory=CallArgs)
    structured_output: StructuredOutput = "auto"
    """How JSON replies are asked for: by schema, as an object, only in words, or found out. *Ours.*"""
    max_context_window: Positive | None = None
    """Tokens of prompt and reply together; unset, known from the model's name or not at all. *Ours.*"""
    path: Path | None = None
    """The GGUF file (`provider: gguf`) or the file of replies (`provider: scripted`). *Ours.*"""
    responses: tuple[str, ...] = ()
    """`provider: scripted`: the replies themselves, given in turn (3.x: `mock_responses`)."""


class EmbeddingModelSettings(EndpointSettings):
    """An entry of `embedding_models`."""

    provider: EmbeddingProvider = "openai"
    """Who embeds: an OpenAI-compatible endpoint, Azure, the embedded model, a script; `model_provider`
    of 3.x is read too, and brings the address. *Ours.*"""
    dimensions: Positive | None = None
    """Width to ask the endpoint for; unset is not sent. *Ours.*"""
    batch_size: Positive = 64
    """Texts sent in one request. *Ours.*"""
    max_input_tokens: Positive | None = None
    """Longer texts are embedded in windows and averaged. *Ours.*"""
