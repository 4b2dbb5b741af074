"""``GRAPHRAG_…`` variables: up to 1.x they filled settings that the file did not give."""

from __future__ import annotations

from collections.abc import Mapping

from graphrag_cli.config.leaves import Key, Leaf, Leaves
from graphrag_cli.config.variables import Variables

LLM: Key = ("llm",)
EMBEDDING: Key = ("embeddings", "llm")

_MODEL_KEYS = """
    type api_key api_base api_version organization proxy audience model deployment_name model_supports_json
    request_timeout max_retries max_retry_wait concurrent_requests tokens_per_minute requests_per_minute
    max_tokens temperature top_p n
"""
_SHARED_KEYS = {
    "key": "api_key",
    "base": "api_base",
    "version": "api_version",
    "organization": "organization",
    "proxy": "proxy",
}
_STORAGE_KEYS = "type base_dir connection_string container_name storage_account_blob_url"
_SEARCH_KEYS: Mapping[str, str] = {
    "local_search": """text_unit_prop community_prop conversation_history_max_turns top_k_entities
        top_k_relationships max_tokens llm_temperature llm_top_p llm_n llm_max_tokens""",
    "global_search": """max_tokens data_max_tokens map_max_tokens reduce_max_tokens concurrency
        llm_temperature llm_top_p llm_n""",
}


def _names() -> dict[str, tuple[Key, ...]]:
    """Every variable with the 1.x keys that it fills."""
    table: dict[str, tuple[Key, ...]] = {"GRAPHRAG_ENCODING_MODEL": (("encoding_model",),)}
    for key in _MODEL_KEYS.split():
        table[f"GRAPHRAG_LLM_{key.upper()}"] = ((*LLM, key),)
        table[f"GRAPHRAG_EMBEDDING_{key.upper()}"] = ((*EMBEDDING, key),)
    for short, key in _SHARED_KEYS.items():
        table[f"GRAPHRAG_API_{short.upper()}"] = ((*LLM, key), (*EMBEDDING, key))
    for key in _STORAGE_KEYS.split():
        table[f"GRAPHRAG_STORAGE_{key.upper()}"] = (("storage", key),)
    for section, keys in _SEARCH_KEYS.items():
        for key in keys.split():
            plain = key if key == "llm_max_tokens" else key.removeprefix("llm_")
            table[f"GRAPHRAG_{section.upper()}_{key.upper()}"] = ((section, plain),)
    return table


def fill_from_old_environment(leaves: Leaves, variables: Variables) -> None:
    """Adds what ``GRAPHRAG_…`` variables give for keys that ``leaves`` lacks, in 1.x spelling."""
    # The names for one model come before GRAPHRAG_API_…, which is for both.
    for name, keys in _names().items():
        if value := variables.get(name):
            for key in keys:
                leaves.setdefault(key, Leaf(value, variables.origin(name)))
