"""``${VAR}`` in values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.config.variables import fill_text, fill_value
from tests.config.kit import loaded

NAMES = st.from_regex(r"[A-Z_][A-Z0-9_]{0,8}", fullmatch=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A}", "one"),
        ("$A", "one"),
        ("x-${A}-${B}", "x-one-two"),
        ("${NONE:-fallback}", "fallback"),
        ("${EMPTY:-fallback}", "fallback"),
        ("${A:-fallback}", "one"),
        ("${NONE:-}", ""),
        ("${EMPTY}", ""),
        ("$$A", "$A"),
        ("$${A}", "${A}"),
        ("cost: $5", "cost: $5"),
        ("$", "$"),
        ("${}", "${}"),
        ("${1A}", "${1A}"),
        ("pa$word", "pa$word"),
        ("${A", "${A"),
    ],
)
def test_forms(text: str, expected: str) -> None:
    filled = fill_text(text, {"A": "one", "B": "two", "EMPTY": ""})

    assert (filled.value, filled.missing) == (expected, ())


@pytest.mark.parametrize(("text", "missing"), [("${NO}", "NO"), ("x${NO}y", "NO"), ("$NO", "NO")])
def test_a_variable_that_is_not_set_is_named(text: str, missing: str) -> None:
    assert fill_text(text, {}).missing == (missing,)


def test_lists_and_mappings_are_walked() -> None:
    filled = fill_value({"a": ["${A}", 1], "b": {"c": "${NO}"}}, {"A": "one"})

    assert filled.value == {"a": ["one", 1], "b": {"c": "${NO}"}}
    assert (filled.missing, filled.used) == (("NO",), ("A",))


@given(st.text())
def test_text_without_a_dollar_stays_as_it_is(text: str) -> None:
    plain = text.replace("$", "")

    assert fill_text(plain, {"A": "x"}).value == plain


@given(NAMES, st.text())
def test_what_is_filled_in_is_not_looked_at_again(name: str, value: str) -> None:
    assert fill_text(f"${{{name}}}", {name: value, "INNER": "no"}).value == value


@given(st.text())
def test_doubled_dollars_protect_any_text(text: str) -> None:
    assert fill_text(text.replace("$", "$$"), {}).value == text


@given(st.text(), NAMES, st.text(max_size=5))
def test_filling_never_fails(text: str, name: str, value: str) -> None:
    fill_text(text, {name: value})


@pytest.mark.parametrize(
    "secret", ["a: b", "x # y", "'", '"', "[", "{", "&a", "%", "$HOME", "${A}", "- x", "línea"]
)
def test_no_value_of_a_variable_can_break_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("SECRET", secret)
    entry = loaded(tmp_path, "completion_models:\n  m:\n    model: x\n    api_key: ${SECRET}\n").settings
    key = entry.completion_models["m"].api_key

    assert key is not None
    assert key.get_secret_value() == secret


def test_a_dollar_in_a_comment_is_no_variable(tmp_path: Path) -> None:
    assert loaded(tmp_path, "seed: 1 # costs $5, or ${WHATEVER}\n").settings.seed == 1


def test_a_filled_number_is_a_number(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "local_search: {top_k_entities: '${K:-12}'}\n").settings

    assert settings.local_search.top_k_entities == 12
