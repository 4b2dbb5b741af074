"""Old spellings: whatever GraphRAG release wrote the settings, these rules turn them into ours, which are 3.x's.

Values that come from a stronger origin win when an old and a new spelling land on the same key.
"""

from __future__ import annotations

from graphrag_cli.config.leaves import Leaves, undotted
from graphrag_cli.config.rewriter import Release, Rewriter
from graphrag_cli.config.spelling_models import respell_models
from graphrag_cli.config.spelling_stores import respell_stores

_INDEXING = """
    input input_storage chunks chunking extract_graph entity_extraction extract_claims claim_extraction
    community_reports community_report summarize_descriptions cluster_graph embed_graph umap snapshots embed_text
    prune_graph extract_graph_nlp workflows skip_workflows reporting update_index_storage update_index_output
    update_output update_output_storage parallelization async_mode root_dir encoding_model metrics logging
    text_embedding embeddings
"""
INDEXING = frozenset(_INDEXING.split())
"""Sections and keys that only concern indexing."""

RENAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("local_search.chat_model_id", ("local_search.completion_model_id",)),
    ("global_search.chat_model_id", ("global_search.completion_model_id",)),
    ("drift_search.chat_model_id", ("drift_search.completion_model_id",)),
    ("basic_search.chat_model_id", ("basic_search.completion_model_id",)),
    ("local_search.max_tokens", ("local_search.max_context_tokens",)),
    ("local_search.top_k_mapped_entities", ("local_search.top_k_entities",)),
    ("local_search.temperature", ("local_search.call_args.temperature",)),
    ("local_search.top_p", ("local_search.call_args.top_p",)),
    ("local_search.n", ("local_search.call_args.n",)),
    ("local_search.llm_temperature", ("local_search.call_args.temperature",)),
    ("local_search.llm_top_p", ("local_search.call_args.top_p",)),
    ("local_search.llm_n", ("local_search.call_args.n",)),
    ("local_search.llm_max_tokens", ("local_search.call_args.max_tokens",)),
    ("basic_search.max_tokens", ("basic_search.max_context_tokens",)),
    ("basic_search.temperature", ("basic_search.call_args.temperature",)),
    ("basic_search.top_p", ("basic_search.call_args.top_p",)),
    ("basic_search.n", ("basic_search.call_args.n",)),
    ("basic_search.llm_max_tokens", ("basic_search.call_args.max_tokens",)),
    ("global_search.max_tokens", ("global_search.max_context_tokens",)),
    ("global_search.map_max_tokens", ("global_search.map_max_length",)),
    ("global_search.reduce_max_tokens", ("global_search.reduce_max_length",)),
    (
        "global_search.temperature",
        ("global_search.map_call_args.temperature", "global_search.reduce_call_args.temperature"),
    ),
    ("global_search.top_p", ("global_search.map_call_args.top_p", "global_search.reduce_call_args.top_p")),
    ("global_search.n", ("global_search.map_call_args.n", "global_search.reduce_call_args.n")),
    (
        "global_search.llm_temperature",
        ("global_search.map_call_args.temperature", "global_search.reduce_call_args.temperature"),
    ),
    (
        "global_search.llm_top_p",
        ("global_search.map_call_args.top_p", "global_search.reduce_call_args.top_p"),
    ),
    ("global_search.llm_n", ("global_search.map_call_args.n", "global_search.reduce_call_args.n")),
    ("drift_search.local_search_max_tokens", ("drift_search.local_search_max_data_tokens",)),
)
"""Old key → new keys, for single values."""

UNUSED: tuple[tuple[str, str | None], ...] = (
    ("drift_search.temperature", "steps follow local_search_temperature, the answer reduce_temperature"),
    ("drift_search.top_p", "steps follow local_search_top_p"),
    ("drift_search.n", "steps follow local_search_n"),
    ("drift_search.max_tokens", "the context of a step follows local_search_max_data_tokens"),
    ("basic_search.text_unit_prop", "the whole context is text units"),
    ("local_search.prop", None),
    ("table_provider.base_dir", None),
    ("output_storage.encoding", None),
    ("output_storage.database_name", None),
    ("vector_store.overwrite", None),
    ("vector_store.collection_name", "GraphRAG does not read it either: tables are named by container_name"),
    ("vector_store.vector_size", None),
    ("vector_store.url", None),
    ("vector_store.api_key", None),
    ("vector_store.audience", None),
    ("vector_store.connection_string", None),
    ("vector_store.database_name", None),
    ("vector_store.strategy", None),
)
"""Keys that GraphRAG knows and that have no effect here; where a reason is given, ``config check`` tells it."""


def release_of(leaves: Leaves) -> Release:
    """Which release's spelling the settings are in: told by where the models are."""
    roots = {key[0] for key in leaves}
    if roots & {"completion_models", "embedding_models"}:
        return "3"
    if "models" in roots:
        return "2"
    sections = {key[:2] for key in leaves}
    old = {"llm", "entity_extraction", "claim_extraction", "storage", "parallelization", "encoding_model"}
    return "1" if roots & old or ("embeddings", "llm") in sections else "3"


def respell(leaves: Leaves, release: Release) -> Rewriter:
    """``leaves`` in our spelling."""
    rewriter = Rewriter(leaves)
    respell_models(rewriter, release)
    respell_stores(rewriter)
    for old, new in RENAMES:
        rewriter.move(undotted(old), *(undotted(key) for key in new))
    for key, reason in UNUSED:
        rewriter.drop(undotted(key), reason)
    for name in INDEXING:
        rewriter.drop((name,))
    return rewriter
