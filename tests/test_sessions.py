"""Conversations on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.errors import UsageError
from graphrag_cli.sessions import Exchange, SessionStore, turns_of


def exchange(question: str = "Who led?", answer: str = "Amundsen.") -> Exchange:
    return Exchange("2026-01-01T00:00:00+00:00", "local", question, answer)


def test_what_is_kept_is_read_in_order(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    store.append("pole", exchange("one"))
    store.append("pole", exchange("two"))
    assert [kept.question for kept in store.read("pole")] == ["one", "two"]
    assert [turn.role for turn in turns_of(store.read("pole"))] == ["user", "assistant"] * 2


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    SessionStore(tmp_path).append("pole", exchange())
    assert (tmp_path / "pole.jsonl").stat().st_mode & 0o077 == 0


def test_a_torn_line_is_skipped_and_does_not_tear_the_next(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    store.append("pole", exchange("one"))
    with (tmp_path / "pole.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"question": "to')
    store.append("pole", exchange("two"))
    assert [kept.question for kept in store.read("pole")] == ["one", "two"]


@given(question=st.text(alphabet=st.characters(), max_size=20), answer=st.text(max_size=20))
def test_any_text_is_kept(tmp_path_factory: pytest.TempPathFactory, question: str, answer: str) -> None:
    store = SessionStore(tmp_path_factory.mktemp("s"))
    store.append("s", exchange(question, answer))
    kept = store.read("s")[0]
    assert kept.answer == answer
    assert kept.question == question.encode("utf-8", "replace").decode("utf-8")


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 65, "a b", "a\n"])
def test_names_that_would_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        SessionStore(tmp_path).append(name, exchange())
    assert list(tmp_path.iterdir()) == []


def test_the_last_session_is_the_one_used_last(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    with pytest.raises(UsageError, match="no session to continue"):
        store.last()
    for position, name in enumerate(("a", "b")):
        store.append(name, exchange())
        os.utime(tmp_path / f"{name}.jsonl", (position, position))
    assert store.last() == "b"
    assert store.names() == ["b", "a"]


def test_deleting_what_is_not_there_names_what_is(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    store.append("pole", exchange())
    with pytest.raises(UsageError) as caught:
        store.delete("pol")
    assert "pole" in (caught.value.hint or "")
    store.delete("pole")
    assert store.names() == []


def test_a_session_that_cannot_be_read_or_removed_says_so(tmp_path: Path) -> None:
    (tmp_path / "pole.jsonl").mkdir()
    store = SessionStore(tmp_path)
    for use in (store.read, store.delete):
        with pytest.raises(UsageError, match=r"pole\.jsonl"):
            use("pole")
