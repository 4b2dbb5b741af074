"""The composition root: the only place that reads a provider's name and chooses an implementation.

A ``Builder`` belongs to one project. What it makes is made once and shared by every question of a run: one
snapshot, one client per endpoint.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphrag_cli.engines.base import Engine, Toolbox
from graphrag_cli.engines.opening import OpenedIndex, open_index
from graphrag_cli.errors import SettingsError
from graphrag_cli.events import RunWarning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.config.load import Loaded
    from graphrag_cli.config.prompts import PromptName
    from graphrag_cli.config.settings import ChatModelSettings, EmbeddingModelSettings
    from graphrag_cli.events import Method
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.llm.base import ChatModel, Embedder, TokenCounter
    from graphrag_cli.llm.store import Store
    from graphrag_cli.llm.usage import PriceTable

ALWAYS: tuple[PromptName, ...] = ("rewrite", "reask")
PROMPTS: dict[Method, tuple[PromptName, ...]] = {
    "basic": ("basic", *ALWAYS),
    "local": ("local", *ALWAYS),
    "global": ("global_map", "global_reduce", "global_knowledge", "global_rate", *ALWAYS),
    "drift": ("drift_hyde", "drift_primer", "drift_local", "drift_reduce", *ALWAYS),
}
"""The prompts that each method fills."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What flags say about a whole run, beyond settings."""

    stream: bool = True
    """Off: every request says ``stream: false``."""
    prompt_dir: Path | None = None
    record: Path | None = None
    replay: Path | None = None


class Builder:
    """Makes what engines need, once each, when first asked for."""

    def __init__(self, loaded: Loaded, options: RunOptions) -> None:
        self._loaded = loaded
        self._settings = loaded.settings
        self._options = options
        self._store: Store | None = None
        self._chats: dict[str, ChatModel] = {}
        self._embedders: dict[str, Embedder] = {}
        self._opened: dict[tuple[Method | None, str | None], OpenedIndex] = {}
        self._engines: dict[Method, Engine] = {}

    # -- index ----------------------------------------------------------------------------------------------

    def snapshot(self, method: Method | None) -> Snapshot:
        """The index, checked for what ``method`` needs. Raises ``IndexDataError``."""
        return self._index(method, None).snapshot

    def _index(self, method: Method | None, embedding_model: str | None) -> OpenedIndex:
        key = (method, embedding_model)
        if key not in self._opened:
            self._opened[key] = open_index(self._settings, method, embedding_model)
        return self._opened[key]

    # -- models ---------------------------------------------------------------------------------------------

    def chat(self, model_id: str) -> ChatModel:
        """The chat model of that id. Raises ``SettingsError`` when there is none or its settings cannot be used."""
        if model_id not in self._chats:
            settings = _model(self._settings.completion_models, "completion_models", model_id)
            self._require(f"completion_models.{model_id}")
            self._chats[model_id] = self._models().chat(settings, lambda: self._make_chat(settings))
        return self._chats[model_id]

    def embedder(self, model_id: str) -> Embedder:
        """The embedding model of that id. Raises ``SettingsError`` when there is none or its settings cannot be used."""
        if model_id not in self._embedders:
            settings = _model(self._settings.embedding_models, "embedding_models", model_id)
            self._require(f"embedding_models.{model_id}")
            made = self._models().embedder(settings, lambda: self._make_embedder(settings))
            self._embedders[model_id] = made
        return self._embedders[model_id]

    def _require(self, section: str) -> None:
        """A replay reaches no model, so what a model's settings lack does not matter to it."""
        if self._options.replay is None:
            self._loaded.require(section)

    def _models(self) -> Store:
        """Where exchanges with models are kept, or come from."""
        if self._store is None:
            from graphrag_cli.llm.store import store_for

            self._store = store_for(self._settings, self._options.record, self._options.replay)
        return self._store

    def tokens(self, model_id: str) -> TokenCounter:
        """Counts as the chat model of that id does."""
        return self._counter(_model(self._settings.completion_models, "completion_models", model_id))

    def _counter(self, settings: ChatModelSettings | EmbeddingModelSettings) -> TokenCounter:
        from graphrag_cli.llm.tokens import counter_for

        return counter_for(settings.model, settings.encoding_model)

    def _make_chat(self, settings: ChatModelSettings) -> ChatModel:
        match settings.provider:
            case "extractive":
                from graphrag_cli.llm.extractive.model import ExtractiveChat
                from graphrag_cli.llm.minilm import MiniLmEmbedder

                return ExtractiveChat(MiniLmEmbedder(), self._counter(settings), name=settings.model)
            case "scripted":
                from graphrag_cli.llm.scripted import ScriptedChat, from_file

                if settings.responses:
                    replies = cycle(settings.responses)
                    return ScriptedChat(lambda _request: next(replies), name=settings.model)
                return from_file(_path(self._settings.root, settings), name=settings.model)
            case "openai" | "azure":
                from graphrag_cli.llm.build import openai_chat

                return openai_chat(
                    settings,
                    self._counter(settings),
                    concurrency=self._settings.concurrent_requests,
                    environment=os.environ,
                    kind=settings.provider,
                )
            case "gguf":
                from graphrag_cli.llm.build import gguf_chat

                return gguf_chat(settings, _path(self._settings.root, settings), self._counter(settings))

    def _make_embedder(self, settings: EmbeddingModelSettings) -> Embedder:
        match settings.provider:
            case "minilm":
                from graphrag_cli.llm.minilm import MiniLmEmbedder

                return MiniLmEmbedder()
            case "scripted":
                from graphrag_cli.llm.scripted import HashEmbedder

                return HashEmbedder(settings.dimensions or 64, name=settings.model)
            case "openai" | "azure":
                from graphrag_cli.llm.build import openai_embedder

                return openai_embedder(
                    settings,
                    self._counter(settings),
                    concurrency=self._settings.concurrent_requests,
                    environment=os.environ,
                    kind=settings.provider,
                )

    # -- engines --------------------------------------------------------------------------------------------

    def engine(self, method: Method) -> Engine:
        """The engine for ``method``, with everything it needs opened and checked. Raises ``CliError``."""
        if method not in self._engines:
            chat_id, embedding_id = self._model_ids(method)
            # What costs nothing is checked first, so that a missing key is not reported after a minute of loading.
            chat = self.chat(chat_id)
            embedder = self.embedder(embedding_id) if embedding_id else None
            rater_id = self._settings.global_search.rate_model_id if method == "global" else None
            rater = self.chat(rater_id) if rater_id is not None else None
            self._engines[method] = self._make_engine(method, self._toolbox(method, chat, embedder, rater))
        return self._engines[method]

    def rehearsal(self, method: Method) -> tuple[Engine, bool]:
        """An engine whose models send nothing, for an estimate; and whether questions are really embedded.

        They are where the embedding model runs on this machine. No key is needed.
        """
        from graphrag_cli.engines.estimate import RehearsingChat, RehearsingEmbedder

        chat_id, embedding_id = self._model_ids(method)
        chosen = _model(self._settings.completion_models, "completion_models", chat_id)
        followups = self._settings.drift_search.drift_k_followups
        chat = RehearsingChat(chosen.model, self.tokens(chat_id), followups)
        if embedding_id is None:
            return self._make_engine(method, self._toolbox(method, chat, None)), True
        wanted = _model(self._settings.embedding_models, "embedding_models", embedding_id)
        local = wanted.provider in {"minilm", "scripted"}
        real = self.embedder(embedding_id) if local else None
        tools = self._toolbox(method, chat, RehearsingEmbedder(wanted.model, 1, real))
        width = tools.vectors.open("text_unit_text" if method == "basic" else "entity_description").width
        embedder = RehearsingEmbedder(wanted.model, width, real)
        return self._make_engine(method, replace(tools, embedder=embedder)), local

    def _make_engine(self, method: Method, tools: Toolbox) -> Engine:
        settings = self._settings
        match method:
            case "basic":
                from graphrag_cli.engines.basic import BasicSearch

                return BasicSearch(tools, settings.basic_search)
            case "local":
                from graphrag_cli.engines.local import LocalSearch

                return LocalSearch(tools, settings.local_search)
            case "global":
                from graphrag_cli.engines.global_.engine import GlobalSearch

                return GlobalSearch(tools, settings.global_search, settings.concurrent_requests)
            case "drift":
                from graphrag_cli.engines.drift.engine import DriftSearch

                return DriftSearch(tools, settings.drift_search)

    def _toolbox(
        self, method: Method, chat: ChatModel, embedder: Embedder | None, rater: ChatModel | None = None
    ) -> Toolbox:
        from graphrag_cli.config.prompts import load_prompts

        chat_id, _ = self._model_ids(method)
        prompts = load_prompts(self._settings, PROMPTS[method], self._options.prompt_dir)
        index = self._index(method, embedder.name if embedder else None)
        return Toolbox(
            snapshot=index.snapshot,
            vectors=index.vectors,
            remarks=(*index.remarks, *(RunWarning(odd.code, odd.text) for odd in prompts.findings)),
            chat=chat,
            embedder=embedder or _NoEmbedder(),
            tokens=self.tokens(chat_id),
            prompts=prompts,
            prices=self._prices(),
            history_tokens=self._settings.history.max_tokens,
            window=self._settings.completion_models[chat_id].max_context_window,
            rater=rater,
        )

    def _prices(self) -> PriceTable:
        from graphrag_cli.llm.prices import Prices, priced

        models = (*self._settings.completion_models.values(), *self._settings.embedding_models.values())
        return Prices(map(priced, models))

    def _model_ids(self, method: Method) -> tuple[str, str | None]:
        settings = self._settings
        match method:
            case "global":
                return settings.global_search.completion_model_id, None
            case "local":
                return settings.local_search.completion_model_id, settings.local_search.embedding_model_id
            case "drift":
                return settings.drift_search.completion_model_id, settings.drift_search.embedding_model_id
            case "basic":
                return settings.basic_search.completion_model_id, settings.basic_search.embedding_model_id

    async def aclose(self) -> None:
        """Closes every model. Safe to call twice."""
        for model in (*self._chats.values(), *self._embedders.values()):
            await model.aclose()


class _NoEmbedder:
    """Stands where a method embeds nothing."""

    name = "none"
    width = None

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("this method embeds nothing")

    async def aclose(self) -> None:
        return


ModelT = TypeVar("ModelT", "ChatModelSettings", "EmbeddingModelSettings")


def _model(models: Mapping[str, ModelT], section: str, model_id: str) -> ModelT:
    if model_id in models:
        return models[model_id]
    known = ", ".join(sorted(models)) or "none"
    raise SettingsError(
        f"{section} has no entry {model_id!r} (there are: {known})",
        hint=f"Add {section}.{model_id} to the settings file, or name another one for this method.",
    )


def _path(root: Path, settings: ChatModelSettings) -> Path:
    if settings.path is None:
        raise SettingsError(
            f"provider {settings.provider!r} needs a file",
            hint="Set `path` of the model to it, relative to the settings file.",
        )
    return root / settings.path
