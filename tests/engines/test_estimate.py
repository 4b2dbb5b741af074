from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_cli.config.load import Where
from graphrag_cli.context.history import Turn
from graphrag_cli.engines.estimate import RehearsingEmbedder
from graphrag_cli.events import Method
from graphrag_cli.project import Project
from tests.sample import ROOT


class CountingEmbedder:
    """Says which texts it was sent."""

    name = "real"
    width = 3

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        return np.tile(np.array([1, 0, 0], np.float32), (len(texts), 1))

    async def aclose(self) -> None:
        return


ASKED = "When did the Terra Nova leave Cardiff?"


@pytest.mark.parametrize("method", ["local", "basic"])
async def test_calls_and_prompt_tokens_are_exactly_those_of_the_run(method: Method) -> None:
    async with Project.open(Where(root=ROOT)) as project:
        expected = await project.estimate(ASKED, method)
        answer = await project.ask(ASKED, method)
    assert "answer" in expected.exact_stages
    assert expected.by_stage["answer"].llm_calls == answer.usage.by_stage["answer"].llm_calls == 1
    assert expected.by_stage["answer"].prompt_tokens == answer.usage.by_stage["answer"].prompt_tokens
    assert expected.by_stage["embed"] == answer.usage.by_stage["embed"]


@pytest.mark.parametrize("asked", ["word of the Terra Nova", "rehearsed landings on the ice"])
async def test_a_question_is_embedded_whatever_its_first_word(asked: str) -> None:
    async with Project.open(Where(root=ROOT)) as project:
        expected = await project.estimate(asked, "basic")
        answer = await project.ask(asked, "basic")
    assert expected.by_stage["answer"].prompt_tokens == answer.usage.by_stage["answer"].prompt_tokens


async def test_what_a_rehearsing_model_wrote_is_not_embedded_for_real() -> None:
    real = CountingEmbedder()
    embedder = RehearsingEmbedder("m", real.width, real)
    vectors = await embedder.embed(["Who?", "word " * 3 + "word", "rehearsed question 1.0"])
    assert real.seen == ["Who?"]
    assert vectors[0].tolist() == [1.0, 0.0, 0.0]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


async def test_a_remote_embedder_is_not_asked_and_nothing_is_called_exact() -> None:
    remote = (
        'embedding_models.default_embedding_model={"provider": "openai", "model": "text-embedding-3-small"}'
    )
    async with Project.open(Where(root=ROOT, overrides=(remote,))) as project:
        expected = await project.estimate(ASKED, "local")
    assert expected.exact_stages == ()
    assert expected.assumed[0].startswith("which records are nearest")
    assert expected.total.llm_calls == 1


async def test_no_key_is_needed() -> None:
    model = 'completion_models.default_completion_model={"provider": "openai", "model": "gpt-4.1", "api_key": "${NO_SUCH_KEY}"}'
    async with Project.open(Where(root=ROOT, overrides=(model,))) as project:
        expected = await project.estimate(ASKED, "basic")
    assert expected.by_stage["answer"].prompt_tokens > 1000


async def test_in_a_conversation_the_rewriting_is_counted_and_nothing_is_called_exact() -> None:
    said = (Turn("user", "Which ship did Scott take?"), Turn("assistant", "The Terra Nova."))
    async with Project.open(Where(root=ROOT)) as project:
        expected = await project.estimate(
            replace(project.question("When did it leave?"), history=said), "local"
        )
    assert expected.by_stage["rewrite"].llm_calls == 1
    assert expected.exact_stages == ()
    assert "rewritten" in expected.assumed[0]
