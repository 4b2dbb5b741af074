"""A settings file of any release comes out as the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_cli.config.settings import IndexSchema
from tests.config.kit import V1, V2, V3, loaded

KEY = "GRAPHRAG_API_KEY=sk-test-1"


@pytest.mark.parametrize("text", [V1, V2, V3], ids=["v1", "v2", "v3"])
def test_a_generated_file_of_each_release_loads_without_a_warning(tmp_path: Path, text: str) -> None:
    result = loaded(tmp_path, text, dotenv=KEY)

    assert result.findings == ()
    assert dict(result.unresolved) == {}
    chat = result.settings.completion_models["default_completion_model"]
    assert chat.provider == "openai"
    assert chat.api_key is not None
    assert chat.api_key.get_secret_value() == "sk-test-1"
    assert "default_embedding_model" in result.settings.embedding_models


def test_v1_models_become_entries(tmp_path: Path) -> None:
    settings = loaded(tmp_path, V1, dotenv=KEY).settings
    chat = settings.completion_models["default_completion_model"]

    assert (chat.model, chat.timeout, chat.encoding_model) == ("gpt-4-turbo-preview", 120.0, "cl100k_base")
    assert (chat.retry.max_retries, chat.retry.max_delay) == (10, 10.0)
    assert (chat.rate_limit.tokens_per_minute, chat.rate_limit.requests_per_minute) == (150_000, None)
    assert (chat.call_args.max_tokens, chat.call_args.temperature, chat.call_args.top_p) == (4000, 0, 1)
    assert chat.structured_output == "auto"
    assert settings.embedding_models["default_embedding_model"].model == "text-embedding-3-small"


def test_v1_search_sections_keep_their_values_under_the_new_names(tmp_path: Path) -> None:
    settings = loaded(tmp_path, V1, dotenv=KEY).settings

    assert settings.local_search.max_context_tokens == 9000
    assert settings.local_search.top_k_entities == 12
    assert settings.local_search.call_args.max_tokens == 1500
    assert settings.local_search.call_args.temperature == 0.1
    assert settings.global_search.max_context_tokens == 8000
    assert settings.global_search.map_max_length == 900
    assert settings.global_search.reduce_max_length == 1800
    assert settings.global_search.concurrency == 16
    assert settings.global_search.map_call_args.temperature == 0
    assert settings.global_search.reduce_call_args.temperature == 0


def test_names_of_the_earliest_releases_are_read(tmp_path: Path) -> None:
    text = "local_search: {llm_temperature: 0.2, llm_n: 1}\nglobal_search: {llm_top_p: 0.9}\n"
    settings = loaded(tmp_path, text).settings

    assert (settings.local_search.call_args.temperature, settings.local_search.call_args.n) == (0.2, 1)
    assert settings.global_search.map_call_args.top_p == settings.global_search.reduce_call_args.top_p == 0.9


def test_v1_dynamic_search_llm_becomes_the_rating_model_at_the_same_endpoint(tmp_path: Path) -> None:
    settings = loaded(tmp_path, V1, dotenv=KEY).settings

    rate = settings.completion_models[settings.global_search.rate_model_id or ""]
    assert rate.model == "gpt-4o-mini"
    assert rate.api_key == settings.completion_models["default_completion_model"].api_key


def test_v1_folder_of_timestamped_runs_is_the_folder_above_them(tmp_path: Path) -> None:
    assert loaded(tmp_path, V1, dotenv=KEY).settings.output_storage.base_dir == str(tmp_path / "output")


def test_v1_keys_without_effect_are_remarks_and_no_findings(tmp_path: Path) -> None:
    keys = {remark.key for remark in loaded(tmp_path, V1, dotenv=KEY).remarks}

    assert {"drift_search.temperature", "vector_store.collection_name"} <= keys


def test_v1_embedding_takes_the_key_of_llm_over(tmp_path: Path) -> None:
    text = "llm: {api_key: sk-1, model: gpt-4o}\nembeddings: {llm: {model: text-embedding-3-small}}\n"
    entry = loaded(tmp_path, text).settings.embedding_models["default_embedding_model"]

    assert entry.api_key is not None
    assert entry.api_key.get_secret_value() == "sk-1"


def test_v1_key_of_llm_is_not_sent_to_another_address(tmp_path: Path) -> None:
    text = """\
llm: {api_key: sk-1, model: gpt-4o}
embeddings: {llm: {model: m, api_base: "https://elsewhere.example.com/v1"}}
"""
    result = loaded(tmp_path, text)

    assert result.settings.embedding_models["default_embedding_model"].api_key is None
    assert "embedding_models.default_embedding_model.api_key" in result.unresolved


def test_v1_on_azure_takes_the_endpoint_over(tmp_path: Path) -> None:
    text = """\
llm:
  type: azure_openai_chat
  api_key: k
  api_base: https://x.openai.azure.com
  api_version: 2024-10-21
  deployment_name: chat
  model: gpt-4o
embeddings:
  llm: {type: azure_openai_embedding, deployment_name: embed, model: text-embedding-3-small}
"""
    result = loaded(tmp_path, text)
    embedding = result.settings.embedding_models["default_embedding_model"]

    assert dict(result.unresolved) == {}
    assert (embedding.provider, embedding.api_base) == ("azure", "https://x.openai.azure.com")
    assert (embedding.api_version, embedding.deployment_name) == ("2024-10-21", "embed")


def test_v1_variables_fill_what_the_file_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHRAG_LLM_MODEL", "from-environment")
    monkeypatch.setenv("GRAPHRAG_STORAGE_BASE_DIR", "elsewhere")
    monkeypatch.setenv("GRAPHRAG_API_BASE", "http://localhost:9/v1")
    monkeypatch.setenv("GRAPHRAG_LOCAL_SEARCH_LLM_MAX_TOKENS", "77")
    settings = loaded(tmp_path, "llm: {temperature: 0.5}\nembeddings: {llm: {model: e}}\n").settings
    chat = settings.completion_models["default_completion_model"]

    assert (chat.model, chat.api_base, chat.call_args.temperature) == (
        "from-environment",
        "http://localhost:9/v1",
        0.5,
    )
    assert settings.output_storage.base_dir == str(tmp_path / "elsewhere")
    assert settings.local_search.call_args.max_tokens == 77


def test_v1_variables_do_not_touch_a_newer_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHRAG_STORAGE_BASE_DIR", "elsewhere")

    assert loaded(tmp_path, V3, dotenv=KEY).settings.output_storage.base_dir == str(tmp_path / "output")


def test_v2_models_are_told_apart_by_type(tmp_path: Path) -> None:
    settings = loaded(tmp_path, V2, dotenv=KEY).settings

    assert list(settings.completion_models) == ["default_completion_model", "small_chat"]
    assert list(settings.embedding_models) == ["default_embedding_model"]
    chat = settings.completion_models["default_completion_model"]
    assert (chat.structured_output, chat.concurrent_requests, chat.auth_method) == ("none", 20, "api_key")
    assert (chat.rate_limit.tokens_per_minute, chat.rate_limit.requests_per_minute) == (None, 300)
    assert chat.retry.max_retries == 7


def test_v2_references_to_models_follow(tmp_path: Path) -> None:
    settings = loaded(tmp_path, V2, dotenv=KEY).settings

    assert settings.local_search.completion_model_id == "default_completion_model"
    assert settings.global_search.completion_model_id == "small_chat"


def test_v2_ollama_gets_the_path_that_its_openai_side_lives_under(tmp_path: Path) -> None:
    small = loaded(tmp_path, V2, dotenv=KEY).settings.completion_models["small_chat"]

    assert (small.provider, small.api_base) == ("openai", "http://127.0.0.1:11434/v1")


def test_v2_output_is_used_and_storage_is_not(tmp_path: Path) -> None:
    storage = loaded(tmp_path, V2, dotenv=KEY).settings.output_storage

    assert (storage.type, storage.base_dir) == ("file", str(tmp_path / "results"))


def test_v2_vector_store_is_the_one_that_embed_text_names(tmp_path: Path) -> None:
    result = loaded(tmp_path, V2, dotenv=KEY)
    store = result.settings.vector_store

    assert (store.type, store.db_uri) == ("lancedb", str(tmp_path / "results/lancedb"))
    assert store.index_schema == {
        "entity_description": IndexSchema(index_name="my-entities", vector_field="embedding")
    }
    assert any(remark.key == "vector_store.other_store" for remark in result.remarks)


def test_v2_several_outputs_are_kept_by_name(tmp_path: Path) -> None:
    text = V2 + "outputs:\n  one: {type: file, base_dir: a/output}\n  two: {type: file, base_dir: b/output}\n"
    outputs = loaded(tmp_path, text, dotenv=KEY).settings.outputs

    assert {name: storage.base_dir for name, storage in outputs.items()} == {
        "one": str(tmp_path / "a/output"),
        "two": str(tmp_path / "b/output"),
    }


def test_v3_limits_per_period_become_limits_per_minute(tmp_path: Path) -> None:
    limit = loaded(tmp_path, V3, dotenv=KEY).settings.completion_models["default_completion_model"].rate_limit

    assert (limit.requests_per_minute, limit.tokens_per_minute) == (200, 100_000)


def test_v3_retry_spellings(tmp_path: Path) -> None:
    settings = loaded(tmp_path, V3, dotenv=KEY).settings
    retry = settings.completion_models["default_completion_model"].retry

    assert (retry.max_retries, retry.base_delay, retry.max_delay) == (5, 2.0, 60.0)
    assert settings.embedding_models["default_embedding_model"].retry.base_delay == 0.0


def test_v3_layouts_that_no_query_uses_are_left_out(tmp_path: Path) -> None:
    store = loaded(tmp_path, V3, dotenv=KEY).settings.vector_store

    assert store.index_schema == {"entity_description": IndexSchema(index_name="entity_description")}


def test_v3_cache_of_indexing_is_not_ours(tmp_path: Path) -> None:
    assert loaded(tmp_path, V3, dotenv=KEY).settings.cache.type == "none"
    sqlite = "cache: {type: sqlite, storage: {type: file, base_dir: cache}}\n"
    assert loaded(tmp_path, sqlite).settings.cache.type == "none"
    assert loaded(tmp_path, "cache: {type: sqlite}\n").settings.cache.type == "sqlite"


def test_v3_mock_answers_from_its_list(tmp_path: Path) -> None:
    text = (
        "completion_models: {m: {type: mock, model_provider: mock, model: x, mock_responses: [one, two]}}\n"
    )
    entry = loaded(tmp_path, text).settings.completion_models["m"]

    assert (entry.provider, entry.responses) == ("scripted", ("one", "two"))


@pytest.mark.parametrize(
    ("provider", "base"),
    [
        ("ollama", "http://localhost:11434/v1"),
        ("lm_studio", "http://localhost:1234/v1"),
        ("vllm", "http://localhost:8000/v1"),
        ("openrouter", "https://openrouter.ai/api/v1"),
        ("groq", "https://api.groq.com/openai/v1"),
        ("mistral", "https://api.mistral.ai/v1"),
        ("deepseek", "https://api.deepseek.com/v1"),
    ],
)
@pytest.mark.parametrize("spelling", ["model_provider", "provider"])
def test_services_bring_their_address(tmp_path: Path, provider: str, base: str, spelling: str) -> None:
    text = f"completion_models: {{m: {{{spelling}: {provider}, model: x, api_key: k}}}}\n"
    entry = loaded(tmp_path, text).settings.completion_models["m"]

    assert (entry.provider, entry.api_base) == ("openai", base)


def test_an_address_of_ones_own_wins_over_that_of_the_service(tmp_path: Path) -> None:
    text = "completion_models: {m: {model_provider: vllm, model: x, api_base: 'http://gpu:9000/v1'}}\n"

    assert loaded(tmp_path, text).settings.completion_models["m"].api_base == "http://gpu:9000/v1"


def test_a_service_that_is_not_known_needs_an_address(tmp_path: Path) -> None:
    text = "completion_models: {m: {model_provider: bedrock, model: x, api_key: k}}\n"

    assert "bedrock" in loaded(tmp_path, text).unresolved["completion_models.m.api_base"].text


def test_a_new_spelling_wins_over_an_old_one_in_the_same_file(tmp_path: Path) -> None:
    text = "local_search: {max_tokens: 1, max_context_tokens: 2}\n"

    assert loaded(tmp_path, text).settings.local_search.max_context_tokens == 2


def test_an_old_spelling_of_a_stronger_origin_wins(tmp_path: Path) -> None:
    text = "local_search: {max_context_tokens: 2}\n"

    assert loaded(tmp_path, text, "local_search.max_tokens=3").settings.local_search.max_context_tokens == 3


def test_a_service_named_by_a_flag_wins_over_the_provider_of_the_file(tmp_path: Path) -> None:
    text = "completion_models: {m: {provider: extractive, model: extractive}}\n"
    override = "completion_models.m={model_provider: ollama, model: qwen3}"
    entry = loaded(tmp_path, text, override).settings.completion_models["m"]

    assert (entry.provider, entry.model, entry.api_base) == ("openai", "qwen3", "http://localhost:11434/v1")
