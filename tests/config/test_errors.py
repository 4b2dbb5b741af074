"""Every way in which settings can be wrong has a message that names the place and says what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphrag_cli.config.check import check
from graphrag_cli.config.load import load
from graphrag_cli.config.loaded import Where
from graphrag_cli.errors import SettingsError
from tests.config.kit import MODELS, loaded, project


def refused(folder: Path, text: str, *sets: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        loaded(folder, text, *sets)
    return caught.value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("local_search:\n  top_k_entities: many\n", "settings.yaml:2: local_search.top_k_entities is 'many'; it must be a whole number, at least 1"),
        ("local_search:\n  top_k_entities: 0\n", "settings.yaml:2: local_search.top_k_entities is 0; it must be a whole number, at least 1"),
        ("local_search:\n  text_unit_prop: 1.5\n", "settings.yaml:2: local_search.text_unit_prop is 1.5; it must be a number from 0 to 1"),
        ("local_search: 5\n", "settings.yaml:1: local_search is 5; it must be a section"),
        ("global_search:\n  allow_general_knowledge: maybe\n", "settings.yaml:2: global_search.allow_general_knowledge is 'maybe'; it must be true or false"),
        ("community_level: shallow\n", "settings.yaml:1: community_level is 'shallow'; it must be a whole number, at least 0 or deepest"),
        ("vector_store: {type: chroma}\n", "settings.yaml:1: vector_store.type is 'chroma'; it must be one of lancedb, azure_ai_search, cosmosdb"),
        ("models: [a, b]\n", "settings.yaml:1: completion_models is ['a', 'b']; it must be a section"),
        ("completion_models:\n  m:\n    call_args:\n      temperature: 3\n", "settings.yaml:4: completion_models.m.call_args.temperature is 3; it must be a number from 0 to 2 or null"),
        ("local_search:\n  prompt: [a]\n", "settings.yaml:2: local_search.prompt is ['a']; it must be a path or null"),
        ("embedding_models:\n  m:\n    headers:\n      X: [1]\n", "settings.yaml:4: embedding_models.m.headers.X is something that cannot be used; it must be text"),
    ],
)  # fmt: skip
def test_a_wrong_value_names_place_key_value_and_what_is_allowed(
    tmp_path: Path, text: str, message: str
) -> None:
    assert refused(tmp_path, text).message == message


@pytest.mark.parametrize(("given", "left"), [("0.9", 0.1), ("1", 0.0), ("'0.8'", 0.2), ("0.5", 0.25)])
def test_a_share_given_alone_leaves_the_other_one_what_fits(tmp_path: Path, given: str, left: float) -> None:
    settings = loaded(tmp_path, f"drift_search: {{local_search_text_unit_prop: {given}}}\n").settings

    assert settings.drift_search.local_search_community_prop == left


def test_all_wrong_values_are_told_at_once(tmp_path: Path) -> None:
    error = refused(tmp_path, "seed: x\nlocal_search: {top_k_entities: y}\n")

    assert len(error.message.splitlines()) == 2


def test_a_wrong_secret_is_not_repeated(tmp_path: Path) -> None:
    error = refused(tmp_path, "completion_models: {m: {model: x, api_key: [sk-secret-value]}}\n")

    assert "sk-secret" not in error.message
    assert "completion_models.m.api_key" in error.message


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("local_search:\n  text_unit_prop: 0.7\n  community_prop: 0.5\n", "text_unit_prop 0.7 and community_prop 0.5"),
        ("drift_search:\n  local_search_text_unit_prop: 0.95\n  local_search_community_prop: 0.1\n", "local_search_text_unit_prop"),
    ],
)  # fmt: skip
def test_shares_above_one_are_refused_with_their_line(tmp_path: Path, text: str, key: str) -> None:
    message = refused(tmp_path, text).message

    assert re.match(r"settings\.yaml:2: \w+_search: ", message)
    assert key in message


def test_shares_of_exactly_one_are_allowed_whatever_floats_do(tmp_path: Path) -> None:
    assert loaded(tmp_path, "local_search: {text_unit_prop: 0.7, community_prop: 0.3}\n").findings == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: [1, 2\nb: 3\n", r"settings\.yaml:2:"),
        ("a:\n\t- b\n", r"settings\.yaml:2:1:"),
        ("llm:\n  api_key: a: b\n", r"settings\.yaml:2:\d+:"),
        ("a: 'open\n", r"settings\.yaml:2:"),
        ("a: !python/object:os.system x\n", r"settings\.yaml:1:"),
        ("a: 1\n---\nb: 2\n", r"settings\.yaml:2:1:"),
        ("a: &x [*x]\n", r"settings\.yaml:1:"),
        ("a: \x00\n", r"settings\.yaml: not valid YAML"),
    ],
)
def test_bad_yaml_names_file_line_and_column(tmp_path: Path, text: str, place: str) -> None:
    assert re.match(place, refused(tmp_path, text).message)


def test_a_mapping_that_contains_itself_is_refused(tmp_path: Path) -> None:
    assert "contains itself" in refused(tmp_path, "a: &x\n  b: *x\n").message


def test_anchors_that_explode_are_refused(tmp_path: Path) -> None:
    levels = ["l0: &l0 {" + ", ".join(f"k{i}: 1" for i in range(10)) + "}"]
    levels += [
        f"l{n}: &l{n} {{" + ", ".join(f"k{i}: *l{n - 1}" for i in range(10)) + "}" for n in range(1, 9)
    ]

    assert "more than" in refused(tmp_path, "\n".join(levels)).message


@pytest.mark.parametrize(
    ("text", "says"), [("", "is empty"), ("# only a comment\n", "is empty"), ("- a\n- b\n", "holds a list"), ("word\n", "holds a single value")]
)  # fmt: skip
def test_a_file_without_settings_says_so(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused(tmp_path, text).message


def test_a_key_given_twice_names_both_lines(tmp_path: Path) -> None:
    message = refused(tmp_path, "local_search:\n  max_tokens: 1\n  max_tokens: 2\n").message

    assert message == "settings.yaml:3: local_search.max_tokens is given twice (first on line 2)"


def test_a_merged_anchor_is_no_key_given_twice(tmp_path: Path) -> None:
    text = """\
completion_models:
  a: &base
    provider: extractive
    retry: {max_retries: 1, max_delay: 5}
  b:
    <<: *base
    retry: {max_retries: 2}
"""
    retry = loaded(tmp_path, text).settings.completion_models["b"].retry

    assert (retry.max_retries, retry.max_delay) == (2, 30.0)


def test_lists_that_explode_are_refused(tmp_path: Path) -> None:
    levels = ["l0: &l0 [" + ", ".join("x" for _ in range(10)) + "]"]
    levels += [f"l{n}: &l{n} [" + ", ".join(f"*l{n - 1}" for _ in range(10)) + "]" for n in range(1, 9)]

    assert "unfolds to more than" in refused(tmp_path, "\n".join(levels)).message


def test_an_address_that_is_none_is_left_for_the_check_of_addresses(tmp_path: Path) -> None:
    model = '{model_provider: %s, model: m, api_base: "http://[::1", api_key: k}'
    for provider in ("openai", "ollama"):
        entries = f"completion_models:\n  default_completion_model: {model % provider}\n"
        assert any(finding.code == "settings.address" for finding in check(loaded(tmp_path, entries)))


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_bytes("seed: 1\nresponse_type: é\n".encode("latin-1"))

    with pytest.raises(SettingsError, match=r"settings\.yaml:2: not UTF-8"):
        load(Where(root=tmp_path))


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_bytes(b"\xef\xbb\xbfseed: 7\n")

    assert load(Where(root=tmp_path)).settings.seed == 7


def test_json_settings_may_be_indented_with_tabs(tmp_path: Path) -> None:
    project(
        tmp_path,
        '{\n\t"seed": 7,\n\t"local_search": {\n\t\t"top_k_entities": "x"\n\t}\n}\n',
        name="settings.json",
    )

    with pytest.raises(SettingsError, match=r"settings\.json:4: local_search\.top_k_entities"):
        load(Where(root=tmp_path))


def test_a_date_stays_the_text_it_was_written_as(tmp_path: Path) -> None:
    text = "completion_models: {m: {provider: azure, model: x, api_version: 2024-10-21}}\n"

    assert loaded(tmp_path, text).settings.completion_models["m"].api_version == "2024-10-21"


def test_null_under_a_key_that_has_no_null_is_not_given(tmp_path: Path) -> None:
    text = "drift_search: {concurrency: null, primer_folds: null}\nlocal_search:\nvector_store: {}\n"
    settings = loaded(tmp_path, text).settings

    assert (settings.drift_search.concurrency, settings.drift_search.primer_folds) == (32, None)


def test_unknown_keys_are_warned_of_with_the_nearest_name(tmp_path: Path) -> None:
    text = MODELS + "locl_search: {a: 1, b: 2}\nlocal_search: {top_k_entitys: 5, max_tokenss: 1}\n"
    findings = loaded(tmp_path, text).findings

    assert [finding.text for finding in findings] == [
        "settings.yaml:5: there is no setting locl_search (did you mean local_search?)",
        "settings.yaml:6: there is no setting local_search.top_k_entitys (did you mean top_k_entities?)",
        "settings.yaml:6: there is no setting local_search.max_tokenss (did you mean max_tokens?)",
    ]
    assert {finding.code for finding in findings} == {"settings.unknown"}


def test_an_unknown_key_of_a_model_is_warned_of(tmp_path: Path) -> None:
    findings = loaded(tmp_path, "completion_models: {m: {provider: extractive, api_bass: x}}\n").findings

    assert findings[0].text.endswith("completion_models.m.api_bass (did you mean api_base?)")


def test_the_root_is_no_key(tmp_path: Path) -> None:
    assert [finding.key for finding in loaded(tmp_path, "root: /elsewhere\n").findings] == ["root"]


def test_an_unknown_key_given_with_set_is_an_error(tmp_path: Path) -> None:
    error = refused(tmp_path, MODELS, "drift_search.depth=2")

    assert error.message.startswith("--set drift_search.depth: there is no setting drift_search.depth")


def test_the_beginning_of_a_key_names_the_key_and_the_hint_the_list(tmp_path: Path) -> None:
    error = refused(tmp_path, MODELS, "local_search.top_k=5")

    assert error.message.endswith("local_search.top_k (did you mean top_k_entities?)")
    assert error.hint == "`graphrag-cli config keys` lists every key"


@pytest.mark.parametrize("text", ["local_search.k", "=5", ""])
def test_set_without_key_and_value_is_an_error(tmp_path: Path, text: str) -> None:
    assert "key=value" in refused(tmp_path, MODELS, text).message


def test_set_with_a_value_that_is_no_yaml_is_an_error(tmp_path: Path) -> None:
    message = refused(tmp_path, MODELS, "completion_models.m.api_key=[sk-secret").message

    assert message.startswith("--set completion_models.m.api_key: the value is not valid YAML")
    assert "sk-secret" not in message


def test_a_broken_dotenv_is_an_error_that_names_it(tmp_path: Path) -> None:
    project(tmp_path, MODELS)
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe\n")

    with pytest.raises(SettingsError, match=r"\.env: not UTF-8"):
        load(Where(root=tmp_path))
