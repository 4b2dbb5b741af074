"""Every mode of the fake endpoint × every method × streamed or not: answered, partial, no data, or an error.

None crashes, none apologises with status 0, none throws finished work away. A mode that is not listed is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from graphrag_cli.config.settings import GlobalSearchSettings
from graphrag_cli.engines.collect import collect
from graphrag_cli.engines.global_.engine import GlobalSearch
from graphrag_cli.errors import ModelError
from graphrag_cli.events import METHODS, Method
from tests.engines.kit import question
from tests.kit.server import FakeServer
from tests.matrix.runs import CHAT_MODES, EMBED_MODES, WIDTH, ending, engine, models

UNUSABLE, ERROR, LATE = "model.unusable 5", "model 5", "model.timeout 5"
AUTH, LIMITED, FILTERED, LONG = (
    "model.auth 5",
    "model.rate_limit 5",
    "model.filtered 5",
    "model.context_length 5",
)

ALL: dict[str, str] = {
    # No text can be told from the reasoning, or there is none.
    **dict.fromkeys(("think_open", "reasoning_only", "empty", "blank", "null", "null_tools"), UNUSABLE),
    **dict.fromkeys(("no_choices", "over_capacity"), UNUSABLE),
    "cut": "partial",
    "filtered": FILTERED,
    "filter": FILTERED,
    "refusal": FILTERED,
    **dict.fromkeys(("401", "403"), AUTH),
    **dict.fromkeys(
        ("400_model", "404_model", "404_path", "moved", "500", "502", "503", "html", "html_404"), ERROR
    ),
    **dict.fromkeys(("error_200", "error_200_text", "nonsense", "not_json", "no_body"), ERROR),
    **dict.fromkeys(("408", "never"), LATE),
    **dict.fromkeys(("413", "ctx=60"), LONG),
    **dict.fromkeys(("429_seconds", "429_date", "429_words", "429_bare", "429_tokens", "429_quota"), LIMITED),
}
"""How a mode ends with every method."""

STRUCTURED: dict[str, tuple[str, str]] = {
    "prose_only": (UNUSABLE, UNUSABLE),
    "top_string": (UNUSABLE, UNUSABLE),
    # The JSON of the steps is found inside the reasoning; only the final answer holds no text.
    **dict.fromkeys(("think_open", "reasoning_only"), ("partial", "partial")),
    "no_points": (UNUSABLE, "answered"),
    "points_null": ("no_data", "answered"),
    "score_negative": ("no_data", "no_data"),
}
"""Modes that only spoil JSON replies: how global and DRIFT end; local and basic ask for none."""

STREAMED: dict[str, str] = dict.fromkeys(("error_inside", "cut_half", "cut_clean"), "partial")
"""Streams that break after text was shown; the same endpoint answers when asked for the whole."""


def expected(mode: str, method: Method, stream: bool) -> str:
    """What the mode should come to."""
    if mode in STREAMED:
        return STREAMED[mode] if stream else "answered"
    if mode == "cut_half*1":
        # Only a first call whose text is being shown cannot be tried again.
        return "partial" if stream and method in {"basic", "local"} else "answered"
    if mode == "finish_error":
        return "partial" if stream and method in {"basic", "local"} else ERROR
    if mode in STRUCTURED and method in {"global", "drift"}:
        return STRUCTURED[mode][method == "drift"]
    return ALL.get(mode, "answered")


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer(width=WIDTH) as running:
        yield running


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", sorted(set(CHAT_MODES)))
async def test_a_chat_endpoint_in_mode(server: FakeServer, mode: str, method: Method) -> None:
    if "*" in mode:  # counts calls: one after the other, each on an address of its own
        first = await ending(server, method, chat_mode=f"{mode}+clean_{method}_s", stream=True)
        found = [first, await ending(server, method, chat_mode=f"{mode}+clean_{method}_w", stream=False)]
    else:
        streamed = ending(server, method, chat_mode=mode, stream=True)
        found = list(await asyncio.gather(streamed, ending(server, method, chat_mode=mode, stream=False)))
    assert found == [expected(mode, method, stream=True), expected(mode, method, stream=False)]


EMBED_ERRORS: dict[str, str] = {
    "401": AUTH,
    "429_quota": LIMITED,
    "never": LATE,
    **dict.fromkeys(
        (
            "embed_base64",
            "embed_floats",
            "embed_no_base64",
            "embed_reversed",
            "embed_no_index",
            "embed_from_one",
            "embed_index_text",
        ),
        "answered",
    ),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", EMBED_MODES)
async def test_an_embedding_endpoint_in_mode(server: FakeServer, mode: str, method: Method) -> None:
    found = await ending(server, method, embed_mode=mode, stream=True)
    if method == "global":
        assert found == "answered"  # embeds nothing
    elif mode == "embed_ragged" and method in {"basic", "local"}:
        assert found == "index.vectors 4"  # one vector of another width is a model of another width
    else:
        assert found == EMBED_ERRORS.get(mode, ERROR)


@pytest.mark.parametrize("mode", ["401", "400_model", "404_model", "404_path", "429_quota"])
@pytest.mark.parametrize(("method", "dynamic"), [("global", False), ("global", True), ("drift", False)])
async def test_what_every_call_would_meet_is_met_once(
    server: FakeServer, mode: str, method: Method, dynamic: bool
) -> None:
    equipped = models(server, mode, "clean", method)
    chosen = (
        GlobalSearch(
            equipped, GlobalSearchSettings(max_context_tokens=1500, dynamic_search_concurrent_coroutines=2), 2
        )
        if method == "global"
        else engine(method, equipped)
    )
    before = len(server.bodies())
    with pytest.raises(ModelError):
        await collect(chosen.stream(question("Who led the Fram expedition?", dynamic=dynamic)))
    await equipped.chat.aclose()
    await equipped.embedder.aclose()
    assert len(server.bodies()) - before <= 2
