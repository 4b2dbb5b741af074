"""Which value holds, where it came from, and what relative paths are relative to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_cli.config.load import load
from graphrag_cli.config.loaded import Where
from graphrag_cli.errors import SettingsError
from tests.config.kit import MODELS, V3, loaded, project

KEY = "local_search.top_k_entities"
NAME = "GRAPHRAG_CLI__LOCAL_SEARCH__TOP_K_ENTITIES"
FILE = MODELS + "local_search:\n  top_k_entities: 2\n"


def test_a_value_of_the_file_names_its_line(tmp_path: Path) -> None:
    result = loaded(tmp_path, FILE)

    assert result.settings.local_search.top_k_entities == 2
    assert str(result.origins[KEY]) == "settings.yaml:6"


def test_dotenv_wins_over_the_file(tmp_path: Path) -> None:
    result = loaded(tmp_path, FILE, dotenv=f"{NAME}=3")

    assert result.settings.local_search.top_k_entities == 3
    assert str(result.origins[KEY]) == f"{NAME} in .env"


def test_the_environment_wins_over_dotenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "4")
    result = loaded(tmp_path, FILE, dotenv=f"{NAME}=3")

    assert result.settings.local_search.top_k_entities == 4
    assert str(result.origins[KEY]) == f"{NAME} in the environment"


def test_set_wins_over_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "4")
    result = loaded(tmp_path, FILE, f"{KEY}=5")

    assert result.settings.local_search.top_k_entities == 5
    assert str(result.origins[KEY]) == f"--set {KEY}"


def test_the_last_set_wins(tmp_path: Path) -> None:
    assert loaded(tmp_path, FILE, f"{KEY}=5", f"{KEY}=6").settings.local_search.top_k_entities == 6


def test_keys_that_nobody_gave_have_no_origin(tmp_path: Path) -> None:
    assert "local_search.text_unit_prop" not in loaded(tmp_path, FILE).origins


def test_a_variable_of_the_environment_wins_over_that_of_dotenv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHRAG_API_KEY", "sk-process")
    settings = loaded(tmp_path, V3, dotenv="GRAPHRAG_API_KEY=sk-dotenv").settings
    key = settings.completion_models["default_completion_model"].api_key

    assert key is not None
    assert key.get_secret_value() == "sk-process"


def test_loading_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    before, folder = dict(os.environ), Path.cwd()
    loaded(tmp_path, V3, dotenv="GRAPHRAG_API_KEY=sk-dotenv")

    assert (dict(os.environ), Path.cwd()) == (before, folder)


def test_set_is_typed_as_yaml(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        MODELS,
        "local_search.prompt=null",
        "global_search.allow_general_knowledge=true",
        "local_search.call_args={temperature: 0.5, top_p: 0.9}",
        "response_type='5'",
    ).settings

    assert settings.global_search.allow_general_knowledge is True
    assert (settings.local_search.call_args.temperature, settings.local_search.call_args.top_p) == (0.5, 0.9)
    assert settings.response_type == "5"


def test_set_reaches_a_model_whose_id_holds_dots(tmp_path: Path) -> None:
    text = "completion_models: {gpt-4.1: {model: gpt-4.1, api_key: k}}\n"
    result = loaded(tmp_path, text, 'completion_models."gpt-4.1".timeout=9')

    assert result.settings.completion_models["gpt-4.1"].timeout == 9
    assert 'completion_models."gpt-4.1".timeout' in result.origins


def test_set_may_name_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-1")
    entry = loaded(tmp_path, "completion_models: {m: {model: x}}\n", "completion_models.m.api_key=${MY_KEY}")
    key = entry.settings.completion_models["m"].api_key

    assert key is not None
    assert key.get_secret_value() == "sk-1"


def test_the_environment_reaches_models_and_takes_json_for_sections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHRAG_CLI__COMPLETION_MODELS__DEFAULT_COMPLETION_MODEL__TIMEOUT", "11")
    monkeypatch.setenv("GRAPHRAG_CLI__LOCAL_SEARCH__CALL_ARGS", '{"temperature": 0.5}')
    monkeypatch.setenv("GRAPHRAG_CLI__COMMUNITY_LEVEL", "deepest")
    settings = loaded(tmp_path, MODELS).settings

    assert settings.completion_models["default_completion_model"].timeout == 11
    assert settings.local_search.call_args.temperature == 0.5
    assert settings.community_level == "deepest"


def test_a_section_in_the_environment_that_is_no_json_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHRAG_CLI__LOCAL_SEARCH", "{oops")

    with pytest.raises(SettingsError, match="local_search"):
        loaded(tmp_path, MODELS)


def test_an_unknown_name_in_the_environment_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHRAG_CLI__LOCL_SEARCH__K", "1")
    monkeypatch.setenv("GRAPHRAG_CLI__BASIC_SEARCH__KK", "1")
    findings = {finding.key: finding for finding in loaded(tmp_path, MODELS).findings}

    assert "did you mean local_search" in findings["locl_search.k"].text
    assert "basic_search.kk" in findings


def test_a_wrong_value_in_the_environment_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, "many")

    with pytest.raises(SettingsError, match=f"{NAME} in the environment: {KEY} is 'many'"):
        loaded(tmp_path, FILE)


def test_relative_paths_are_relative_to_the_settings_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = loaded(tmp_path / "project", V3).settings

    assert settings.root == tmp_path / "project"
    assert settings.output_storage.base_dir == str(tmp_path / "project/output")
    assert settings.vector_store.db_uri == str(tmp_path / "project/output/lancedb")
    assert settings.local_search.prompt == tmp_path / "project/prompts/local_search_system_prompt.txt"


def test_absolute_paths_and_urls_stay(tmp_path: Path) -> None:
    text = "output_storage: {base_dir: /data/out put}\nvector_store: {db_uri: 's3://bucket/lancedb'}\n"
    settings = loaded(tmp_path, text).settings

    assert (settings.output_storage.base_dir, settings.vector_store.db_uri) == (
        "/data/out put",
        "s3://bucket/lancedb",
    )


def test_the_folder_of_the_tables_is_absolute_by_default_too(tmp_path: Path) -> None:
    result = loaded(tmp_path, MODELS)

    assert result.settings.output_storage.base_dir == str(tmp_path / "output")
    assert "output_storage.base_dir" not in result.origins


def test_an_empty_folder_is_that_of_the_settings(tmp_path: Path) -> None:
    text = "output_storage: {base_dir: ''}\nvector_store: {db_uri: ''}\nlocal_search: {prompt: ''}\n"
    settings = loaded(tmp_path, text).settings

    assert settings.output_storage.base_dir == str(tmp_path)
    assert (settings.vector_store.db_uri, settings.local_search.prompt) == (None, None)


def test_a_folder_in_a_blob_store_stays_as_it_is(tmp_path: Path) -> None:
    text = "output_storage: {type: blob, base_dir: runs/one, container_name: c, connection_string: s}\n"

    assert loaded(tmp_path, text).settings.output_storage.base_dir == "runs/one"


# ---- --data ----


def with_data(folder: Path, text: str, *data: str) -> Where:
    return Where(root=project(folder, text), data=data)


def test_data_moves_tables_and_the_store_among_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    result = load(with_data(tmp_path / "project", V3, "other"))

    assert result.settings.output_storage.base_dir == str(tmp_path / "other")
    assert result.settings.vector_store.db_uri == str(tmp_path / "other/lancedb")
    assert str(result.origins["output_storage.base_dir"]) == "--data"


def test_data_leaves_a_store_elsewhere_unless_the_folder_has_its_own(tmp_path: Path) -> None:
    text = MODELS + "vector_store: {db_uri: /stores/one}\n"
    (tmp_path / "bare").mkdir()
    (tmp_path / "full/lancedb").mkdir(parents=True)

    def store(name: str) -> str | None:
        return load(with_data(tmp_path / "p", text, str(tmp_path / name))).settings.vector_store.db_uri

    assert store("bare") == "/stores/one"
    assert store("full") == str(tmp_path / "full/lancedb")


def test_data_may_be_a_url(tmp_path: Path) -> None:
    settings = load(with_data(tmp_path, V3, "s3://bucket/run/output")).settings

    assert settings.output_storage.base_dir == "s3://bucket/run/output"
    assert settings.vector_store.db_uri == "s3://bucket/run/output/lancedb"


def test_data_given_twice_makes_named_outputs(tmp_path: Path) -> None:
    for name in ("a/output", "b/output", "c/b"):
        (tmp_path / name).mkdir(parents=True)
    places = [str(tmp_path / name) for name in ("a/output", "b/output", "c/b")]
    settings = load(with_data(tmp_path / "p", MODELS, *places)).settings

    assert {name: storage.base_dir for name, storage in settings.outputs.items()} == {
        "a": places[0],
        "b": places[1],
        "b-3": places[2],
    }
    assert settings.output_storage.base_dir == places[0]


def test_data_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--data nowhere: no such folder"):
        load(with_data(tmp_path, MODELS, "nowhere"))


def test_plain_settings_load_without_what_they_do_not_need(tmp_path: Path) -> None:
    project(tmp_path, MODELS)
    program = f"""
import sys
from pathlib import Path
from graphrag_cli.config.load import Where, load
load(Where(root=Path({str(tmp_path)!r})))
print([name for name in ("pydantic_settings", "dotenv", "numpy", "openai", "asyncio") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
