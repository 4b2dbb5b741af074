"""``config``: what holds, why, and what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

SETTINGS = """
completion_models:
  default_completion_model:
    provider: openai
    model: gpt-x
    api_key: sk-very-secret
    api_base: http://127.0.0.1:1/v1
local_search:
  top_k_entities: 7
  top_k_entitys: 3
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "settings.yaml").write_text(SETTINGS, encoding="utf-8")
    return tmp_path


def test_show_is_yaml_without_secrets(shell: Shell, project: Path) -> None:
    done = shell.run("config", "show", "--root", str(project))
    assert done.status == 0
    assert "top_k_entities: 7" in done.out
    assert "sk-very-secret" not in done.out + done.err


def test_origin_says_file_and_line_flag_or_default(shell: Shell, project: Path) -> None:
    done = shell.run("config", "show", "local_search", "--origin", "--root", str(project), "--set", "local_search.text_unit_prop=0.4")  # fmt: skip
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in done.out.splitlines()}
    assert rows["local_search.top_k_entities"] == ["7", "settings.yaml:9"]
    assert rows["local_search.text_unit_prop"][0] == "0.4"
    assert "--set" in rows["local_search.text_unit_prop"][1]
    assert rows["local_search.community_prop"][1] == "default"


def test_show_as_json_lists_key_value_origin(shell: Shell, project: Path) -> None:
    done = shell.run("config", "show", "seed", "--root", str(project), "-f", "json")
    assert json.loads(done.out) == [{"key": "seed", "value": "42", "origin": "default"}]


def test_check_names_what_is_wrong_and_what_to_do(shell: Shell, project: Path) -> None:
    done = shell.run("config", "check", "--root", str(project))
    assert done.status == 3
    assert "top_k_entitys" in done.out
    assert "top_k_entities" in done.out
    assert done.out.splitlines()[-1].startswith("1 error, ") or "errors" in done.out.splitlines()[-1]
    assert done.err == ""


def test_check_as_json(shell: Shell, project: Path) -> None:
    done = shell.run("config", "check", "--root", str(project), "--format", "json")
    document = json.loads(done.out)
    assert document["schema"] == "graphrag-cli/check/1"
    assert document["errors"] == sum(finding["severity"] == "error" for finding in document["findings"])
    assert {"severity", "area", "code", "subject", "text", "hint"} == set(document["findings"][0])


def test_keys_tells_default_and_meaning(shell: Shell) -> None:
    done = shell.run("config", "keys", "drift_search.n_depth")
    assert "drift_search.n_depth" in done.out
    assert " 3 " in done.out


def test_no_project_says_how_to_begin(shell: Shell, tmp_path: Path) -> None:
    done = shell.run("config", "show", "--root", str(tmp_path))
    assert (done.status, done.out) == (3, "")
    assert "hint:" in done.err


@pytest.mark.parametrize("command", ["show", "keys"])
def test_a_prefix_of_no_key_is_refused_with_keys_that_are_like_it(
    shell: Shell, project: Path, command: str
) -> None:
    place = ("--root", str(project)) if command == "show" else ()
    far = shell.run("config", command, "nope", *place)
    near = shell.run("config", command, "n_deph", *place)
    assert (far.status, far.out) == (2, "")
    assert "no setting begins with 'nope'" in far.err
    assert "config keys" in far.err
    assert near.status == 2
    assert "like it: drift_search.n_depth" in near.err
