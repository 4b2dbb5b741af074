"""Each recipe of the shipped settings, tried against a server with the quirks of the kind it is for."""

from __future__ import annotations

import re
import textwrap
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from graphrag_cli.config.load import Where, load
from graphrag_cli.engines.models import Models, RunOptions
from graphrag_cli.llm.base import CallParams, ChatRequest, Message, complete
from graphrag_cli.llm.replies import MapReply
from graphrag_cli.llm.structured import ask
from graphrag_cli.resources import shipped
from tests.kit.replies import PROSE
from tests.kit.server import FakeServer

CHAT = "completion_models.default_completion_model.api_base"
EMBEDDING = "embedding_models.default_embedding_model.api_base"
PROSE_CALL = ChatRequest(
    (Message("system", "Tables."), Message("user", "Who?")),
    "answer",
    params=CallParams(temperature=0, max_tokens=200),
    stream=True,
)
JSON_CALL = ChatRequest(
    (Message("user", 'Send JSON with "points".'),), "map", params=CallParams(temperature=0)
)


@dataclass(frozen=True)
class Kind:
    """A kind of server: how it misbehaves, the key it gets, and whether the recipe embeds there too."""

    modes: str
    key: str | None = None
    embeds: bool = True


KINDS = {
    "OpenAI": Kind("noparam_max_tokens+noparam_temperature", "Bearer key-of-openai"),
    "Azure OpenAI": Kind("first_empty+null_delta", "key-of-azure"),
    "Ollama": Kind("think+nofmt_vague"),
    "vLLM": Kind("reasoning_field+noparam=stream_options"),
    "LM Studio": Kind("nofmt_object+no_done"),
    "llama.cpp server": Kind("think_upper+nosystem+split_utf8"),
    "OpenRouter": Kind("keepalive+error_200*1+nofmt_schema", "Bearer key-of-openrouter", embeds=False),
}


def recipes() -> dict[str, str]:
    """Each recipe's YAML by its name, out of the comments of the shipped settings."""
    text = shipped("settings.yaml").read_text(encoding="utf-8")
    found = re.findall(r"^# --- Recipe: (.*)\n((?:#     .*\n)+)", text, re.MULTILINE)
    return {title: textwrap.dedent(re.sub(r"^# ", "", body, flags=re.MULTILINE)) for title, body in found}


def recipe_for(name: str) -> str:
    (body,) = [body for title, body in recipes().items() if title.startswith(name)]
    return body


@pytest.fixture
async def models(
    request: pytest.FixtureRequest, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Models]:
    """The models of a recipe, at a server of its kind."""
    name: str = request.param
    kind = KINDS[name]
    for variable, key in (("OPENAI", "openai"), ("AZURE_OPENAI", "azure"), ("OPENROUTER", "openrouter")):
        monkeypatch.setenv(f"{variable}_API_KEY", f"key-of-{key}")
    path = tmp_path / "settings.yaml"
    path.write_text(recipe_for(name), encoding="utf-8")
    server.mode = kind.modes
    base = f"http://127.0.0.1:{server.port}" if name == "Azure OpenAI" else server.base()
    overrides = (f"{CHAT}={base}", *([f"{EMBEDDING}={base}"] if kind.embeds else []))
    made = Models(load(Where(config=path, overrides=overrides)), RunOptions())
    yield made
    await made.aclose()


each = pytest.mark.parametrize("models", KINDS, indirect=True)


def test_every_recipe_for_a_server_is_tried_here() -> None:
    titles = [title for title in recipes() if not title.startswith("a GGUF file")]
    assert len(titles) == len(KINDS)
    assert all(any(title.startswith(name) for title in titles) for name in KINDS)


@each
async def test_it_answers_and_sends_json(models: Models, server: FakeServer) -> None:
    chat = models.chat("default_completion_model")
    assert (await complete(chat, PROSE_CALL)).text == PROSE
    points = await ask(chat, JSON_CALL, MapReply, reask="{defect}")
    assert [point.score for point in points.points] == [85, 40]
    calls = len(server.requests)
    await complete(chat, PROSE_CALL)
    await ask(chat, JSON_CALL, MapReply, reask="{defect}")
    assert len(server.requests) == calls + 2, "what was learnt is remembered"
    kind = next(kind for kind in KINDS.values() if kind.modes == server.mode)
    headers = server.requests[0].headers
    assert (headers.get("authorization") or headers.get("api-key")) == kind.key


@each
async def test_it_embeds(models: Models, server: FakeServer) -> None:
    if not next(kind for kind in KINDS.values() if kind.modes == server.mode).embeds:
        assert models.embedder("default_embedding_model").width == 384
        return
    server.mode = "embed_reversed"
    vectors = await models.embedder("default_embedding_model").embed(["a ship", "a dog"])
    assert vectors.shape[0] == 2
