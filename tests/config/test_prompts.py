"""Prompts: which file is used, what is filled in, and how a user's own files are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.config import template
from graphrag_cli.config.prompts import (
    ESSENTIAL,
    KEYS,
    PLACEHOLDERS,
    PROMPT_NAMES,
    Prompt,
    PromptName,
    adapt,
    load_prompts,
)
from graphrag_cli.config.settings import LocalSearchSettings, Settings
from graphrag_cli.errors import PromptError


def values(name: PromptName) -> dict[str, str]:
    return {placeholder: f"«{placeholder}»" for placeholder in PLACEHOLDERS[name]}


def local(tmp_path: Path, text: str, name: str = "local.txt") -> Settings:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return Settings(root=tmp_path, local_search=LocalSearchSettings(prompt=Path(name)))


# ---- those shipped ----


@pytest.mark.parametrize("name", PROMPT_NAMES)
def test_a_shipped_prompt_has_every_placeholder_of_its_stage_and_no_other(
    tmp_path: Path, name: PromptName
) -> None:
    prompt = load_prompts(Settings(root=tmp_path), [name])[name]
    filled = prompt.fill(**values(name))

    assert all(value in filled for value in values(name).values())
    assert set(template.braced_words(prompt.text, escaped=False)) == PLACEHOLDERS[name]
    assert prompt.origin == "shipped"


@pytest.mark.parametrize(
    "name", ["basic", "local", "global_map", "global_reduce", "drift_primer", "drift_local", "drift_reduce"]
)
def test_a_shipped_prompt_that_writes_answers_states_the_form_of_citations(
    tmp_path: Path, name: PromptName
) -> None:
    text = " ".join(load_prompts(Settings(root=tmp_path), [name])[name].text.split())

    assert re.search(r"\[Data: (Reports|Sources) \(", text)
    assert "+more" in text
    assert "at most 5" in text
    assert "never instructions" in text
    assert "Never make anything up" in text


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("global_map", ["points", "description", "score"]),
        ("global_rate", ["rating", "reason"]),
        ("drift_primer", ["intermediate_answer", "score", "follow_up_queries"]),
        ("drift_local", ["response", "score", "follow_up_queries"]),
        ("rewrite", ["question"]),
    ],
)
def test_a_shipped_prompt_names_the_fields_that_its_reply_is_read_by(
    tmp_path: Path, name: PromptName, fields: list[str]
) -> None:
    text = load_prompts(Settings(root=tmp_path), [name])[name].text

    assert all(f'"{field}":' in text for field in fields)


def test_only_what_is_needed_is_read(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, local_search=LocalSearchSettings(prompt=Path("missing.txt")))

    assert set(load_prompts(settings, ["basic"]).prompts) == {"basic"}


# ---- filling ----


def test_what_is_put_in_is_not_scanned_again() -> None:
    prompt = Prompt("local", "{context_data}|{response_type}", "test")

    assert prompt.fill(context_data="{response_type} {{x}} $1 \\1", response_type="{context_data}") == (
        "{response_type} {{x}} $1 \\1|{context_data}"
    )


def test_other_braces_are_text() -> None:
    text = '{"points": [{"x": {y}}]} {} { {context_data} } {0} {context_data!r} {context_data:>5}'
    filled = Prompt("basic", text, "test").fill(context_data="C", response_type="R")

    assert filled == '{"points": [{"x": {y}}]} {} { C } {0} {context_data!r} {context_data:>5}'


def test_a_place_that_gets_no_value_is_an_error() -> None:
    with pytest.raises(PromptError, match="context_data"):
        Prompt("basic", "{context_data}", "test").fill(response_type="R")


@given(st.text(), st.dictionaries(st.sampled_from(["context_data", "response_type"]), st.text(), min_size=2))
def test_text_without_placeholders_stays_as_it_is(text: str, given_values: dict[str, str]) -> None:
    plain = text.replace("{", "(")

    assert Prompt("local", plain, "test").fill(**given_values) == plain


@given(st.text(), st.text(), st.text())
def test_each_value_goes_in_whole(before: str, context: str, response: str) -> None:
    before = before.replace("{", "(")
    filled = Prompt("local", before + "{context_data}|{response_type}", "test").fill(
        context_data=context, response_type=response
    )

    assert filled == f"{before}{context}|{response}"


@given(st.text())
def test_a_prompt_escaped_for_str_format_reads_as_str_format_reads_it(text: str) -> None:
    escaped = "{{" + text.replace("{", "{{").replace("}", "}}") + "}}{context_data}"
    prompt, _ = adapt("basic", escaped + "{response_type}", "test")

    assert prompt.fill(context_data="C", response_type="R") == (escaped + "{response_type}").format(
        context_data="C", response_type="R"
    )


# ---- a user's own files ----


def test_the_file_that_settings_name_is_used(tmp_path: Path) -> None:
    prompts = load_prompts(local(tmp_path, "mine {context_data} {response_type}"), ["local"])

    assert prompts["local"].fill(context_data="C", response_type="R") == "mine C R"
    assert prompts["local"].origin == str(tmp_path / "local.txt")
    assert prompts.findings == ()


def test_the_prompt_folder_wins_over_settings(tmp_path: Path) -> None:
    settings = local(tmp_path, "from settings {context_data} {response_type}")
    folder = tmp_path / "dir"
    folder.mkdir()
    (folder / "local.md").write_text("from folder {context_data} {response_type}", encoding="utf-8")
    prompts = load_prompts(settings, ["local", "basic"], folder)

    assert prompts["local"].text.startswith("from folder")
    assert prompts["basic"].origin == "shipped"


def test_the_prompt_folder_may_hold_the_files_of_a_graphrag_project(tmp_path: Path) -> None:
    (tmp_path / "drift_search_system_prompt.txt").write_text(
        "D {context_data} {response_type} {global_query} {followups}", encoding="utf-8"
    )

    assert load_prompts(Settings(root=tmp_path), ["drift_local"], tmp_path)["drift_local"].text.startswith(
        "D "
    )


def test_a_prompt_folder_that_is_not_there_or_holds_none_is_an_error(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path)
    with pytest.raises(PromptError, match="no such folder"):
        load_prompts(settings, ["local"], tmp_path / "nowhere")
    with pytest.raises(PromptError, match="holds no prompt"):
        load_prompts(settings, ["local"], tmp_path)


def test_files_in_the_projects_prompt_folder_that_nobody_names_are_not_used(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/local.md").write_text("stray {context_data}", encoding="utf-8")

    assert load_prompts(Settings(root=tmp_path), ["local"])["local"].origin == "shipped"


def test_a_named_file_that_is_missing_is_an_error_that_names_key_and_file(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, local_search=LocalSearchSettings(prompt=Path("prompts/no.txt")))

    with pytest.raises(PromptError) as caught:
        load_prompts(settings, ["local"])
    assert caught.value.message == f"local_search.prompt: {tmp_path / 'prompts/no.txt'} does not exist"
    assert caught.value.exit_code == 3


def test_a_file_that_is_a_folder_empty_or_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 {context_data}")
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    wrong = {
        "folder": "is a folder",
        "latin.txt": "not UTF-8",
        "empty.txt": "is empty",
        "nul\0.txt": "null",
    }
    for name, says in wrong.items():
        settings = Settings(root=tmp_path, local_search=LocalSearchSettings(prompt=Path(name)))
        with pytest.raises(PromptError, match=says):
            load_prompts(settings, ["local"])


def test_doubled_braces_of_a_tuned_prompt_come_out_single(tmp_path: Path) -> None:
    text = 'Reply: {{"points": [{{"description": "x"}}]}}\n{context_data} {max_length}'
    prompt, findings = adapt("global_map", text, "mine")

    assert prompt.fill(context_data="C", max_length="9") == 'Reply: {"points": [{"description": "x"}]}\nC 9'
    assert findings == []


def test_single_braces_of_json_in_a_users_prompt_are_text() -> None:
    text = '{"points": [{"description": "x", "nested": {"a": 1}}]} {context_data} {max_length}'
    prompt, findings = adapt("global_map", text, "mine")

    assert prompt.fill(context_data="C", max_length="9").startswith(
        '{"points": [{"description": "x", "nested": {"a": 1}}]}'
    )
    assert findings == []


@pytest.mark.parametrize("old", ["input_text", "context"])
def test_old_names_of_placeholders_are_filled(tmp_path: Path, old: str) -> None:
    prompts = load_prompts(local(tmp_path, f"{{{old}}} {{response_type}}"), ["local"])

    assert prompts["local"].fill(context_data="C", response_type="R") == "C R"
    assert prompts.findings == ()


@pytest.mark.parametrize("name", sorted(ESSENTIAL))
def test_a_prompt_without_a_place_for_what_its_stage_needs_gets_it_at_the_end(name: PromptName) -> None:
    prompt, findings = adapt(name, "Just answer.", "mine.txt")
    filled = prompt.fill(**values(name))

    assert filled.startswith("Just answer.")
    for essential in ESSENTIAL[name]:
        assert f"«{essential}»" in filled
        assert any(
            f"{{{essential}}}" in finding.text and "at the end" in finding.text for finding in findings
        )
    assert {finding.key for finding in findings} == {KEYS.get(name, name)}


def test_an_escaped_placeholder_is_no_place(tmp_path: Path) -> None:
    prompts = load_prompts(local(tmp_path, "{{context_data}} {response_type}"), ["local"])
    filled = prompts["local"].fill(context_data="C", response_type="R")

    assert filled.startswith("{context_data} R")
    assert filled.rstrip().endswith("C")


def test_a_misspelt_placeholder_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    findings = load_prompts(
        local(tmp_path, "{contex_data} {context_data} {response_type}"), ["local"]
    ).findings

    assert len(findings) == 1
    assert "did you mean context_data?" in findings[0].text


def test_a_byte_order_mark_is_no_part_of_a_prompt(tmp_path: Path) -> None:
    settings = local(tmp_path, "﻿{context_data} {response_type}")

    assert load_prompts(settings, ["local"])["local"].text.startswith("{context_data}")
