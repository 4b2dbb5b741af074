"""Chooses models: the only place that reads a provider's name. Part of the composition root with ``build``.

What it makes is made once and shared by every question of a run: one client per model. Around each model goes, from
the wire outwards, what its adapter brings (throttle, retry), then the reply cache, then the recording, then the
parameters that its settings name.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from graphrag_cli.engines.run import call_params
from graphrag_cli.errors import SettingsError
from graphrag_cli.llm.around.defaults import DefaultedChat

if TYPE_CHECKING:
    from graphrag_cli.config.load import Loaded
    from graphrag_cli.config.settings import ChatModelSettings, EmbeddingModelSettings
    from graphrag_cli.llm.around.purse import Limits
    from graphrag_cli.llm.around.store import Store
    from graphrag_cli.llm.around.usage import PriceTable
    from graphrag_cli.llm.base import ChatModel, Embedder, TokenCounter

ON_THIS_MACHINE: Final = frozenset({"minilm", "scripted"})
"""Embedding providers that send nothing anywhere."""

ModelT = TypeVar("ModelT", "ChatModelSettings", "EmbeddingModelSettings")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What flags say about a whole run, beyond settings."""

    stream: bool = True
    """Off: every request says ``stream: false``."""
    prompt_dir: Path | None = None
    record: Path | None = None
    """Where to keep every exchange with a model."""
    replay: Path | None = None
    """The recording that answers instead of the models."""
    limits: Limits | None = None
    """What all questions of the project together may spend, besides what each may."""


class Models:
    """The models of a project, each made when first asked for."""

    def __init__(self, loaded: Loaded, options: RunOptions) -> None:
        self._loaded = loaded
        self._settings = loaded.settings
        self._options = options
        self._chats: dict[str, ChatModel] = {}
        self._embedders: dict[str, Embedder] = {}
        self._store: Store | None = None

    # -- by id ----------------------------------------------------------------------------------------------

    def chat(self, model_id: str) -> ChatModel:
        """The chat model of that id. Raises ``SettingsError`` when there is none or its settings cannot be used."""
        if model_id not in self._chats:
            settings = self.chat_settings(model_id)
            self._require(f"completion_models.{model_id}")
            made = self._kept().chat(settings, lambda: self._make_chat(settings))
            self._chats[model_id] = DefaultedChat(made, call_params(settings.call_args))
        return self._chats[model_id]

    def embedder(self, model_id: str) -> Embedder:
        """The embedding model of that id. Raises ``SettingsError`` when there is none or its settings cannot be used."""
        if model_id not in self._embedders:
            settings = self.embedding_settings(model_id)
            self._require(f"embedding_models.{model_id}")
            self._embedders[model_id] = self._kept().embedder(settings, lambda: self._make_embedder(settings))
        return self._embedders[model_id]

    def _require(self, section: str) -> None:
        # A replay reaches no model, so what a model's settings lack does not matter to it.
        if self._options.replay is None:
            self._loaded.require(section)

    def _kept(self) -> Store:
        """Where exchanges with models are kept, or come from."""
        if self._store is None:
            from graphrag_cli.llm.around.store import store_for

            self._store = store_for(self._settings, self._options.record, self._options.replay)
        return self._store

    def chat_settings(self, model_id: str) -> ChatModelSettings:
        """The entry of ``completion_models``. Raises ``SettingsError``."""
        return _entry(self._settings.completion_models, "completion_models", model_id)

    def embedding_settings(self, model_id: str) -> EmbeddingModelSettings:
        """The entry of ``embedding_models``. Raises ``SettingsError``."""
        return _entry(self._settings.embedding_models, "embedding_models", model_id)

    def embeds_here(self, model_id: str) -> bool:
        """True when that embedding model runs on this machine."""
        return self.embedding_settings(model_id).provider in ON_THIS_MACHINE

    def tokens(self, model_id: str) -> TokenCounter:
        """Counts as the chat model of that id does."""
        return self._counter(self.chat_settings(model_id))

    def token_note(self, model_id: str) -> str | None:
        """A word for the user where the model's own tokenizer is not known."""
        from graphrag_cli.llm.counting.tokens import choose_encoding

        settings = self.chat_settings(model_id)
        if settings.provider == "scripted":
            return None
        return choose_encoding(settings.model, settings.encoding_model).note

    def window(self, model_id: str) -> int | None:
        """Tokens of the chat model's window, from settings or by its name."""
        from graphrag_cli.llm.around.windows import known_window

        settings = self.chat_settings(model_id)
        return settings.max_context_window or known_window(settings.model)

    def prices(self) -> PriceTable:
        """What calls cost."""
        from graphrag_cli.llm.around.prices import Prices, priced

        models = (*self._settings.completion_models.values(), *self._settings.embedding_models.values())
        return Prices(map(priced, models))

    async def aclose(self) -> None:
        """Closes every model, also when one of them fails to close. Safe to call twice."""
        async with AsyncExitStack() as closing:
            for model in (*self._chats.values(), *self._embedders.values()):
                closing.push_async_callback(model.aclose)

    # -- by provider ----------------------------------------------------------------------------------------

    def _make_chat(self, settings: ChatModelSettings) -> ChatModel:
        match settings.provider:
            case "extractive":
                from graphrag_cli.llm.extractive.model import ExtractiveChat
                from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder

                return ExtractiveChat(MiniLmEmbedder(), self._counter(settings), name=settings.model)
            case "scripted":
                from graphrag_cli.llm.in_process.scripted import ScriptedChat, from_file

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
                    kind=settings.provider,
                )
            case "gguf":
                from graphrag_cli.llm.build import gguf_chat

                return gguf_chat(settings, _path(self._settings.root, settings), self._counter(settings))

    def _make_embedder(self, settings: EmbeddingModelSettings) -> Embedder:
        match settings.provider:
            case "minilm":
                from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder

                return MiniLmEmbedder()
            case "scripted":
                from graphrag_cli.llm.in_process.scripted import HashEmbedder

                return HashEmbedder(settings.dimensions or 64, name=settings.model)
            case "openai" | "azure":
                from graphrag_cli.llm.build import openai_embedder

                return openai_embedder(
                    settings,
                    self._counter(settings),
                    concurrency=self._settings.concurrent_requests,
                    kind=settings.provider,
                )

    def _counter(self, settings: ChatModelSettings | EmbeddingModelSettings) -> TokenCounter:
        from graphrag_cli.llm.counting.tokens import counter_for

        return counter_for(settings.model, settings.encoding_model)


def _entry(models: Mapping[str, ModelT], section: str, model_id: str) -> ModelT:
    if model_id in models:
        return models[model_id]
    known = ", ".join(sorted(models)) or "none"
    raise SettingsError(
        f"{section} has no entry {model_id!r} (there are: {known})",
        hint=f"add {section}.{model_id} to the settings file, or name another one for this method",
    )


def _path(root: Path, settings: ChatModelSettings) -> Path:
    if settings.path is None:
        raise SettingsError(
            f"provider {settings.provider!r} needs a file",
            hint="set `path` of the model to it, relative to the settings file",
        )
    return root / settings.path
