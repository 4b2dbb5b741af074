"""The settings tree: every key, its default and its range, written once.

Frozen. Built by ``config/load.py`` from ``settings.yaml`` (in the spelling of any GraphRAG release), ``.env``,
the environment and flags; engines receive their own section and nothing else. Names follow GraphRAG 3.x; keys
of ours live in the same sections and are marked *ours*. The sections lie in ``base``, ``models``, ``stores``
and ``searches``, and are all to be had from here. The text under a key is its documentation (``describe.py``).
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from graphrag_cli.config.base import CallArgs, Level, NonNegative, Positive, Section, Share
from graphrag_cli.config.models import (
    ChatModelSettings,
    EmbeddingModelSettings,
    EndpointSettings,
    Price,
    RateLimitSettings,
    RetrySettings,
    StructuredOutput,
)
from graphrag_cli.config.searches import (
    BasicSearchSettings,
    DriftSearchSettings,
    GlobalSearchSettings,
    HistorySettings,
    LocalSearchSettings,
)
from graphrag_cli.config.stores import (
    CacheSettings,
    IndexSchema,
    StorageSettings,
    TableProviderSettings,
    VectorName,
    VectorStoreSettings,
)

__all__ = [
    "BasicSearchSettings",
    "CacheSettings",
    "CallArgs",
    "ChatModelSettings",
    "DriftSearchSettings",
    "EmbeddingModelSettings",
    "EndpointSettings",
    "GlobalSearchSettings",
    "HistorySettings",
    "IndexSchema",
    "Level",
    "LocalSearchSettings",
    "NonNegative",
    "Positive",
    "Price",
    "RateLimitSettings",
    "RetrySettings",
    "Section",
    "Settings",
    "Share",
    "StorageSettings",
    "StructuredOutput",
    "TableProviderSettings",
    "VectorName",
    "VectorStoreSettings",
]


class Settings(Section):
    """The whole tree."""

    root: Path
    """Folder of the settings file; relative paths in the file are relative to it. Not a key of the file."""
    completion_models: dict[str, ChatModelSettings] = Field(default_factory=dict[str, ChatModelSettings])
    embedding_models: dict[str, EmbeddingModelSettings] = Field(
        default_factory=dict[str, EmbeddingModelSettings]
    )
    output_storage: StorageSettings = Field(default_factory=StorageSettings)
    outputs: dict[str, StorageSettings] = Field(default_factory=dict[str, StorageSettings])
    """Several indexes to be asked at once, by name; empty, `output_storage` alone. `--data` given more than
    once fills it, and so does a 2.x file with `outputs`."""
    vector_store: VectorStoreSettings = Field(default_factory=VectorStoreSettings)
    table_provider: TableProviderSettings = Field(default_factory=TableProviderSettings)
    cache: CacheSettings = Field(default_factory=CacheSettings)
    concurrent_requests: Positive = 25
    """Requests at a time, to one model."""
    local_search: LocalSearchSettings = Field(default_factory=LocalSearchSettings)
    global_search: GlobalSearchSettings = Field(default_factory=GlobalSearchSettings)
    drift_search: DriftSearchSettings = Field(default_factory=DriftSearchSettings)
    basic_search: BasicSearchSettings = Field(default_factory=BasicSearchSettings)
    history: HistorySettings = Field(default_factory=HistorySettings)
    community_level: Level = 2
    """Depth down to which community reports are used, or `deepest`. *Ours.*"""
    response_type: str = "multiple paragraphs"
    """Length and form of the answer, said in the prompt. *Ours.*"""
    seed: int = 42
    """Seeds shuffles, the choice of HyDE template and tie breaks. *Ours.*"""
