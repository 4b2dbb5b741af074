"""The composition root: puts models, index, prompts and settings together to engines.

A ``Builder`` belongs to one project. What it makes is made once and shared by every question of a run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graphrag_cli.engines.base import Engine, Toolbox
from graphrag_cli.engines.models import Models, RunOptions
from graphrag_cli.engines.opening import OpenedIndex, open_index
from graphrag_cli.events import RunWarning
from graphrag_cli.index.tables.schema import VECTORS_SEARCHED
from graphrag_cli.llm.around.purse import Limits, Purse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.config.load import Loaded
    from graphrag_cli.config.prompts import PromptName, PromptSet
    from graphrag_cli.events import Method
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.llm.base import ChatModel, Embedder

ALWAYS: tuple[PromptName, ...] = ("rewrite", "reask")
PROMPTS: dict[Method, tuple[PromptName, ...]] = {
    "basic": ("basic", *ALWAYS),
    "local": ("local", *ALWAYS),
    "global": ("global_map", "global_reduce", "global_knowledge", "global_rate", *ALWAYS),
    "drift": ("drift_hyde", "drift_primer", "drift_local", "drift_reduce", *ALWAYS),
}
"""The prompts that each method fills."""


class Builder:
    """Makes what engines need, once each, when first asked for."""

    def __init__(self, loaded: Loaded, options: RunOptions) -> None:
        self.models = Models(loaded, options)
        self._settings = loaded.settings
        self._options = options
        self._opened: dict[tuple[Method | None, str | None], OpenedIndex] = {}
        self._engines: dict[Method, Engine] = {}
        self._purse: Purse | None = None

    # -- index ----------------------------------------------------------------------------------------------

    def snapshot(self, method: Method | None) -> Snapshot:
        """The index, checked for what ``method`` needs. Raises ``IndexDataError``."""
        return self._index(method, None).snapshot

    def _index(self, method: Method | None, embedding_model: str | None) -> OpenedIndex:
        key = (method, embedding_model)
        if key not in self._opened:
            self._opened[key] = open_index(self._settings, method, embedding_model)
        return self._opened[key]

    @property
    def purse(self) -> Purse:
        """What all questions together may spend and have spent.

        Its time runs from when it is first asked for: by the first engine, once its index is open.
        """
        if self._purse is None:
            self._purse = Purse(self._options.limits or Limits(), shared=True)
        return self._purse

    # -- engines --------------------------------------------------------------------------------------------

    def engine(self, method: Method) -> Engine:
        """The engine for ``method``, with everything it needs opened and checked. Raises ``CliError``."""
        if method not in self._engines:
            chat_id, embedding_id = self._model_ids(method)
            # What costs nothing is checked first, so that a missing key is not reported after a minute of loading.
            chat = self.models.chat(chat_id)
            embedder = self.models.embedder(embedding_id) if embedding_id else None
            rater_id = self._settings.global_search.rate_model_id if method == "global" else None
            rater = self.models.chat(rater_id) if rater_id is not None else None
            tools = self._toolbox(method, chat, embedder)
            tools = dataclasses.replace(tools, rater=rater, purse=self.purse)
            self._engines[method] = self._make_engine(method, tools)
        return self._engines[method]

    def rehearsal(self, method: Method) -> tuple[Engine, bool]:
        """An engine whose models send nothing, for an estimate, and whether it retrieves what a real run would.

        It does where the method embeds nothing, or with a model that runs on this machine. No key is needed.
        """
        from graphrag_cli.engines.estimate import RehearsingChat, RehearsingEmbedder

        chat_id, embedding_id = self._model_ids(method)
        followups = self._settings.drift_search.drift_k_followups
        name = self.models.chat_settings(chat_id).model
        chat = RehearsingChat(name, self.models.tokens(chat_id), followups)
        if embedding_id is None:
            return self._make_engine(method, self._toolbox(method, chat, None)), True
        name = self.models.embedding_settings(embedding_id).model
        local = self.models.embeds_here(embedding_id)
        real = self.models.embedder(embedding_id) if local else None
        searched, *_ = VECTORS_SEARCHED[method]
        width = self._index(method, name).vectors.open(searched).width
        embedder = RehearsingEmbedder(name, width, real)
        return self._make_engine(method, self._toolbox(method, chat, embedder)), local

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

    def _toolbox(self, method: Method, chat: ChatModel, embedder: Embedder | None) -> Toolbox:
        from graphrag_cli.config.prompts import load_prompts

        chat_id, _ = self._model_ids(method)
        prompts = load_prompts(self._settings, PROMPTS[method], self._options.prompt_dir)
        index = self._index(method, embedder.name if embedder else None)
        return Toolbox(
            snapshot=index.snapshot,
            vectors=index.vectors,
            preparation=index.preparation,
            remarks=(*index.remarks, *self._remarks(chat_id, prompts)),
            chat=chat,
            embedder=embedder or _NoEmbedder(),
            tokens=self.models.tokens(chat_id),
            prompts=prompts,
            prices=self.models.prices(),
            history_tokens=self._settings.history.max_tokens,
            window=self.models.window(chat_id),
        )

    def _remarks(self, chat_id: str, prompts: PromptSet) -> Iterator[RunWarning]:
        for odd in prompts.findings:
            yield RunWarning(odd.code, odd.text)
        if note := self.models.token_note(chat_id):
            yield RunWarning("tokens.guessed", note)

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
        await self.models.aclose()


class _NoEmbedder:
    """Stands where a method embeds nothing."""

    name = "none"
    width = None

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("this method embeds nothing")

    async def aclose(self) -> None:
        return
