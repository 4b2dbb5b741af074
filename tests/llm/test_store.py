"""The store that flags and settings ask for is the one that a run gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_cli.config.settings import CacheSettings, ChatModelSettings, EmbeddingModelSettings
from graphrag_cli.errors import UsageError
from graphrag_cli.llm.around.store import open_store
from graphrag_cli.llm.base import ChatModel, Embedder, complete
from graphrag_cli.llm.endpoints.address import Secrets
from tests.llm.doubles import OnesEmbedder, QueueChat, request, said

CHAT = ChatModelSettings(model="queue")
EMBEDDING = EmbeddingModelSettings(model="ones")
OFF = CacheSettings()


def never_chat() -> ChatModel:
    raise AssertionError("a replay makes no model")


def never_embedder() -> Embedder:
    raise AssertionError("a replay makes no model")


def test_by_default_models_are_as_they_were_made() -> None:
    made = QueueChat([])
    assert open_store(None, None, OFF, Secrets()).chat(CHAT, lambda: made) is made


async def test_a_run_that_was_recorded_is_replayed_without_its_models(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    store = open_store(path, None, OFF, Secrets())
    await complete(store.chat(CHAT, lambda: QueueChat([said("one")])), request())
    await store.embedder(EMBEDDING, OnesEmbedder).embed(["a"])
    again = open_store(None, path, OFF, Secrets())
    assert (await complete(again.chat(CHAT, never_chat), request())).text == "one"
    assert (await again.embedder(EMBEDDING, never_embedder).embed(["a"])).shape == (1, 3)


async def test_with_the_cache_on_a_recording_holds_what_the_cache_gave(tmp_path: Path) -> None:
    cache = CacheSettings(type="sqlite", path=tmp_path / "cache.sqlite")
    first = open_store(None, None, cache, Secrets()).chat(CHAT, lambda: QueueChat([said("one")]))
    await complete(first, request())
    await first.aclose()
    second = open_store(tmp_path / "run.jsonl", None, cache, Secrets()).chat(CHAT, lambda: QueueChat([]))
    assert (await complete(second, request())).text == "one"
    await second.aclose()
    third = open_store(None, tmp_path / "run.jsonl", OFF, Secrets()).chat(CHAT, never_chat)
    assert (await complete(third, request())).text == "one"


async def test_models_of_one_name_at_two_places_do_not_share(tmp_path: Path) -> None:
    store = open_store(None, None, CacheSettings(type="sqlite", path=tmp_path / "cache.sqlite"), Secrets())
    here = store.chat(
        ChatModelSettings(model="queue", api_base="http://here/v1"), lambda: QueueChat([said("here")])
    )
    there = store.chat(
        ChatModelSettings(model="queue", api_base="http://there/v1"), lambda: QueueChat([said("there")])
    )
    assert [(await complete(here, request())).text, (await complete(there, request())).text] == [
        "here",
        "there",
    ]
    await here.aclose()


def test_to_record_a_replay_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        open_store(tmp_path / "a", tmp_path / "b", OFF, Secrets())


def test_the_cache_without_a_path_lies_in_the_user_s_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = QueueChat([])
    open_store(None, None, CacheSettings(type="sqlite"), Secrets()).chat(CHAT, lambda: made)
    assert list(tmp_path.rglob("replies.sqlite"))
