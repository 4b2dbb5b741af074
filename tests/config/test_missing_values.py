"""Variables, placeholders and keys: what is missing fails only a run that needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_cli.errors import SettingsError
from tests.config.kit import V3, loaded

CHAT = "completion_models.default_completion_model"


def chat(body: str) -> str:
    return f"completion_models:\n  default_completion_model: {body}\nembedding_models:\n  default_embedding_model: {{provider: minilm}}\n"


def test_a_missing_variable_does_not_stop_loading(tmp_path: Path) -> None:
    result = loaded(tmp_path, V3)

    assert set(result.unresolved) == {f"{CHAT}.api_key", "embedding_models.default_embedding_model.api_key"}
    result.require("output_storage", "vector_store")


def test_a_missing_variable_that_is_needed_names_file_line_key_and_variable(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, V3).require(CHAT)

    assert (
        caught.value.message
        == f"settings.yaml:7: {CHAT}.api_key needs the variable GRAPHRAG_API_KEY, which is not set"
    )
    assert ".env" in (caught.value.hint or "")


def test_the_key_as_written_is_named_in_old_files(tmp_path: Path) -> None:
    problem = loaded(tmp_path, "llm:\n  model: m\n  api_key: ${NOPE}\n").unresolved[f"{CHAT}.api_key"]

    assert problem.text.startswith("settings.yaml:3: llm.api_key needs the variable NOPE")


def test_a_run_that_does_not_use_a_model_does_not_need_its_key(tmp_path: Path) -> None:
    text = """\
completion_models:
  default_completion_model: {provider: extractive}
embedding_models:
  default_embedding_model: {model_provider: openai, model: m, api_key: "${NOPE}"}
"""
    result = loaded(tmp_path, text)

    result.require(CHAT)
    with pytest.raises(SettingsError, match="NOPE"):
        result.require(CHAT, "embedding_models.default_embedding_model")


@pytest.mark.parametrize(
    "value", ["<API_KEY>", "your-api-key", "YOUR_API_KEY_HERE", "sk-...", "changeme", "xxxx", "<your key>"]
)
def test_a_placeholder_is_no_key(tmp_path: Path, value: str) -> None:
    problem = loaded(tmp_path, chat(f'{{model: m, api_key: "{value}"}}')).unresolved[f"{CHAT}.api_key"]

    assert "placeholder" in problem.text
    assert f"{CHAT}.api_key" in problem.text


def test_a_placeholder_in_dotenv_names_the_variable(tmp_path: Path) -> None:
    problem = loaded(tmp_path, V3, dotenv="GRAPHRAG_API_KEY=<API_KEY>").unresolved[f"{CHAT}.api_key"]

    assert "GRAPHRAG_API_KEY" in problem.text


@pytest.mark.parametrize("dotenv", ["GRAPHRAG_API_KEY=", "GRAPHRAG_API_KEY='  '"])
def test_an_empty_key_variable_names_key_and_variable(tmp_path: Path, dotenv: str) -> None:
    problem = loaded(tmp_path, V3, dotenv=dotenv).unresolved[f"{CHAT}.api_key"]

    assert "is empty (from the variable GRAPHRAG_API_KEY)" in problem.text


def test_placeholders_of_azure_are_found(tmp_path: Path) -> None:
    body = '{provider: azure, model: m, api_key: k, api_base: "https://<instance>.openai.azure.com", deployment_name: "<deployment>", api_version: v}'
    problems = loaded(tmp_path, chat(body)).unresolved

    assert set(problems) == {f"{CHAT}.api_base", f"{CHAT}.deployment_name"}


def test_azure_without_address_and_version_lacks_both(tmp_path: Path) -> None:
    problems = loaded(tmp_path, chat("{model_provider: azure, model: m, api_key: k}")).unresolved

    assert set(problems) == {f"{CHAT}.api_base", f"{CHAT}.api_version"}


@pytest.mark.parametrize(
    "body",
    [
        "{model_provider: ollama, model: m}",
        '{model: m, api_base: "http://localhost:8080/v1", api_key: "${NOPE}"}',
        '{model: m, api_base: "http://127.0.0.1:8080/v1", api_key: ""}',
        '{model: m, api_base: "http://[::1]:8080/v1", api_key: "<API_KEY>"}',
        '{model: m, api_base: "http://192.168.1.5:8000/v1"}',
        '{model: m, api_base: "http://gpu-box:8000/v1"}',
        "{provider: azure, model: m, api_base: https://x.openai.azure.com, api_version: v, auth_method: azure_managed_identity}",
        "{provider: extractive, api_key: '${NOPE}'}",
    ],
)
def test_no_key_is_demanded_where_none_is_used(tmp_path: Path, body: str) -> None:
    assert dict(loaded(tmp_path, chat(body)).unresolved) == {}


def test_a_model_without_a_key_says_how_to_give_one(tmp_path: Path) -> None:
    problem = loaded(tmp_path, chat("{model: gpt-4.1}")).unresolved[f"{CHAT}.api_key"]

    assert "OPENAI_API_KEY" in problem.hint


def test_the_usual_variable_of_a_service_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
    result = loaded(tmp_path, chat("{model: gpt-4.1}"))
    key = result.settings.completion_models["default_completion_model"].api_key

    assert key is not None
    assert key.get_secret_value() == "sk-usual"
    assert str(result.origins[f"{CHAT}.api_key"]) == "OPENAI_API_KEY in the environment"


def test_the_usual_variable_is_not_sent_to_another_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
    result = loaded(tmp_path, chat('{model: m, api_base: "https://gateway.example.com/v1"}'))

    assert result.settings.completion_models["default_completion_model"].api_key is None
    assert f"{CHAT}.api_key" in result.unresolved


def test_a_model_without_a_name_is_told(tmp_path: Path) -> None:
    assert f"{CHAT}.model" in loaded(tmp_path, chat("{api_key: k}")).unresolved


def test_a_gguf_model_needs_its_file(tmp_path: Path) -> None:
    assert f"{CHAT}.path" in loaded(tmp_path, chat("{provider: gguf}")).unresolved
    entry = loaded(tmp_path, chat("{provider: gguf, path: models/a.gguf}")).settings.completion_models
    assert entry["default_completion_model"].path == tmp_path / "models/a.gguf"


@pytest.mark.parametrize("body", ["{model: '${A}', api_key: '${B}'}", "null", "{}"])
def test_an_entry_that_has_nothing_usable_is_still_an_entry(tmp_path: Path, body: str) -> None:
    result = loaded(tmp_path, chat(body))

    assert "default_completion_model" in result.settings.completion_models
    assert f"{CHAT}.model" in result.unresolved


def test_a_missing_connection_string_is_no_problem_for_a_folder(tmp_path: Path) -> None:
    text = "output_storage: {{type: {}, connection_string: '${{NOPE}}'}}\n"

    assert dict(loaded(tmp_path, text.format("file")).unresolved) == {}
    assert "output_storage.connection_string" in loaded(tmp_path, text.format("blob")).unresolved


def test_a_scripted_model_needs_its_replies(tmp_path: Path) -> None:
    assert f"{CHAT}.path" in loaded(tmp_path, chat("{provider: scripted}")).unresolved
    assert dict(loaded(tmp_path, chat("{provider: scripted, responses: [sure]}")).unresolved) == {}


def test_a_missing_value_leaves_the_default_in_the_tree(tmp_path: Path) -> None:
    result = loaded(tmp_path, "local_search: {top_k_entities: '${NOPE}'}\n")

    assert result.settings.local_search.top_k_entities == 10
    with pytest.raises(SettingsError, match="NOPE"):
        result.require("local_search")
