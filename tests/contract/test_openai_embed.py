"""The embedder against a server that really listens."""

from __future__ import annotations

import numpy as np
import pytest

from graphrag_cli.errors import AuthError, ModelError
from tests.contract.conftest import EmbedderAt
from tests.kit.replies import vector
from tests.kit.server import FakeServer

TEXTS = ["the ship sailed", "dogs pulled sledges", "eis und schnee"]


def expected(width: int = 8) -> np.ndarray:
    return np.array([vector(text, width) for text in TEXTS], dtype=np.float32)


@pytest.mark.parametrize(
    "mode",
    ["clean", "embed_base64", "embed_reversed", "embed_no_index", "embed_from_one", "embed_index_text"],
)
async def test_vectors_come_back_in_the_order_of_the_texts(
    embedder_at: EmbedderAt, server: FakeServer, mode: str
) -> None:
    embedder = embedder_at(mode)
    assert embedder.width is None
    vectors = await embedder.embed(TEXTS)
    np.testing.assert_allclose(vectors, expected(), rtol=1e-6)
    assert vectors.dtype == np.float32
    assert embedder.width == 8
    asked = {"model": "fake-embedder", "input": TEXTS, "encoding_format": "base64"}
    assert server.bodies("/embeddings") == [asked]


async def test_numbers_are_taken_from_a_server_that_does_not_pack_them(
    embedder_at: EmbedderAt, server: FakeServer
) -> None:
    np.testing.assert_allclose(await embedder_at("embed_floats").embed(TEXTS), expected(), rtol=1e-6)
    assert len(server.requests) == 1


async def test_a_server_that_refuses_packed_numbers_is_not_asked_for_them_again(
    embedder_at: EmbedderAt, server: FakeServer
) -> None:
    embedder = embedder_at("embed_no_base64")
    for _ in range(2):
        np.testing.assert_allclose(await embedder.embed(TEXTS), expected(), rtol=1e-6)
    assert [body.get("encoding_format") for body in server.bodies("/embeddings")] == ["base64", None, None]


@pytest.mark.parametrize("mode", ["embed_vague", "embed_doubles", "embed_big_endian", "embed_odd"])
async def test_a_server_that_cannot_pack_and_does_not_say_so_is_asked_for_numbers(
    embedder_at: EmbedderAt, server: FakeServer, mode: str
) -> None:
    server.width = 64
    embedder = embedder_at(mode)
    for _ in range(2):
        np.testing.assert_allclose(await embedder.embed(TEXTS), expected(64), rtol=1e-6)
    assert [body.get("encoding_format") for body in server.bodies("/embeddings")] == ["base64", None, None]


async def test_without_a_key_on_loopback_none_is_sent(embedder_at: EmbedderAt, server: FakeServer) -> None:
    embedder = embedder_at()
    await embedder.embed(TEXTS)
    assert "authorization" not in server.requests[0].headers


async def test_many_texts_go_in_batches_side_by_side(embedder_at: EmbedderAt, server: FakeServer) -> None:
    server.latency = 0.02
    embedder = embedder_at(batch=2)
    texts = [f"text number {n}" for n in range(9)]
    vectors = await embedder.embed(texts)
    np.testing.assert_allclose(vectors, [vector(text, 8) for text in texts], rtol=1e-6)
    assert sorted(len(body["input"]) for body in server.bodies("/embeddings")) == [1, 2, 2, 2, 2]
    assert server.peak > 1


async def test_dimensions_are_sent_only_when_set(embedder_at: EmbedderAt, server: FakeServer) -> None:
    embedder = embedder_at(dimensions=5)
    assert (await embedder.embed(TEXTS)).shape == (3, 5)
    assert server.bodies("/embeddings")[0]["dimensions"] == 5


async def test_no_texts_are_no_call(embedder_at: EmbedderAt, server: FakeServer) -> None:
    assert (await embedder_at(dimensions=5).embed([])).shape == (0, 5)
    assert server.requests == []


async def test_an_empty_text_is_not_sent_empty(embedder_at: EmbedderAt) -> None:
    embedder = embedder_at()
    assert (await embedder.embed(["", "x"])).shape == (2, 8)


async def test_long_texts_are_embedded_in_windows(embedder_at: EmbedderAt, server: FakeServer) -> None:
    embedder = embedder_at(longest=10)
    long = " ".join(f"word{n}" for n in range(25))
    vectors = await embedder.embed(["short", long])
    assert vectors.shape == (2, 8)
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    assert [len(text.split()) for text in server.bodies("/embeddings")[0]["input"]] == [1, 10, 10, 5]


async def test_the_longest_input_is_learnt_from_a_refusal(
    embedder_at: EmbedderAt, server: FakeServer
) -> None:
    embedder = embedder_at("embed_max=40")
    long = " ".join(f"word{n}" for n in range(100))
    vectors = await embedder.embed(["short", long, "another"])
    assert vectors.shape == (3, 8)
    np.testing.assert_allclose(vectors[0], vector("short", 8), rtol=1e-6)
    np.testing.assert_allclose(vectors[2], vector("another", 8), rtol=1e-6)
    before = len(server.requests)
    await embedder.embed([long])
    assert len(server.requests) == before + 1


SPOILT = {
    "embed_null": "/v1",
    "embed_none": "batch_size",
    "embed_few": "batch_size",
    "embed_no_data": "/v1",
    "embed_ragged": "dimensions",
    "embed_huge": "dimensions",
    "embed_object_error": "does not offer it",
    "embed_nan": "broken",
    "embed_null_number": "broken",
    "embed_zero": "embedding model",
    "404_model": "does not offer it",
    "404_path": "/v1",
    "500": "server failed",
    "html": "/v1",
    "error_200": "server failed",
}


@pytest.mark.parametrize("form", ["", "embed_floats+"])
@pytest.mark.parametrize("mode", SPOILT)
async def test_vectors_that_cannot_be_used_are_an_error_that_names_model_and_url(
    embedder_at: EmbedderAt, server: FakeServer, mode: str, form: str
) -> None:
    embedder = embedder_at(form + mode)
    with pytest.raises(ModelError) as caught:
        await embedder.embed(TEXTS)
    assert "'fake-embedder'" in caught.value.message
    assert server.base(form + mode) in caught.value.message
    assert SPOILT[mode] in (caught.value.hint or "")


async def test_another_width_than_was_asked_for_is_an_error(
    embedder_at: EmbedderAt, server: FakeServer
) -> None:
    server.width = 8
    embedder = embedder_at("embed_ragged", dimensions=5)
    with pytest.raises(ModelError, match="5"):
        await embedder.embed(["one text"])


async def test_a_wrong_key_is_an_auth_error(embedder_at: EmbedderAt) -> None:
    embedder = embedder_at("401")
    with pytest.raises(AuthError, match="401"):
        await embedder.embed(TEXTS)


@pytest.mark.parametrize("mode", ["500*2", "429_words*1", "embed_few*1"])
async def test_one_failed_batch_is_tried_again(embedder_at: EmbedderAt, mode: str) -> None:
    embedder = embedder_at(mode)
    np.testing.assert_allclose(await embedder.embed(TEXTS), expected(), rtol=1e-6)


async def test_a_refused_key_is_shown_to_the_server_no_more_often_than_calls_go_at_a_time(
    embedder_at: EmbedderAt, server: FakeServer
) -> None:
    with pytest.raises(AuthError):
        await embedder_at("401", batch=1).embed([f"text {number}" for number in range(50)])
    assert len(server.bodies("/embeddings")) <= 8
