"""Old spellings of models: 1.x ``llm``, 2.x ``models``, 3.x LiteLLM entries → our entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from graphrag_cli.config.leaves import Key, Leaf, below, wins
from graphrag_cli.config.models import ChatProvider, EmbeddingProvider
from graphrag_cli.config.providers import SERVICES, with_version_path
from graphrag_cli.config.searches import CHAT_ID, EMBEDDING_ID

if TYPE_CHECKING:
    from graphrag_cli.config.rewriter import Release, Rewriter

CHAT, EMBEDDING = "completion_models", "embedding_models"
SECTIONS = ("local_search", "global_search", "drift_search", "basic_search")
OLD_IDS = {"default_chat_model": CHAT_ID, "default_embedding_model": EMBEDDING_ID}
DYNAMIC_ID = "dynamic_search_llm"
SERVICE = "(service)"
"""Under this name an entry remembers which service it named, until it is complete."""

MODEL_RENAMES: tuple[tuple[str, str], ...] = (
    ("request_timeout", "timeout"),
    ("auth_type", "auth_method"),
    ("azure_deployment_name", "deployment_name"),
    ("max_retries", "retry.max_retries"),
    ("max_retry_wait", "retry.max_delay"),
    ("requests_per_minute", "rate_limit.requests_per_minute"),
    ("tokens_per_minute", "rate_limit.tokens_per_minute"),
    ("mock_responses", "responses"),
    ("temperature", "call_args.temperature"),
    ("top_p", "call_args.top_p"),
    ("n", "call_args.n"),
    ("max_tokens", "call_args.max_tokens"),
    ("max_completion_tokens", "call_args.max_completion_tokens"),
    ("reasoning_effort", "call_args.reasoning_effort"),
    ("frequency_penalty", "call_args.frequency_penalty"),
    ("presence_penalty", "call_args.presence_penalty"),
    ("call_args.timeout", "timeout"),
    ("call_args.organization", "organization"),
    ("call_args.api_base", "api_base"),
    ("call_args.api_version", "api_version"),
    ("call_args.proxy", "proxy"),
    ("call_args.extra_headers", "headers"),
    ("call_args.dimensions", "dimensions"),
    ("default_headers", "headers"),
)
"""Within an entry: old key → new key."""

MODEL_UNUSED: tuple[tuple[str, str | None], ...] = (
    ("async_mode", None),
    ("thread_count", None),
    ("metrics", None),
    ("tokenizer", None),
    ("template_engine", None),
    ("cache", None),
    ("sleep_on_rate_limit_recommendation", None),
    ("cognitive_services_endpoint", "audience is what the token is asked for"),
    ("retry_strategy", "the wait always doubles, with jitter"),
    ("rate_limit_strategy", "the window always slides"),
    ("rate_limit.type", None),
    ("retry.type", None),
    ("retry.jitter", None),
    ("call_args.drop_params", "parameters that an endpoint refuses are dropped anyway"),
)
"""Within an entry: keys that GraphRAG knows and that have no effect here."""

INHERITED = ("api_base", "api_version", "organization", "proxy", "audience", "auth_type")
"""1.x on Azure: what ``embeddings.llm`` takes over from ``llm``."""


def respell_models(rewriter: Rewriter, release: Release) -> None:
    """All entries of models, and the references to them."""
    if release == "1":
        _from_llm(rewriter)
    for model_id in rewriter.names("models"):
        _from_models(rewriter, model_id)
    rewriter.move(("models",), (CHAT,))  # only what is no map of models is left: refused later, with its line
    for section in SECTIONS:
        for key in ("chat_model_id", "completion_model_id", "embedding_model_id"):
            rewriter.change((section, key), lambda value: OLD_IDS.get(str(value), value))
    encoding = rewriter.leaves.get(("encoding_model",))
    for kind in (CHAT, EMBEDDING):
        for model_id in rewriter.names(kind):
            if encoding and encoding.value:
                rewriter.offer((kind, model_id, "encoding_model"), encoding)
            _respell_entry(rewriter, (kind, model_id))
    _dynamic_model(rewriter)


def _from_llm(rewriter: Rewriter) -> None:
    """1.x: one block for chat; one for embedding that falls back on it."""
    embedding: Key = ("embeddings", "llm")
    azure = "azure" in str(rewriter.get(*embedding, "type") or rewriter.get("llm", "type") or "")
    own_address = rewriter.get(*embedding, "api_base") is not None
    inherited = ("api_key", *INHERITED) if azure else () if own_address else ("api_key",)
    for name in inherited:
        if leaf := rewriter.leaves.get(("llm", name)):
            rewriter.offer((*embedding, name), leaf)
    rewriter.move(("llm",), (CHAT, CHAT_ID))
    rewriter.move(embedding, (EMBEDDING, EMBEDDING_ID))


def _from_models(rewriter: Rewriter, model_id: str) -> None:
    """2.x: one map for both kinds; the type of an entry tells which it is."""
    kind = EMBEDDING if "embedding" in str(rewriter.get("models", model_id, "type") or model_id) else CHAT
    rewriter.move(("models", model_id), (kind, OLD_IDS.get(model_id, model_id)))


def _respell_entry(rewriter: Rewriter, entry: Key) -> None:
    for old, new in MODEL_RENAMES:
        rewriter.move((*entry, *old.split(".")), (*entry, *new.split(".")))
    if rewriter.get(*entry, "retry", "type") == "immediate":
        rewriter.offer(
            (*entry, "retry", "base_delay"), Leaf(0.0, rewriter.leaves[(*entry, "retry", "type")].origin)
        )
    for name, reason in MODEL_UNUSED:
        rewriter.drop((*entry, *name.split(".")), reason)
    _rate_limit(rewriter, entry)
    rewriter.change((*entry, "retry", "max_retries"), lambda value: None if value in (-1, "-1") else value)
    _provider(rewriter, entry)
    if entry[0] == EMBEDDING:
        _only_embedding(rewriter, entry)
    else:
        _structured_output(rewriter, entry)


def _rate_limit(rewriter: Rewriter, entry: Key) -> None:
    """``auto`` and 0 are no limit; a limit per period becomes one per minute."""
    limit = (*entry, "rate_limit")
    period = _number(rewriter.get(*limit, "period_in_seconds")) or 60.0
    for old, new in (
        ("requests_per_period", "requests_per_minute"),
        ("tokens_per_period", "tokens_per_minute"),
    ):
        rewriter.change((*limit, old), lambda value: _per_minute(value, period))
        rewriter.move((*limit, old), (*limit, new))
        rewriter.change((*limit, new), lambda value: None if value in ("auto", 0, "0", "") else value)
    rewriter.drop((*limit, "period_in_seconds"))


def _per_minute(value: object, period: float) -> object:
    number = _number(value)
    return value if number is None else max(1, int(number * 60 / period))


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number > 0 else None


def _provider(rewriter: Rewriter, entry: Key) -> None:
    """``type`` and ``model_provider`` → ``provider``, with the address that belongs to it."""
    kind_leaf = rewriter.leaves.pop((*entry, "type"), None)
    service_leaf = rewriter.leaves.pop((*entry, "model_provider"), None)
    own = rewriter.leaves.get((*entry, "provider"))
    if own and service_leaf and service_leaf.value and not wins(own, service_leaf):
        # Said later than the file's own spelling, by a flag or a variable: what was said last counts.
        own = None
        rewriter.drop((*entry, "provider"))
    kind = str(kind_leaf.value) if kind_leaf else ""
    if own is None and kind_leaf and "mock" in kind:
        rewriter.offer((*entry, "provider"), Leaf("scripted", kind_leaf.origin))
    elif own is None and kind_leaf and "azure" in kind:
        rewriter.offer((*entry, "provider"), Leaf("azure", kind_leaf.origin))
    elif own is not None and _is_service(own.value):
        _service(rewriter, entry, str(own.value).lower(), own)
    elif own is None and service_leaf and service_leaf.value:
        _service(rewriter, entry, str(service_leaf.value).lower(), service_leaf)


def _is_service(name: object) -> bool:
    known = (*get_args(ChatProvider), *get_args(EmbeddingProvider))
    return str(name).lower() in SERVICES and (name not in known or name in ("openai", "azure"))


def _service(rewriter: Rewriter, entry: Key, name: str, leaf: Leaf) -> None:
    service = SERVICES.get(name)
    adapter: Literal["openai", "azure"] = service.adapter if service else "openai"
    rewriter.put((*entry, "provider"), Leaf(adapter, leaf.origin))
    rewriter.put((*entry, SERVICE), Leaf(name, leaf.origin))
    if service and service.base:
        rewriter.change((*entry, "api_base"), lambda value: value or None)
        rewriter.offer((*entry, "api_base"), Leaf(service.base, leaf.origin))
    rewriter.change(
        (*entry, "api_base"),
        lambda value: with_version_path(name, value) if isinstance(value, str) else value,
    )


def _only_embedding(rewriter: Rewriter, entry: Key) -> None:
    """Removes what only chat models have: 1.x and 2.x wrote one shape for both."""
    for key in below(rewriter.leaves, (*entry, "call_args")):
        leaf = rewriter.leaves.pop(key)
        if key[-1] not in (
            "temperature",
            "top_p",
            "n",
            "max_tokens",
            "max_completion_tokens",
            "reasoning_effort",
        ):
            rewriter.remark(key, leaf, "embedding calls take no such argument")
    for name in ("model_supports_json", "responses", "max_context_window", "structured_output"):
        rewriter.drop((*entry, name))


def _structured_output(rewriter: Rewriter, entry: Key) -> None:
    """1.x and 2.x: a model that cannot give JSON is asked in words; of one that can, the best way is found out."""
    supports = rewriter.leaves.pop((*entry, "model_supports_json"), None)
    if supports is not None and supports.value in (False, "false", "False"):
        rewriter.offer((*entry, "structured_output"), Leaf("none", supports.origin))


def _dynamic_model(rewriter: Rewriter) -> None:
    """1.x: ``dynamic_search_llm`` is the name of another model at the same endpoint, for ratings."""
    named = rewriter.leaves.pop(("global_search", "dynamic_search_llm"), None)
    if named is None or not named.value:
        return
    chat_id = str(rewriter.get("global_search", "completion_model_id") or CHAT_ID)
    for key in below(rewriter.leaves, (CHAT, chat_id)):
        rewriter.offer((CHAT, DYNAMIC_ID, *key[2:]), rewriter.leaves[key])
    rewriter.put((CHAT, DYNAMIC_ID, "model"), named)
    rewriter.offer(("global_search", "rate_model_id"), Leaf(DYNAMIC_ID, named.origin))
