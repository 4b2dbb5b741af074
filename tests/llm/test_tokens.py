from __future__ import annotations

import base64
import functools
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import tiktoken.model
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from graphrag_cli.llm.counting.ranks import RankFile, ranks
from graphrag_cli.llm.counting.tokens import TiktokenCounter, choose_encoding, counter_for
from graphrag_cli.llm.counting.wordpiece import WordPieceCounter

COUNTERS = ["cl100k_base", "o200k_base", "wordpiece"]
SHIPPED = {"cl100k_base", "o200k_base", "o200k_harmony"}


def as_rank_file(by_token: dict[bytes, int]) -> bytes:
    """As tiktoken's rank files are written: a token in base64 and its rank on each line."""
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in by_token.items())
    return b"".join(lines)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_shipped_encodings_are_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned: list[str] = []

    def shipped(_address: str, expected_hash: str) -> dict[bytes, int]:
        pinned.append(expected_hash)
        by_token = ranks(cast("RankFile", name)).by_token
        assert hashlib.sha256(as_rank_file(by_token)).hexdigest() == expected_hash
        return by_token

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", shipped)
    spec: dict[str, Any] = getattr(openai_public, name)()
    theirs = tiktoken.Encoding(**spec)
    ours = counter_for("", name)
    assert pinned
    for text in (
        "Lt. Evans' sledge — 800 lb.",
        "\n\n  x = [1, 22, 333]\n",
        "漢字かな交じり文。",
        "<|endoftext|>",
        "🐧é\u0301",
    ):
        assert ours.count(text) == len(theirs.encode(text, disallowed_special=()))


@pytest.mark.parametrize(
    "model", sorted({*tiktoken.model.MODEL_TO_ENCODING, *tiktoken.model.MODEL_PREFIX_TO_ENCODING})
)
def test_every_model_tiktoken_knows_gets_its_encoding(model: str) -> None:
    theirs = tiktoken.model.encoding_name_for_model(model)
    chosen = choose_encoding(model)
    if theirs in SHIPPED:
        assert chosen.encoding == theirs.replace("_harmony", "_base")
        assert chosen.note is None
    else:
        assert chosen.encoding == "o200k_base"
        assert chosen.note


@pytest.mark.parametrize(
    ("model", "encoding", "expected"),
    [
        ("openai/gpt-4o-mini", None, "o200k_base"),
        ("GPT-4-Turbo", None, "cl100k_base"),
        ("gpt-5.1", None, "o200k_base"),
        ("extractive", None, "wordpiece"),
        ("all-MiniLM-L6-v2", None, "wordpiece"),
        ("llama3", "cl100k_base", "cl100k_base"),
        ("llama3", "o200k_harmony", "o200k_base"),
    ],
)
def test_known_names_need_no_note(model: str, encoding: str | None, expected: str) -> None:
    chosen = choose_encoding(model, encoding)
    assert (chosen.encoding, chosen.note) == (expected, None)
    assert counter_for(model, encoding).name == expected


@pytest.mark.parametrize(
    ("model", "encoding"), [("llama3.1:8b", None), ("gpt-4o", "p50k_base"), ("gpt4all", None)]
)
def test_unknown_names_count_with_the_fallback_and_say_so(model: str, encoding: str | None) -> None:
    chosen = choose_encoding(model, encoding)
    assert chosen.encoding == "o200k_base"
    assert chosen.note
    assert (encoding or model) in chosen.note


@pytest.mark.parametrize("name", COUNTERS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=400), limit=st.integers(min_value=0, max_value=120))
def test_truncation_keeps_the_limit_and_is_a_prefix(name: str, text: str, limit: int) -> None:
    counter = counter_for("", name)
    short = counter.truncate(text, limit)
    assert text.startswith(short)
    assert counter.count(short) <= limit
    if counter.count(text) <= limit:
        assert short == text


@pytest.mark.parametrize("name", COUNTERS)
def test_truncation_uses_the_room_it_has(name: str) -> None:
    text = "The party reached the plateau after a climb of forty miles up the glacier. " * 40
    counter = counter_for("", name)
    assert counter.count(counter.truncate(text, 100)) == 100


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize(
    "text", ["\ud800x", "\x00", "<|endoftext|><|fim_prefix|>", "[SEP]" * 9, "a" * 60_000]
)
def test_any_text_can_be_counted_and_cut(name: str, text: str) -> None:
    counter = counter_for("", name)
    assert counter.count(text) >= 1 or text == "\x00"
    assert counter.count(counter.truncate(text, 3)) <= 3


def test_special_tokens_in_a_text_count_as_plain_text() -> None:
    assert counter_for("gpt-4o").count("<|endoftext|>") > 1


def test_a_million_blanks_are_counted_and_cut() -> None:
    counter = counter_for("gpt-4o")
    text = "before " + " " * 1_000_000 + " after"
    assert 2 < counter.count(text) < 100_000
    assert counter.count(counter.truncate(text, 50)) <= 50


def test_the_word_cache_is_bounded_and_stays_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_cli.llm.counting.wordpiece._CACHE_LIMIT", 3)
    counter = WordPieceCounter()
    first = [counter.count(text) for text in ("one two three", "four antarctica", "one unforeseeable four")]
    again = [
        WordPieceCounter().count(text)
        for text in ("one two three", "four antarctica", "one unforeseeable four")
    ]
    assert first == again


def test_counting_needs_no_network_and_no_writable_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    script = """
import socket
def refuse(*_args, **_kwargs):
    raise AssertionError("network used")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
from graphrag_cli.llm.counting.tokens import counter_for
print(counter_for("gpt-4o").count("hello world"), counter_for("gpt-4").count("hello world"))
"""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "TIKTOKEN_", "DATA_GYM_"))
    }
    env |= {"HOME": str(home), "TMPDIR": str(home), "TEMP": str(home), "TMP": str(home)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "2"]
    assert list(home.iterdir()) == []


def test_loading_ahead_changes_nothing() -> None:
    counter = TiktokenCounter("cl100k_base")
    counter.load()
    assert counter.count("hello world") == 2


LINES = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(["\n", "\r\n", "\n\n", " \n", ".\n", "/", "//\n/", "12", "'s", "\u2028", " "]),
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@given(text=LINES)
def test_counting_line_by_line_is_counting_the_whole(name: RankFile, text: str) -> None:
    assert counter_for("any", name).count(text) == len(whole_encoding(name).encode_ordinary(text))


@functools.cache
def whole_encoding(name: RankFile) -> tiktoken.Encoding:
    read = ranks(name)
    return tiktoken.Encoding(name, pat_str=read.pattern, mergeable_ranks=read.by_token, special_tokens={})


def test_a_line_that_comes_again_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = TiktokenCounter("o200k_base")
    encoded: list[str] = []
    plain = TiktokenCounter._encoded  # pyright: ignore[reportPrivateUsage]

    def counting(self: TiktokenCounter, text: str) -> int:
        encoded.append(text)
        return plain(self, text)

    monkeypatch.setattr(TiktokenCounter, "_encoded", counting)
    rows = [f"{number}|a row of some length\n" for number in range(20)]
    apart = sum(map(counter.count, rows))
    assert counter.count("".join(rows)) == apart
    assert len(encoded) == 20
