"""The settings tree: every key, its default and its range, written once.

Frozen. Built by ``config/load.py`` from ``settings.yaml`` (in the spelling of any GraphRAG release), ``.env``,
the environment and flags; engines receive their own section and nothing else. Names follow GraphRAG 3.x; keys
of ours live in the same sections and are marked *ours*.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SecretStr

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
NonNegative = Annotated[int, Field(ge=0)]
Level: TypeAlias = int | Literal["deepest"]
VectorName: TypeAlias = Literal["entity_description", "community_full_content", "text_unit_text"]
StructuredOutput: TypeAlias = Literal["auto", "schema", "object", "none"]


class Section(BaseModel):
    """Base of every section: frozen, and a misspelt key is an error (the loader has warned with a nearest name)."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class CallArgs(Section):
    """Sampling parameters sent with a call. Unset is never sent."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Share | None = None
    n: Positive | None = None
    max_tokens: Positive | None = None
    max_completion_tokens: Positive | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    reasoning_effort: str | None = None


class RetrySettings(Section):
    """When a call that may succeed on another try is tried again."""

    max_retries: NonNegative = 7
    base_delay: Annotated[float, Field(gt=0)] = 1.0
    """Seconds before the first retry; doubled for each one after it, with jitter."""
    max_delay: Annotated[float, Field(gt=0)] = 30.0


class RateLimitSettings(Section):
    """At most so many requests and tokens per minute; None is no limit."""

    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None


class Price(Section):
    """Price of a model in USD per million tokens, where the price table does not know it. *Ours.*"""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)] = 0.0


class EndpointSettings(Section):
    """What chat and embedding models have in common: who serves it, where, and how it may be called."""

    model: str
    api_key: SecretStr | None = None
    api_base: str | None = None
    api_version: str | None = None
    deployment_name: str | None = None
    organization: str | None = None
    proxy: str | None = None
    audience: str | None = None
    auth_method: Literal["api_key", "azure_managed_identity"] = "api_key"
    timeout: Annotated[float, Field(gt=0)] = 180.0
    """Seconds that one request may take without a sign of life."""
    concurrent_requests: Positive | None = None
    """Requests to this model at a time; unset, the root ``concurrent_requests``."""
    retry: RetrySettings = RetrySettings()
    rate_limit: RateLimitSettings = RateLimitSettings()
    price: Price | None = None
    encoding_model: str | None = None
    """Name of a tiktoken encoding, where the model's name does not tell."""
    headers: dict[str, str] = {}
    """Sent with every request (gateways ask for such). *Ours.*"""


class ChatModelSettings(EndpointSettings):
    """An entry of ``completion_models``."""

    provider: Literal["openai", "azure", "extractive", "gguf", "scripted"] = "openai"
    call_args: CallArgs = CallArgs()
    structured_output: StructuredOutput = "auto"
    """How JSON replies are asked for: by schema, as an object, only in words, or found out. *Ours.*"""
    max_context_window: Positive | None = None
    """Tokens of prompt and reply together; unset, known from the model's name or not at all. *Ours.*"""
    path: Path | None = None
    """The GGUF file (``provider: gguf``) or the file of replies (``provider: scripted``). *Ours.*"""


class EmbeddingModelSettings(EndpointSettings):
    """An entry of ``embedding_models``."""

    provider: Literal["openai", "azure", "minilm", "scripted"] = "openai"
    dimensions: Positive | None = None
    """Width to ask the endpoint for; unset is not sent."""
    batch_size: Positive = 64
    max_input_tokens: Positive | None = None
    """Longer texts are embedded in windows and averaged. *Ours.*"""


class StorageSettings(Section):
    """Where the tables lie."""

    type: Literal["file", "blob", "memory", "cosmosdb"] = "file"
    base_dir: str = "output"
    """A folder relative to the settings file, or a URL (``s3://``, ``gs://``, ``az://``)."""
    connection_string: SecretStr | None = None
    container_name: str | None = None
    account_url: str | None = None


class IndexSchema(Section):
    """How one vector table is named and laid out."""

    index_name: str | None = None
    id_field: str = "id"
    vector_field: str = "vector"
    vector_size: Positive | None = None


class VectorStoreSettings(Section):
    """Where the vectors lie."""

    type: Literal["lancedb", "azure_ai_search", "cosmosdb"] = "lancedb"
    db_uri: str | None = None
    """Unset: the folder ``lancedb`` among the tables."""
    container_name: str = "default"
    index_schema: dict[VectorName, IndexSchema] = {}


class TableProviderSettings(Section):
    """Format of the tables."""

    type: Literal["parquet", "csv", "auto"] = "auto"


class HistorySettings(Section):
    """How much of a conversation goes into the prompt. *Ours.*"""

    max_tokens: NonNegative = 2000


class LocalSearchSettings(Section):
    """``local_search``."""

    prompt: Path | None = None
    completion_model_id: str = "default_completion_model"
    embedding_model_id: str = "default_embedding_model"
    text_unit_prop: Share = 0.5
    community_prop: Share = 0.15
    conversation_history_max_turns: NonNegative = 5
    top_k_entities: Positive = 10
    top_k_relationships: NonNegative = 10
    max_context_tokens: Positive = 12_000
    min_similarity: Annotated[float, Field(ge=-1, le=1)] = -1.0
    """Entities less similar to the question than this are not used. *Ours.*"""
    call_args: CallArgs = CallArgs()


class GlobalSearchSettings(Section):
    """``global_search``."""

    map_prompt: Path | None = None
    reduce_prompt: Path | None = None
    knowledge_prompt: Path | None = None
    rate_prompt: Path | None = None
    """*Ours.*"""
    completion_model_id: str = "default_completion_model"
    max_context_tokens: Positive = 12_000
    """Tokens of reports in one map batch."""
    data_max_tokens: Positive = 12_000
    """Tokens of key points in the reduce prompt."""
    map_max_length: Positive = 1000
    """Words, said in the prompt."""
    reduce_max_length: Positive = 2000
    """Words, said in the prompt."""
    concurrency: Positive | None = None
    """Map calls at a time; unset, the root ``concurrent_requests``."""
    allow_general_knowledge: bool = False
    """*Ours.*"""
    conversation_history_max_turns: NonNegative = 5
    dynamic_search_threshold: Annotated[int, Field(ge=0, le=5)] = 1
    dynamic_search_keep_parent: bool = False
    dynamic_search_num_repeats: Positive = 1
    dynamic_search_use_summary: bool = False
    dynamic_search_max_level: NonNegative = 2
    dynamic_search_concurrent_coroutines: Positive | None = None
    """Rating calls at a time; unset, the root ``concurrent_requests``."""
    rate_model_id: str | None = None
    """Model for ratings, as 1.x had with ``dynamic_search_llm``; unset, the completion model. *Ours.*"""
    map_call_args: CallArgs = CallArgs()
    reduce_call_args: CallArgs = CallArgs()
    rate_call_args: CallArgs = CallArgs()


class DriftSearchSettings(Section):
    """``drift_search``."""

    prompt: Path | None = None
    """The prompt of a step (a local search that answers and asks on)."""
    reduce_prompt: Path | None = None
    hyde_prompt: Path | None = None
    """*Ours.*"""
    primer_prompt: Path | None = None
    """*Ours.*"""
    completion_model_id: str = "default_completion_model"
    embedding_model_id: str = "default_embedding_model"
    data_max_tokens: Positive = 12_000
    """Tokens of step answers in the reduce prompt."""
    reduce_max_tokens: Positive | None = None
    reduce_max_completion_tokens: Positive | None = None
    reduce_temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    reduce_min_score: Annotated[float, Field(ge=0, le=100)] = 1.0
    """Answers that scored less are left out of the reduce prompt. *Ours.*"""
    concurrency: Positive = 32
    drift_k_followups: Positive = 20
    primer_folds: NonNegative | None = 5
    primer_llm_max_tokens: Positive = 12_000
    n_depth: NonNegative = 3
    duplicate_threshold: Annotated[float, Field(ge=0, le=1)] = 0.95
    """Questions at least this similar (cosine) to one already asked or waiting are merged into it. *Ours.*"""
    report_embedding_cap: NonNegative = 500
    """At most so many reports without a stored embedding are embedded on the fly. *Ours.*"""
    conversation_history_max_turns: NonNegative = 5
    local_search_text_unit_prop: Share = 0.5
    local_search_community_prop: Share = 0.25
    local_search_top_k_mapped_entities: Positive = 10
    local_search_top_k_relationships: NonNegative = 10
    local_search_max_data_tokens: Positive = 12_000
    local_search_temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    local_search_top_p: Share | None = None
    local_search_n: Positive | None = None
    local_search_llm_max_gen_tokens: Positive | None = None
    local_search_llm_max_gen_completion_tokens: Positive | None = None


class BasicSearchSettings(Section):
    """``basic_search``."""

    prompt: Path | None = None
    completion_model_id: str = "default_completion_model"
    embedding_model_id: str = "default_embedding_model"
    k: Positive = 10
    max_context_tokens: Positive = 12_000
    conversation_history_max_turns: NonNegative = 5
    min_similarity: Annotated[float, Field(ge=-1, le=1)] = -1.0
    """Text units less similar to the question than this are not used. *Ours.*"""
    call_args: CallArgs = CallArgs()


class CacheSettings(Section):
    """Cache of model replies. GraphRAG's own types are for indexing and read as ``none``."""

    type: Literal["none", "sqlite"] = "none"
    path: Path | None = None


class Settings(Section):
    """The whole tree. ``root`` is the folder of the settings file; relative paths in it are relative to that."""

    root: Path
    completion_models: dict[str, ChatModelSettings] = {}
    embedding_models: dict[str, EmbeddingModelSettings] = {}
    output_storage: StorageSettings = StorageSettings()
    vector_store: VectorStoreSettings = VectorStoreSettings()
    table_provider: TableProviderSettings = TableProviderSettings()
    cache: CacheSettings = CacheSettings()
    concurrent_requests: Positive = 25
    local_search: LocalSearchSettings = LocalSearchSettings()
    global_search: GlobalSearchSettings = GlobalSearchSettings()
    drift_search: DriftSearchSettings = DriftSearchSettings()
    basic_search: BasicSearchSettings = BasicSearchSettings()
    history: HistorySettings = HistorySettings()
    community_level: Level = 2
    """*Ours.* Depth down to which community reports are used."""
    response_type: str = "multiple paragraphs"
    """*Ours.* Length and form of the answer, said in the prompt."""
    seed: int = 42
    """*Ours.* Seeds shuffles, the choice of HyDE template and tie breaks."""
