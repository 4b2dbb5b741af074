"""What is odd about settings although they could be read, for ``config check``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_cli.config.loaded import Finding
from graphrag_cli.config.prompts import KEYS, PROMPT_NAMES, load_prompts
from graphrag_cli.config.providers import is_azure_host, path_of, without_password
from graphrag_cli.config.schema import nearest
from graphrag_cli.errors import PromptError

if TYPE_CHECKING:
    from graphrag_cli.config.loaded import Loaded
    from graphrag_cli.config.settings import CallArgs, EndpointSettings, Settings

NEARLY_ALL = 0.99
"""Shares that add up to more than this leave nothing for entities, relationships and claims."""
SECTIONS = ("local_search", "global_search", "drift_search", "basic_search")
WRONG_ENDS = ("/api", "/chat/completions", "/embeddings", "/completions", "/responses")


def check(loaded: Loaded, prompt_dir: Path | None = None) -> tuple[Finding, ...]:
    """Everything that is not right, errors first. Reads the prompt files; opens no index and calls no model."""
    settings = loaded.settings
    found = [
        *loaded.findings,
        *(
            Finding("error", "settings.missing", item.key, item.text, item.hint)
            for item in loaded.unresolved.values()
        ),
        *missing_models(settings),
        *_endpoints(settings),
        *_arguments(settings),
        *_shares(settings),
        *_stores(settings),
        *_prompts(settings, prompt_dir),
        *loaded.remarks,
    ]
    return tuple(sorted(found, key=lambda finding: finding.severity != "error"))


def missing_models(settings: Settings) -> Iterator[Finding]:
    """References to entries of models that there are not."""
    for section in SECTIONS:
        for key, entries, kind in (
            ("completion_model_id", settings.completion_models, "completion_models"),
            ("rate_model_id", settings.completion_models, "completion_models"),
            ("embedding_model_id", settings.embedding_models, "embedding_models"),
        ):
            model_id: str | None = getattr(getattr(settings, section), key, None)
            if model_id is not None and model_id not in entries:
                yield _no_model(f"{section}.{key}", model_id, kind, entries)


def _no_model(key: str, model_id: str, kind: str, entries: Mapping[str, object]) -> Finding:
    there = ", ".join(entries) or "none"
    return Finding(
        "error",
        "settings.model_id",
        key,
        f"{key} names {model_id}, which {kind} does not have{nearest(model_id, entries)}",
        f"entries of {kind}: {there}",
    )


def _entries(settings: Settings) -> Iterator[tuple[str, EndpointSettings]]:
    for kind, entries in (
        ("completion_models", settings.completion_models),
        ("embedding_models", settings.embedding_models),
    ):
        for model_id, entry in entries.items():
            yield f"{kind}.{model_id}", entry


def _endpoints(settings: Settings) -> Iterator[Finding]:
    """Addresses that cannot be right."""
    for name, entry in _entries(settings):
        provider: str = getattr(entry, "provider", "openai")
        key, base = f"{name}.api_base", entry.api_base
        if base is None or provider not in ("openai", "azure"):
            continue
        path = (path_of(base) or "").rstrip("/")
        if not base.startswith(("http://", "https://")) or path_of(base) is None:
            yield Finding(
                "error", "settings.address", key, f"{key} is no http address: {without_password(base)}"
            )
        elif provider == "openai" and is_azure_host(base) and "/openai/v1" not in path:
            yield Finding(
                "warning",
                "settings.azure",
                key,
                f"{key} is an Azure address, but the provider is openai",
                f"set {name}.model_provider: azure, with api_version and the deployment's name",
            )
        elif path.endswith(WRONG_ENDS):
            yield Finding(
                "warning",
                "settings.address",
                key,
                f"{key} ends in {path}: a base URL usually ends in /v1",
                "did you mean " + base.partition(path)[0] + "/v1 ?",
            )


def _arguments(settings: Settings) -> Iterator[Finding]:
    """Sampling parameters that get in each other's way."""
    named: list[tuple[str, CallArgs]] = [
        *(
            (f"completion_models.{name}.call_args", entry.call_args)
            for name, entry in settings.completion_models.items()
        ),
        ("local_search.call_args", settings.local_search.call_args),
        ("basic_search.call_args", settings.basic_search.call_args),
        ("global_search.map_call_args", settings.global_search.map_call_args),
        ("global_search.reduce_call_args", settings.global_search.reduce_call_args),
        ("global_search.rate_call_args", settings.global_search.rate_call_args),
    ]
    for key, args in named:
        if args.max_tokens is not None and args.max_completion_tokens is not None:
            yield _both(f"{key}.max_tokens", f"{key}.max_completion_tokens")
        if args.n is not None and args.n > 1:
            text = f"{key}.n is {args.n}: only the first reply is used, and all are paid for"
            yield Finding("warning", "settings.arguments", f"{key}.n", text)
    drift = settings.drift_search
    if drift.reduce_max_tokens and drift.reduce_max_completion_tokens:
        yield _both("drift_search.reduce_max_tokens", "drift_search.reduce_max_completion_tokens")
    if drift.local_search_llm_max_gen_tokens and drift.local_search_llm_max_gen_completion_tokens:
        yield _both(
            "drift_search.local_search_llm_max_gen_tokens",
            "drift_search.local_search_llm_max_gen_completion_tokens",
        )


def _both(old: str, new: str) -> Finding:
    return Finding(
        "warning",
        "settings.arguments",
        old,
        f"both {old} and {new} are set; endpoints refuse that",
        "keep one of them",
    )


def _shares(settings: Settings) -> Iterator[Finding]:
    local, drift = settings.local_search, settings.drift_search
    for key, other, total in (
        ("local_search.text_unit_prop", "community_prop", local.text_unit_prop + local.community_prop),
        (
            "drift_search.local_search_text_unit_prop",
            "local_search_community_prop",
            drift.local_search_text_unit_prop + drift.local_search_community_prop,
        ),
    ):
        if total > NEARLY_ALL:
            yield Finding(
                "warning",
                "settings.shares",
                key,
                f"{key} and {other} add up to {total:g}: nothing is left for entities, relationships and claims",
                "give both together at most 0.85, for example 0.5 and 0.25",
            )


def _stores(settings: Settings) -> Iterator[Finding]:
    """Stores that cannot be read."""
    if settings.vector_store.type != "lancedb":
        kind = settings.vector_store.type
        yield Finding(
            "error",
            "settings.vector_store",
            "vector_store.type",
            f"vector_store.type is {kind}: only LanceDB stores can be read",
            "make one from the tables with `graphrag-cli index embed`, and set vector_store.type: lancedb",
        )
    if settings.output_storage.type in ("memory", "cosmosdb"):
        yield Finding(
            "error",
            "settings.storage",
            "output_storage.type",
            f"output_storage.type is {settings.output_storage.type}: such tables cannot be read",
            "export the tables as parquet files, and name their folder with --data or output_storage.base_dir",
        )


def _prompts(settings: Settings, prompt_dir: Path | None) -> Iterator[Finding]:
    for name in PROMPT_NAMES:
        try:
            yield from load_prompts(settings, [name], prompt_dir).findings
        except PromptError as error:
            yield Finding("error", error.code, KEYS.get(name, name), error.message, error.hint)
