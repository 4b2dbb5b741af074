"""A recorded run runs again without any model, piece by piece the same; what is not in the file is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from graphrag_cli.errors import ContextLengthError, ModelError, RateLimitError, ReplayMissError, UsageError
from graphrag_cli.llm.around.record import Recording, Replay
from graphrag_cli.llm.base import (
    CallParams,
    CallUsage,
    ChatModel,
    ChatRequest,
    Message,
    ReplyDelta,
    ReplyEnd,
    ReplyItem,
    ReplyNotice,
    ReplyReasoning,
    complete,
)
from graphrag_cli.llm.endpoints.address import Secrets
from graphrag_cli.llm.replies import MapReply, RatingReply
from tests.llm.doubles import OnesEmbedder, QueueChat, request, said

ITEMS: list[ReplyItem] = [
    ReplyNotice("model.retry", "tried again"),
    ReplyReasoning("Who was it? "),
    ReplyDelta("Am"),
    ReplyDelta("undsen — 先\n\ud83d"),
    ReplyEnd("ok", CallUsage(10, 5), "stop", "real-model"),
]


async def items_of(chat: ChatModel, asked: ChatRequest) -> list[ReplyItem]:
    return [item async for item in chat.stream(asked)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


async def test_a_replay_yields_the_very_pieces(path: Path) -> None:
    recorded = await items_of(Recording(path, Secrets()).chat(QueueChat([list(ITEMS)])), request())
    replayed = await items_of(Replay(path).chat("queue"), request())
    assert recorded == ITEMS
    assert replayed == [*ITEMS[:3], ReplyDelta("undsen — 先\n\ufffd"), ITEMS[4]]


async def test_vectors_are_replayed_bit_by_bit(path: Path) -> None:
    class Random(OnesEmbedder):
        async def embed(self, texts: Sequence[str]) -> np.ndarray:
            return np.random.default_rng(1).standard_normal((len(texts), 7)).astype(np.float32)

    recorded = await Recording(path, Secrets()).embedder(Random()).embed(["a", "b"])
    embedder = Replay(path).embedder("ones")
    np.testing.assert_array_equal(await embedder.embed(["a", "b"]), recorded)
    assert embedder.width == 7


async def test_a_repeated_request_gets_its_replies_in_order(path: Path) -> None:
    chat = Recording(path, Secrets()).chat(QueueChat([said("one"), said("two")]))
    for _ in range(2):
        await complete(chat, request())
    replay = Replay(path).chat("queue")
    assert [(await complete(replay, request())).text for _ in range(3)] == ["one", "two", "two"]


async def test_a_failure_is_replayed_as_it_was(path: Path) -> None:
    error = ContextLengthError("too long", hint="less", status=400, limit=10, requested=20)
    chat = Recording(path, Secrets()).chat(QueueChat([[ReplyDelta("x"), error]]))
    with pytest.raises(ContextLengthError):
        await complete(chat, request())
    with pytest.raises(ContextLengthError, match="too long") as caught:
        await complete(Replay(path).chat("queue"), request())
    again = caught.value
    assert (again.hint, again.status, again.limit, again.requested) == ("less", 400, 10, 20)


@pytest.mark.parametrize("fatal", [False, True])
async def test_a_replay_stops_asking_where_the_run_did(path: Path, fatal: bool) -> None:
    error = ModelError("HTTP 404", status=404, fatal=fatal)
    with pytest.raises(ModelError):
        await complete(Recording(path, Secrets()).chat(QueueChat([[error]])), request())
    with pytest.raises(ModelError, match="404") as caught:
        await complete(Replay(path).chat("queue"), request())
    assert caught.value.fatal is fatal


async def test_streamed_or_whole_is_the_same_exchange(path: Path) -> None:
    await complete(Recording(path, Secrets()).chat(QueueChat([said("one")])), request(stream=True))
    assert (await complete(Replay(path).chat("queue"), request(stream=False))).text == "one"


@pytest.mark.parametrize(
    "other",
    [
        request("another question"),
        ChatRequest((Message("user", "one two three"),), "answer", params=CallParams(temperature=1.0)),
        ChatRequest((Message("user", "one two three"),), "answer", reply_model=MapReply),
        ChatRequest((Message("system", "one two three"),), "answer"),
    ],
    ids=["message", "parameters", "schema", "role"],
)
async def test_another_request_is_missed_and_named(path: Path, other: ChatRequest) -> None:
    await complete(Recording(path, Secrets()).chat(QueueChat([said("one")])), request())
    with pytest.raises(ReplayMissError, match="answer call to 'queue'") as caught:
        await complete(Replay(path).chat("queue"), other)
    assert str(path) in caught.value.message
    with pytest.raises(ReplayMissError, match="other"):
        await complete(Replay(path).chat("other"), request())


async def test_vectors_that_were_not_recorded_are_named(path: Path) -> None:
    await Recording(path, Secrets()).embedder(OnesEmbedder()).embed(["a"])
    with pytest.raises(ReplayMissError, match="'b'"):
        await Replay(path).embedder("ones").embed(["b"])


async def test_the_schema_that_is_asked_for_is_part_of_the_key(path: Path) -> None:
    asked = ChatRequest((Message("user", "rate"),), "rate", reply_model=RatingReply)
    await complete(Recording(path, Secrets()).chat(QueueChat([said("3")])), asked)
    assert (await complete(Replay(path).chat("queue"), asked)).text == "3"


async def test_no_key_is_in_the_file(path: Path) -> None:
    recording = Recording(path, Secrets(("my-very-secret",)))
    error = RateLimitError("refused with key my-very-secret")
    with pytest.raises(ModelError):
        await complete(recording.chat(QueueChat([[error]])), request("my-very-secret"))
    with path.open(encoding="utf-8") as file:
        assert "my-very-secret" not in file.read()


@pytest.mark.parametrize(
    "text", ["", "not json\n", '{"schema":"other"}\n', '{"schema":"graphrag-cli/recording/1"}\n[1]\n']
)
def test_another_file_is_no_recording(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="no recording"):
        Replay(path)


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(UsageError, match=r"run\.jsonl"):
        Replay(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        Recording(tmp_path / "none" / "run.jsonl", Secrets())
