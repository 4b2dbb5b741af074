"""``config check`` finds what loading lets pass; ``config show`` tells every value and its origin."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
import yaml

from graphrag_cli.config.check import check
from graphrag_cli.config.describe import keys
from graphrag_cli.config.load import load
from graphrag_cli.config.loaded import Where
from graphrag_cli.config.providers import MASK
from graphrag_cli.config.schema import field_at
from graphrag_cli.config.show import as_yaml, rows
from graphrag_cli.resources import shipped
from tests.config.kit import MODELS, V1, V2, V3, loaded, project


def codes(folder: Path, text: str) -> set[str]:
    return {finding.code for finding in check(loaded(folder, text))}


def test_good_settings_have_no_findings(tmp_path: Path) -> None:
    assert check(loaded(tmp_path, MODELS)) == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("local_search: {completion_model_id: nobody}", "settings.model_id"),
        ("drift_search: {embedding_model_id: nobody}", "settings.model_id"),
        ("global_search: {rate_model_id: nobody}", "settings.model_id"),
        (
            "drift_search: {local_search_text_unit_prop: 0.9, local_search_community_prop: 0.1}",
            "settings.shares",
        ),
        ("local_search: {text_unit_prop: 0.8, community_prop: 0.2}", "settings.shares"),
        ("local_search: {call_args: {max_tokens: 1, max_completion_tokens: 1}}", "settings.arguments"),
        ("drift_search: {reduce_max_tokens: 1, reduce_max_completion_tokens: 1}", "settings.arguments"),
        ("basic_search: {call_args: {n: 3}}", "settings.arguments"),
        ("vector_store: {type: azure_ai_search, url: https://x.search.windows.net}", "settings.vector_store"),
        ("vector_store: {type: cosmosdb}", "settings.vector_store"),
        ("output_storage: {type: cosmosdb}", "settings.storage"),
        ("local_search: {prompt: prompts/none.txt}", "settings.prompt"),
        ("basic_search: {text_unit_prop: 0.5}", "settings.no_effect"),
        ("locl_search: {}", "settings.unknown"),
    ],
)
def test_each_oddity_has_its_code(tmp_path: Path, text: str, code: str) -> None:
    assert codes(tmp_path, MODELS + text + "\n") == {code}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{model: m, api_key: k, api_base: 'https://x.openai.azure.com'}", "settings.azure"),
        ("{model: m, api_base: 'http://localhost:11434/api'}", "settings.address"),
        ("{model: m, api_base: 'http://localhost:1/v1/chat/completions'}", "settings.address"),
        ("{model: m, api_key: k, api_base: 'localhost:1/v1'}", "settings.address"),
        ("{model: m, api_key: '${NOPE}'}", "settings.missing"),
        ("{provider: gguf}", "settings.missing"),
    ],
)
def test_each_oddity_of_a_model_has_its_code(tmp_path: Path, body: str, code: str) -> None:
    text = f"completion_models: {{default_completion_model: {body}}}\nembedding_models: {{default_embedding_model: {{provider: minilm}}}}\n"

    assert codes(tmp_path, text) == {code}


def test_a_tuned_prompt_without_its_placeholder_is_found(tmp_path: Path) -> None:
    project(tmp_path, MODELS)
    (tmp_path / "p.txt").write_text("hello {response_type}", encoding="utf-8")

    assert codes(tmp_path, MODELS + "local_search: {prompt: p.txt}\n") == {"prompt.placeholder"}


def test_errors_come_first(tmp_path: Path) -> None:
    findings = check(loaded(tmp_path, MODELS + "locl: 1\nvector_store: {type: cosmosdb}\n"))

    assert [finding.severity for finding in findings] == ["error", "warning"]


# ---- show ----


def test_every_key_is_shown_with_value_and_origin(tmp_path: Path) -> None:
    shown = {row.key: row for row in rows(loaded(tmp_path, MODELS + "seed: 7\n"))}

    assert (shown["seed"].value, str(shown["seed"].origin)) == ("7", "settings.yaml:5")
    assert (shown["local_search.text_unit_prop"].value, str(shown["local_search.text_unit_prop"].origin)) == (
        "0.5",
        "default",
    )
    assert shown["local_search.prompt"].value == "null"
    assert shown["global_search.allow_general_knowledge"].value == "false"
    assert "root" not in shown


@pytest.mark.parametrize("text", [V1, V2, V3], ids=["v1", "v2", "v3"])
def test_secrets_are_never_shown(tmp_path: Path, text: str) -> None:
    result = loaded(tmp_path, text, dotenv="GRAPHRAG_API_KEY=sk-very-secret")
    document = as_yaml(result) + repr(rows(result)) + repr(check(result)) + repr(result)

    assert "sk-very-secret" not in document
    assert MASK in document


def test_passwords_in_addresses_and_headers_are_masked(tmp_path: Path) -> None:
    text = """\
completion_models:
  m:
    model: x
    api_base: http://user:pw-1@localhost:1/v1?version=1&api_key=pw-4
    proxy: http://user:pw-2@proxy:3128
    headers: {X-Api-Key: pw-3}
"""
    result = loaded(tmp_path, text)
    document = as_yaml(result) + repr(rows(result))

    assert not [secret for secret in ("pw-1", "pw-2", "pw-3", "pw-4") if secret in document]
    assert f"http://{MASK}@localhost:1/v1?version=1&api_key={MASK}" in document


def test_a_missing_value_is_shown_as_such(tmp_path: Path) -> None:
    shown = {row.key: row.value for row in rows(loaded(tmp_path, V3))}

    assert shown["completion_models.default_completion_model.api_key"] == "(missing)"


@pytest.mark.parametrize("text", [V1, V2, V3, MODELS], ids=["v1", "v2", "v3", "embedded"])
def test_what_is_shown_as_yaml_loads_as_the_same_settings(tmp_path: Path, text: str) -> None:
    text = text.replace("api_key: none", f"api_key: '{MASK}'")
    result = loaded(tmp_path, text, dotenv=f"GRAPHRAG_API_KEY={MASK}")
    again = loaded(tmp_path, as_yaml(result))

    assert again.settings == result.settings
    assert again.findings == ()


# ---- documentation of keys ----


def test_every_key_is_documented() -> None:
    documented = keys()

    assert [key.dotted for key in documented if not key.doc] == []
    assert len({key.dotted for key in documented}) == len(documented)


def test_every_documented_key_is_a_setting() -> None:
    assert [key.dotted for key in keys() if field_at(tuple(key.dotted.split("."))) is None] == []


# ---- the settings file that is shipped ----


def uncommented() -> str:
    lines = shipped("settings.yaml").read_text(encoding="utf-8").splitlines()
    return "\n".join(_without_mark(line) for line in lines)


def _without_mark(line: str) -> str:
    stripped = line.lstrip()
    is_setting = stripped.startswith("#") and stripped[1:2].isalpha()
    return line.replace("#", "", 1) if is_setting else line


def recipes() -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in shipped("settings.yaml").read_text(encoding="utf-8").splitlines():
        if line.startswith("# --- Recipe: "):
            name = line.removeprefix("# --- Recipe: ")
            found[name] = ""
        elif name and line.startswith("#     "):
            found[name] += line.removeprefix("#     ") + "\n"
        elif not line.startswith("#"):
            name = ""
    return found


def test_the_shipped_settings_load_without_a_finding() -> None:
    result = load(Where(config=shipped("settings.yaml")))

    assert check(result) == ()
    assert (Path(result.settings.output_storage.base_dir) / "entities.parquet").is_file()


def test_the_shipped_settings_name_every_key_at_its_default(tmp_path: Path) -> None:
    plain = loaded(tmp_path, shipped("settings.yaml").read_text(encoding="utf-8"))
    full = loaded(tmp_path, uncommented())

    assert full.findings == ()
    assert full.settings == plain.settings
    sections = ("history", "cache", "local_search", "global_search", "drift_search", "basic_search")
    named = {".".join(key.split(".")[:2]) for key in _keys_of(yaml.safe_load(uncommented()))}
    expected = {
        key.dotted for key in keys() if key.dotted.startswith(sections) and "call_args" not in key.dotted
    }
    assert expected <= named


def _keys_of(tree: dict[str, object], prefix: str = "") -> list[str]:
    found: list[str] = []
    for name, value in tree.items():
        found.append(prefix + name)
        if isinstance(value, dict):
            found += _keys_of(cast("dict[str, object]", value), f"{prefix}{name}.")
    return found


@pytest.mark.parametrize("name", sorted(recipes()))
def test_each_recipe_describes_models_that_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for variable in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(variable, "k-1")

    assert check(loaded(tmp_path, recipes()[name])) == ()


def test_there_is_a_recipe_for_each_common_server() -> None:
    text = " ".join(recipes())

    for server in ("OpenAI", "Azure", "Ollama", "vLLM", "LM Studio", "llama.cpp", "OpenRouter", "GGUF"):
        assert server in text
