from __future__ import annotations

import pytest

from graphrag_cli.config.load import Where
from graphrag_cli.events import Method
from graphrag_cli.project import Project
from tests.sample import ROOT

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
