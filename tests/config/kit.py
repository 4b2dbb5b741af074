"""Settings files in the shape that each GraphRAG release writes them, and short ways to load them."""

from __future__ import annotations

from pathlib import Path

from graphrag_cli.config.load import load
from graphrag_cli.config.loaded import Loaded, Where

V1 = """\
encoding_model: cl100k_base
skip_workflows: []
llm:
  api_key: ${GRAPHRAG_API_KEY}
  type: openai_chat
  model: gpt-4-turbo-preview
  model_supports_json: true
  max_tokens: 4000
  request_timeout: 120.0
  tokens_per_minute: 150_000
  requests_per_minute: 0
  max_retries: 10
  max_retry_wait: 10.0
  sleep_on_rate_limit_recommendation: true
  concurrent_requests: 25
  temperature: 0
  top_p: 1
  n: 1
parallelization:
  stagger: 0.3
  num_threads: 50
async_mode: threaded
embeddings:
  async_mode: threaded
  vector_store:
    type: lancedb
    db_uri: output/lancedb
    collection_name: default
    overwrite: true
  llm:
    api_key: ${GRAPHRAG_API_KEY}
    type: openai_embedding
    model: text-embedding-3-small
chunks:
  size: 1200
  overlap: 100
  group_by_columns: [id]
input:
  type: file
  base_dir: input
cache:
  type: file
  base_dir: cache
storage:
  type: file
  base_dir: "output/${timestamp}/artifacts"
reporting:
  type: file
  base_dir: logs
entity_extraction:
  prompt: prompts/entity_extraction.txt
  entity_types: [organization, person]
summarize_descriptions:
  max_length: 500
community_reports:
  max_length: 2000
cluster_graph:
  max_cluster_size: 10
embed_graph:
  enabled: false
umap:
  enabled: false
snapshots:
  graphml: false
local_search:
  text_unit_prop: 0.4
  community_prop: 0.2
  conversation_history_max_turns: 3
  top_k_mapped_entities: 12
  top_k_relationships: 8
  max_tokens: 9000
  llm_max_tokens: 1500
  temperature: 0.1
global_search:
  max_tokens: 8000
  data_max_tokens: 7000
  map_max_tokens: 900
  reduce_max_tokens: 1800
  concurrency: 16
  temperature: 0
  dynamic_search_llm: gpt-4o-mini
drift_search:
  prompt: null
  temperature: 0.3
  n_depth: 2
"""

V2 = """\
models:
  default_chat_model:
    type: openai_chat
    auth_type: api_key
    api_key: ${GRAPHRAG_API_KEY}
    model: gpt-4-turbo-preview
    encoding_model: cl100k_base
    model_supports_json: false
    concurrent_requests: 20
    async_mode: threaded
    retry_strategy: native
    max_retries: -1
    tokens_per_minute: auto
    requests_per_minute: 300
  default_embedding_model:
    type: openai_embedding
    auth_type: api_key
    api_key: ${GRAPHRAG_API_KEY}
    model: text-embedding-3-small
    encoding_model: cl100k_base
    model_supports_json: true
    concurrent_requests: 25
    async_mode: threaded
    retry_strategy: native
    max_retries: 10
    tokens_per_minute: null
    requests_per_minute: null
  small_chat:
    type: chat
    model_provider: ollama
    model: llama3.2
    api_base: http://127.0.0.1:11434
    api_key: none
input:
  storage:
    type: file
    base_dir: "input"
  file_type: text
chunks:
  size: 1200
output:
  type: file
  base_dir: "results"
storage:
  type: blob
  base_dir: elsewhere
cache:
  type: file
  base_dir: "cache"
reporting:
  type: file
  base_dir: "logs"
vector_store:
  default_vector_store:
    type: lancedb
    db_uri: results/lancedb
    container_name: default
    overwrite: True
    embeddings_schema:
      entity.description:
        index_name: my-entities
        vector_field: embedding
      document.text:
        index_name: docs
  other_store:
    type: azure_ai_search
    url: https://search.example.net
embed_text:
  model_id: default_embedding_model
  vector_store_id: default_vector_store
extract_graph:
  model_id: default_chat_model
  prompt: "prompts/extract_graph.txt"
local_search:
  chat_model_id: default_chat_model
  embedding_model_id: default_embedding_model
  prompt: "prompts/local_search_system_prompt.txt"
global_search:
  chat_model_id: small_chat
  map_prompt: "prompts/global_search_map_system_prompt.txt"
  reduce_prompt: "prompts/global_search_reduce_system_prompt.txt"
  knowledge_prompt: "prompts/global_search_knowledge_system_prompt.txt"
drift_search:
  chat_model_id: default_chat_model
  embedding_model_id: default_embedding_model
  prompt: "prompts/drift_search_system_prompt.txt"
  reduce_prompt: "prompts/drift_search_reduce_prompt.txt"
  reduce_max_tokens: null
  primer_folds: null
basic_search:
  chat_model_id: default_chat_model
  embedding_model_id: default_embedding_model
  prompt: "prompts/basic_search_system_prompt.txt"
"""

V3 = """\
completion_models:
  default_completion_model:
    type: litellm
    model_provider: openai
    model: gpt-4.1
    auth_method: api_key
    api_key: ${GRAPHRAG_API_KEY}
    call_args:
      temperature: 0
    retry:
      type: exponential_backoff
      max_retries: 5
      base_delay: 2.0
      jitter: true
      max_delay: 60
    rate_limit:
      type: sliding_window
      period_in_seconds: 30
      requests_per_period: 100
      tokens_per_period: 50000
embedding_models:
  default_embedding_model:
    model_provider: openai
    model: text-embedding-3-large
    auth_method: api_key
    api_key: ${GRAPHRAG_API_KEY}
    retry:
      type: immediate
input:
  type: text
input_storage:
  type: file
  base_dir: "input"
chunking:
  type: tokens
  size: 1200
  encoding_model: o200k_base
output_storage:
  type: file
  base_dir: "output"
table_provider:
  type: parquet
update_output_storage:
  type: file
  base_dir: "update_output"
cache:
  type: json
  storage:
    type: file
    base_dir: "cache"
reporting:
  type: file
  base_dir: "logs"
vector_store:
  type: lancedb
  db_uri: output/lancedb
  vector_size: 3072
  index_schema:
    entity_description:
      index_name: entity_description
      vector_size: 3072
      fields: {title: str}
    relationship_description:
      index_name: relationship_description
concurrent_requests: 10
async_mode: threaded
workflows: [create_base_text_units]
embed_text:
  embedding_model_id: default_embedding_model
extract_graph:
  completion_model_id: default_completion_model
local_search:
  completion_model_id: default_completion_model
  embedding_model_id: default_embedding_model
  prompt: "prompts/local_search_system_prompt.txt"
basic_search:
  completion_model_id: default_completion_model
  embedding_model_id: default_embedding_model
  k: 7
"""

MODELS = """\
completion_models:
  default_completion_model: {provider: extractive}
embedding_models:
  default_embedding_model: {provider: minilm}
"""


def project(folder: Path, settings: str, *, dotenv: str = "", name: str = "settings.yaml") -> Path:
    """A project folder with these settings."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(settings, encoding="utf-8")
    if dotenv:
        (folder / ".env").write_text(dotenv, encoding="utf-8")
    return folder


def loaded(folder: Path, settings: str, *sets: str, dotenv: str = "") -> Loaded:
    """``settings`` loaded from ``folder``, with ``--set`` for each of ``sets``."""
    return load(Where(root=project(folder, settings, dotenv=dotenv), overrides=sets))
