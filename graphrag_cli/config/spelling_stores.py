"""Old spellings of stores: tables, vectors, cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from graphrag_cli.config.leaves import Key, below
from graphrag_cli.config.schema import names_at
from graphrag_cli.config.stores import VectorName

if TYPE_CHECKING:
    from graphrag_cli.config.rewriter import Rewriter

DEFAULT_STORE = "default_vector_store"
VECTOR_NAMES: tuple[str, ...] = get_args(VectorName)
_STORE_KEYS = """
    type db_uri url api_key audience container_name collection_name database_name connection_string overwrite
    vector_size index_schema embeddings_schema strategy
"""
STORE_KEYS = frozenset(_STORE_KEYS.split())
"""Keys of one vector store; anything else under ``vector_store`` that is a section is a store's name."""


def respell_stores(rewriter: Rewriter) -> None:
    """``storage`` and ``output`` → ``output_storage``; the map of vector stores → the one that queries use."""
    if below(rewriter.leaves, ("output",)):
        rewriter.drop(("storage",))  # 2.x knows both, and uses `output`
    rewriter.move(("output",), ("output_storage",))
    rewriter.move(("storage",), ("output_storage",))
    for storage in (("output_storage",), *(("outputs", name) for name in rewriter.names("outputs"))):
        rewriter.move((*storage, "storage_account_blob_url"), (*storage, "account_url"))
        rewriter.change((*storage, "base_dir"), _before_timestamp)
        for name in ("encoding", "database_name", "cosmosdb_account_url"):
            rewriter.drop((*storage, name))
    rewriter.move(("embeddings", "vector_store"), ("vector_store",))
    _choose_store(rewriter)
    _index_schema(rewriter)
    _cache(rewriter)


def _before_timestamp(value: object) -> object:
    """0.x wrote ``output/${timestamp}/artifacts``: the folder of all runs, of which the newest is taken."""
    return value.partition("${timestamp}")[0].rstrip("/\\") or "." if isinstance(value, str) else value


def _choose_store(rewriter: Rewriter) -> None:
    stores = [
        name
        for name in rewriter.names("vector_store")
        if name not in STORE_KEYS and ("vector_store", name) not in rewriter.leaves
    ]
    if not stores:
        return
    wanted = rewriter.get("embed_text", "vector_store_id") or DEFAULT_STORE
    chosen = wanted if wanted in stores else stores[0]
    rewriter.move(("vector_store", str(chosen)), ("vector_store",))
    for name in stores:
        rewriter.drop(
            ("vector_store", name), f"queries read one vector store, {chosen}" if name != chosen else None
        )


def _index_schema(rewriter: Rewriter) -> None:
    """Dotted names of embeddings → underscored; layouts of embeddings that queries do not use are dropped."""
    schema: Key = ("vector_store", "index_schema")
    rewriter.move(("vector_store", "embeddings_schema"), schema)
    for name in rewriter.names(*schema):
        if "." in name:
            rewriter.move((*schema, name), (*schema, name.replace(".", "_")))
    for name in rewriter.names(*schema):
        if name not in VECTOR_NAMES:
            rewriter.drop((*schema, name))
            continue
        for key in rewriter.names(*schema, name):
            if key in ("fields", "text_field", "attributes_field", "vector_size"):
                rewriter.drop((*schema, name, key))


def _cache(rewriter: Rewriter) -> None:
    """GraphRAG's own cache is for indexing: only ours is kept."""
    ours = rewriter.get("cache", "type") in ("sqlite", "none") and not below(
        rewriter.leaves, ("cache", "storage")
    )
    if not ours:
        rewriter.drop(("cache",))
        return
    known = names_at(("cache",))
    for name in rewriter.names("cache"):
        if name not in known:
            rewriter.drop(("cache", name))
