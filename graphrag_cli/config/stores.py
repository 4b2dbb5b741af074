"""Settings of the stores: tables, vectors, cache of replies."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field, SecretStr

from graphrag_cli.config.base import Section

VectorName: TypeAlias = Literal["entity_description", "community_full_content", "text_unit_text"]


class StorageSettings(Section):
    """Where the tables lie."""

    type: Literal["file", "blob", "memory", "cosmosdb"] = "file"
    """A folder, or Azure blob storage; the others are known but cannot be read."""
    base_dir: str = "output"
    """A folder relative to the settings file (absolute once loaded), or a URL (`s3://`, `gs://`, `az://`)."""
    connection_string: SecretStr | None = None
    """`type: blob`: connection string of the storage account."""
    container_name: str | None = None
    """`type: blob`: the container."""
    account_url: str | None = None
    """`type: blob`: URL of the storage account, where there is no connection string."""


class IndexSchema(Section):
    """How one vector table is named and laid out."""

    index_name: str | None = None
    """Name of the table; unset, the names that GraphRAG gives are tried."""
    id_field: str = "id"
    """Column of ids."""
    vector_field: str = "vector"
    """Column of vectors."""


class VectorStoreSettings(Section):
    """Where the vectors lie."""

    type: Literal["lancedb", "azure_ai_search", "cosmosdb"] = "lancedb"
    """Only LanceDB can be read; `index embed` makes one from any index."""
    db_uri: str | None = None
    """Folder or URL of the LanceDB store; unset, the folder `lancedb` among the tables."""
    container_name: str = "default"
    """Prefix of table names, as 1.x and 2.x wrote them (`default-entity-description`)."""
    index_schema: dict[VectorName, IndexSchema] = Field(default_factory=dict[VectorName, IndexSchema])


class TableProviderSettings(Section):
    """Format of the tables."""

    type: Literal["parquet", "csv", "auto"] = "auto"
    """`auto` takes what is there."""


class CacheSettings(Section):
    """Cache of model replies. GraphRAG's own types are for indexing and read as `none`."""

    type: Literal["none", "sqlite"] = "none"
    """`sqlite` keeps replies, so that a repeated question costs nothing. *Ours.*"""
    path: Path | None = None
    """The file; unset, one in the user's cache folder. *Ours.*"""
