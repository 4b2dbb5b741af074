"""Whatever a settings file holds, it loads or is refused with a ``SettingsError``: nothing else comes out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag_cli.config.check import check
from graphrag_cli.config.load import load
from graphrag_cli.config.loaded import Where
from graphrag_cli.config.show import as_yaml, rows
from graphrag_cli.errors import SettingsError

ROOTS = """
    llm embeddings models completion_models embedding_models storage output output_storage outputs vector_store
    cache encoding_model local_search global_search drift_search basic_search history community_level seed root
    nonsense embed_text table_provider concurrent_requests
"""
INNER = """
    default_chat_model default_completion_model default_vector_store type model_provider provider model api_key
    api_base llm vector_store rate_limit period_in_seconds requests_per_period tokens_per_minute retry max_retries
    call_args temperature max_tokens embeddings_schema index_schema entity.description entity_description base_dir
    dynamic_search_llm model_supports_json vector_store_id prompt top_k_entities headers price input x
"""
TEXTS = """
    auto azure openai_chat ollama mock extractive ${NOPE} ${A:-1} <KEY> lancedb 0 -1 http://[ sqlite gguf none
"""
OTHERS: list[object] = ["", "x y", None, True, 0, -1, 7, 0.5, 1e400, [], ["a"], [1, {"b": "${NOPE}"}], {}]
VALUES: st.SearchStrategy[object] = st.sampled_from([*TEXTS.split(), *OTHERS])
TREES = st.dictionaries(
    st.sampled_from(ROOTS.split()),
    st.recursive(
        VALUES, lambda inner: st.dictionaries(st.sampled_from(INNER.split()), inner, max_size=4), max_leaves=8
    ),
    min_size=1,
    max_size=5,
)


@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(TREES)
def test_any_tree_loads_or_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, object]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    (tmp_path / "settings.yaml").write_text(json.dumps(tree), encoding="utf-8")
    try:
        result = load(Where(root=tmp_path))
    except SettingsError as error:
        assert error.message
        return
    check(result)
    as_yaml(result)
    assert rows(result)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_any_text_loads_or_is_refused_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load(Where(root=tmp_path))
    except SettingsError as error:
        assert error.message


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_load_or_are_refused_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "settings.yaml").write_bytes(content)
    try:
        load(Where(root=tmp_path))
    except SettingsError as error:
        assert error.message


@pytest.mark.parametrize(
    "text", ["? [a, b]\n: 1\n", "1: 2\n", "null: 1\n", "a: 1e400\n", "seed: .nan\n", "? {a: b}\n: c\n"]
)
def test_odd_keys_and_values_are_refused_or_warned_of(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.yaml").write_text(text, encoding="utf-8")
    try:
        assert load(Where(root=tmp_path)).findings
    except SettingsError as error:
        assert "settings.yaml:1" in error.message
