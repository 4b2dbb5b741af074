"""Where a project is looked for, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_cli.config.load import load
from graphrag_cli.config.loaded import Where
from graphrag_cli.errors import SettingsError
from tests.config.kit import MODELS, project


def refused(where: Where) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load(where)
    return caught.value


def test_the_working_folder_is_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path, MODELS))

    assert load(Where()).path == tmp_path / "settings.yaml"


def test_a_folder_inside_the_project_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, MODELS)
    (tmp_path / "a/b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a/b")

    assert load(Where()).settings.root == tmp_path


def test_no_project_says_exactly_that_where_it_looked_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refused(Where())

    assert "there is no GraphRAG project here" in error.message
    assert str(tmp_path) in error.message
    assert "settings.yaml" in error.message
    assert "graphrag-cli init DIR --sample" in (error.hint or "")
    assert "--root" in (error.hint or "")


@pytest.mark.parametrize("name", ["settings.yaml", "settings.yml", "settings.json"])
def test_each_name_of_the_file_is_found(tmp_path: Path, name: str) -> None:
    project(tmp_path, '{"seed": 1}' if name.endswith("json") else MODELS, name=name)

    assert load(Where(root=tmp_path)).path.name == name


def test_yaml_wins_over_json(tmp_path: Path) -> None:
    project(tmp_path, '{"seed": 1}', name="settings.json")
    project(tmp_path, "seed: 2\n")

    assert load(Where(root=tmp_path)).settings.seed == 2


@pytest.mark.parametrize("inside", ["input", "output", "output/lancedb", "prompts"])
def test_root_at_a_folder_of_the_project_uses_the_project_and_says_so(tmp_path: Path, inside: str) -> None:
    (project(tmp_path, MODELS) / inside).mkdir(parents=True)
    result = load(Where(root=tmp_path / inside))

    assert result.settings.root == tmp_path
    assert result.findings[0].code == "settings.root"
    assert str(tmp_path) in result.findings[0].text


def test_root_at_any_other_folder_suggests_the_project_above(tmp_path: Path) -> None:
    (project(tmp_path, MODELS) / "notes").mkdir()

    assert refused(Where(root=tmp_path / "notes")).hint == f"there is a project above it: --root {tmp_path}"


def test_root_above_a_project_suggests_it(tmp_path: Path) -> None:
    project(tmp_path / "ragtest", MODELS)

    assert str(tmp_path / "ragtest") in (refused(Where(root=tmp_path)).hint or "")


def test_root_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert "no such folder" in refused(Where(root=tmp_path / "nowhere")).message


def test_a_home_that_nobody_has_is_not_there() -> None:
    nobody = Path("~nobody-of-this-name/project")
    assert "no such folder" in refused(Where(root=nobody)).message
    assert "no such file" in refused(Where(config=nobody)).message


def test_root_may_be_the_file_itself(tmp_path: Path) -> None:
    assert load(Where(root=project(tmp_path, MODELS) / "settings.yaml")).settings.root == tmp_path


def test_config_names_a_file_of_any_name(tmp_path: Path) -> None:
    project(tmp_path, "seed: 9\n", name="mine.yaml")
    result = load(Where(config=tmp_path / "mine.yaml"))

    assert result.settings.seed == 9
    assert str(result.origins["seed"]) == "mine.yaml:1"


def test_config_wins_over_root(tmp_path: Path) -> None:
    project(tmp_path / "a", "seed: 1\n")
    project(tmp_path / "b", "seed: 2\n")

    assert load(Where(root=tmp_path / "a", config=tmp_path / "b/settings.yaml")).settings.seed == 2


def test_config_that_is_missing_or_a_folder_says_so(tmp_path: Path) -> None:
    assert "no such file" in refused(Where(config=tmp_path / "x.yaml")).message
    assert "is a folder" in refused(Where(config=tmp_path)).message


def test_a_settings_file_that_is_a_folder_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").mkdir()

    assert "no settings.yaml" in refused(Where(root=tmp_path)).message


def test_paths_with_spaces_and_other_scripts_work(tmp_path: Path) -> None:
    folder = tmp_path / "知识 库"

    assert load(Where(root=project(folder, MODELS))).settings.root == folder
