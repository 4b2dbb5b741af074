"""Settings of a project to measure: one file that GraphRAG 3.x and this tool both read."""

from __future__ import annotations

from pathlib import Path

BASE_VARIABLE = "BENCH_API_BASE"
"""Environment variable that holds the base address of the fake endpoint."""


def write_settings(project: Path, data: Path, width: int) -> None:
    """Writes ``settings.yaml`` unless it already says the same."""
    text = _TEMPLATE.format(base=f"${{{BASE_VARIABLE}}}", data=data.resolve().as_posix(), width=width)
    path = project / "settings.yaml"
    project.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


_TEMPLATE = """\
completion_models:
  default_completion_model:
    model_provider: openai
    model: gpt-4.1
    auth_method: api_key
    api_key: not-a-key
    api_base: {base}
embedding_models:
  default_embedding_model:
    model_provider: openai
    model: text-embedding-3-large
    auth_method: api_key
    api_key: not-a-key
    api_base: {base}
input_storage:
  type: file
  base_dir: input
output_storage:
  type: file
  base_dir: {data}
vector_store:
  type: lancedb
  db_uri: {data}/lancedb
  vector_size: {width}
  index_schema:
    entity_description: {{index_name: entity_description, vector_size: {width}}}
    community_full_content: {{index_name: community_full_content, vector_size: {width}}}
    text_unit_text: {{index_name: text_unit_text, vector_size: {width}}}
"""
