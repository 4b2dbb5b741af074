"""One question by one method against the fake endpoint in one mode, and how it ended in a word."""

from __future__ import annotations

import functools
from dataclasses import replace

from graphrag_cli.config.settings import (
    BasicSearchSettings,
    ChatModelSettings,
    DriftSearchSettings,
    EmbeddingModelSettings,
    GlobalSearchSettings,
    LocalSearchSettings,
)
from graphrag_cli.engines.base import Engine, Toolbox
from graphrag_cli.engines.basic import BasicSearch
from graphrag_cli.engines.collect import collect
from graphrag_cli.engines.drift.engine import DriftSearch
from graphrag_cli.engines.global_.engine import GlobalSearch
from graphrag_cli.engines.local import LocalSearch
from graphrag_cli.errors import CliError
from graphrag_cli.events import Answer, Method
from graphrag_cli.llm.build import openai_chat, openai_embedder
from graphrag_cli.llm.counting.tokens import counter_for
from tests.engines.kit import question, scripted, toolbox
from tests.kit.embeds import SPOILS
from tests.kit.refusals import STATUSES
from tests.kit.server import FakeServer
from tests.kit.streams import REPLY_MODES
from tests.kit.texts import TEXT_MODES

KEY = "sk-matrix-key-0123456789"
WIDTH = 384

STREAM_MODES = (
    "first_empty",
    "null_delta",
    "empty_delta",
    "keepalive",
    "split_utf8",
    "error_inside",
    "no_done",
    "no_finish",
    "cut_half",
    "cut_clean",
    "ignores_stream",
    "nostream=400",
    "nostream=403",
    "token_delay=0.002",
    "first_byte=0.05",
    "never",
)
PARAM_MODES = (
    "nofmt_schema",
    "nofmt_object",
    "nofmt_any",
    "nofmt_vague",
    "nofmt_422",
    "nofmt_schema+nofmt_object",
    "noparam_null",
    "noparam_max_tokens",
    "noparam_max_completion_tokens",
    "noparam=temperature",
    "noparam=n",
    "noparam=top_p",
    "noparam=seed",
    "noparam=stream_options",
    "nosystem",
    "only_stream",
    "only_stream+nofmt_schema",
    "ctx=3000",
    "ctx=60",
)
PASSING = ("429_seconds*1", "429_words*1", "429_tokens*1", "500*1", "502*1", "503*1", "408*1", "cut_half*1")
"""Faults of the first call only: another try succeeds."""

CHAT_MODES: tuple[str, ...] = (
    "clean",
    *TEXT_MODES,
    *REPLY_MODES,
    *STATUSES,
    *STREAM_MODES,
    *PARAM_MODES,
    *PASSING,
)
EMBED_MODES: tuple[str, ...] = (
    *SPOILS,
    "embed_floats",
    "embed_no_base64",
    "embed_floats+embed_nan",
    "401",
    "404_model",
    "500",
    "502",
    "html",
    "429_quota",
    "no_body",
    "never",
)


@functools.cache
def tools() -> Toolbox:
    """The sample index; chat and embedder are replaced for each run."""
    return toolbox(scripted([]))


def engine(method: Method, equipped: Toolbox) -> Engine:
    """An engine with settings that keep a run small."""
    match method:
        case "basic":
            return BasicSearch(equipped, BasicSearchSettings(k=3))
        case "local":
            return LocalSearch(equipped, LocalSearchSettings(max_context_tokens=2500))
        case "global":
            return GlobalSearch(equipped, GlobalSearchSettings(max_context_tokens=6000), 8)
        case "drift":
            small = {
                "n_depth": 1,
                "drift_k_followups": 2,
                "primer_folds": 2,
                "local_search_max_data_tokens": 1500,
            }
            return DriftSearch(equipped, DriftSearchSettings.model_validate(small))


def models(server: FakeServer, chat_mode: str, embed_mode: str, method: Method) -> Toolbox:
    """The sample index with models behind the fake endpoint; failed calls are tried once more, at once."""
    never = "never" in f"{chat_mode} {embed_mode}"
    # Short only where it is waited for: a busy machine must not make a good server late.
    common = {"api_key": KEY, "retry": {"max_retries": 1, "base_delay": 0}, "timeout": 0.6 if never else 30}
    chat = ChatModelSettings.model_validate({"model": "gpt-4o", "api_base": server.base(chat_mode), **common})
    embedding = EmbeddingModelSettings.model_validate(
        {"model": "text-embedding-3-small", "api_base": server.base(embed_mode), **common}
    )
    counter = counter_for("gpt-4o")
    return replace(
        tools(),
        chat=openai_chat(chat, counter, concurrency=8),
        embedder=openai_embedder(embedding, counter, concurrency=8),
    )


async def answer(server: FakeServer, method: Method, chat_mode: str, embed_mode: str, stream: bool) -> Answer:
    """The answer of one run. Raises ``CliError``."""
    equipped = models(server, chat_mode, embed_mode, method)
    try:
        asked = question("Who led the Fram expedition?", stream=stream)
        return await collect(engine(method, equipped).stream(asked))
    finally:
        await equipped.chat.aclose()
        await equipped.embedder.aclose()


async def ending(
    server: FakeServer, method: Method, *, chat_mode: str = "clean", embed_mode: str = "clean", stream: bool
) -> str:
    """``answered``, ``partial``, ``no_data``, or the code and exit status of the error."""
    try:
        return (await answer(server, method, chat_mode, embed_mode, stream)).status
    except CliError as error:
        assert KEY not in f"{error.message} {error.hint}"
        return f"{error.code} {error.exit_code}"
