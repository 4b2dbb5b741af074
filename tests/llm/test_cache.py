"""What was answered well before is not asked again; anything else is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from graphrag_cli.errors import ModelError, SettingsError
from graphrag_cli.llm.around.cache import ReplyCache
from graphrag_cli.llm.around.purse import Limits
from graphrag_cli.llm.around.usage import UsageMeter
from graphrag_cli.llm.base import CallUsage, ReplyDelta, ReplyEnd, ReplyNotice, complete
from tests.llm.doubles import FlatPrices, OnesEmbedder, QueueChat, WordCounter, request, said


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    made = ReplyCache(tmp_path / "deep" / "cache.sqlite")
    yield made
    made.close()


async def test_the_second_time_costs_nothing(cache: ReplyCache) -> None:
    inner = QueueChat([said("one", notice="retry")])
    meter = UsageMeter(Limits(), FlatPrices(), WordCounter())
    chat = meter.chat(cache.chat(inner, "http://a"))
    first = await complete(chat, request())
    spent = meter.usage()
    second = await complete(chat, request(stream=True))
    assert first.text == second.text == "one"
    assert second.notices == ()
    assert len(inner.requests) == 1
    assert meter.usage().cost_usd == spent.cost_usd
    assert meter.usage().total.prompt_tokens == spent.total.prompt_tokens
    assert not meter.usage().counted


async def test_another_place_or_question_is_asked(cache: ReplyCache) -> None:
    inner = QueueChat([said("one"), said("two"), said("three")])
    texts = [
        (await complete(cache.chat(inner, scope), request(question))).text
        for scope, question in [("http://a", "q"), ("http://b", "q"), ("http://a", "r"), ("http://a", "q")]
    ]
    assert texts == ["one", "two", "three", "one"]


@pytest.mark.parametrize(
    "bad",
    [
        [ReplyDelta("half"), ReplyEnd("cut", CallUsage(1, 1))],
        [ReplyEnd("empty", CallUsage(1, 0))],
        [ReplyNotice("x", "y"), ReplyEnd("filtered", CallUsage(1, 0))],
    ],
    ids=["cut", "empty", "filtered"],
)
async def test_a_reply_that_is_not_whole_is_not_kept(cache: ReplyCache, bad: list[ReplyDelta]) -> None:
    chat = cache.chat(QueueChat([[*bad], said("good")]), "")
    await complete(chat, request())
    assert (await complete(chat, request())).text == "good"


async def test_a_failure_is_not_kept(cache: ReplyCache) -> None:
    chat = cache.chat(QueueChat([[ModelError("gone")], said("good")]), "")
    with pytest.raises(ModelError):
        await complete(chat, request())
    assert (await complete(chat, request())).text == "good"


async def test_only_texts_that_are_new_are_embedded(cache: ReplyCache) -> None:
    inner = OnesEmbedder(width=None)
    embedder = cache.embedder(inner, "")
    await embedder.embed(["a", "b", "a"])
    assert (await embedder.embed(["b", "a"])).shape == (2, 3)
    assert inner.calls == 1
    np.testing.assert_array_equal(await embedder.embed(["c", "a"]), np.ones((2, 3), dtype=np.float32))
    assert inner.calls == 2
    assert embedder.width == 3
    assert (await embedder.embed([])).shape == (0, 3)


async def test_it_lasts_from_one_process_to_the_next_and_after_closing(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    first = ReplyCache(path)
    chat = first.chat(QueueChat([said("one")]), "")
    await complete(chat, request())
    await chat.aclose()
    await chat.aclose()
    assert (await complete(chat, request())).text == "one"
    second = ReplyCache(path)
    assert (await complete(second.chat(QueueChat([]), ""), request())).text == "one"
    first.close()
    second.close()


def test_a_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_text("this is no database, and long enough to be seen as none" * 20, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"cache\.sqlite"):
        ReplyCache(path)


async def test_a_cache_that_fails_in_the_middle_of_a_run_costs_no_answer(
    cache: ReplyCache, tmp_path: Path
) -> None:
    chat = cache.chat(QueueChat([said("kept"), said("one"), said("two")]), "")
    await complete(chat, request())
    with sqlite3.connect(tmp_path / "deep" / "cache.sqlite") as other:
        other.execute("DROP TABLE replies")
    other.close()
    first, second = [await complete(chat, request(text)) for text in ("a", "b")]
    assert (first.text, second.text) == ("one", "two")
    assert [notice.code for notice in (*first.notices, *second.notices)] == ["cache.left"]
    assert (await cache.embedder(OnesEmbedder(), "").embed(["a"])).shape == (1, 3)


@pytest.mark.parametrize("damaged", ["{", '{"shape": [2], "float32": "AA"}', '[["delta"]]'])
async def test_a_damaged_row_is_asked_for_again(cache: ReplyCache, tmp_path: Path, damaged: str) -> None:
    chat, embedder = cache.chat(QueueChat([said("one"), said("two")]), ""), cache.embedder(OnesEmbedder(), "")
    await complete(chat, request())
    await embedder.embed(["a"])
    with sqlite3.connect(tmp_path / "deep" / "cache.sqlite") as other:
        other.execute("UPDATE replies SET reply = ?", (damaged,))
    other.close()
    assert (await complete(chat, request())).text == "two"
    np.testing.assert_array_equal(await embedder.embed(["a"]), np.ones((1, 3), dtype=np.float32))
    assert (await complete(chat, request())).text == "two"
