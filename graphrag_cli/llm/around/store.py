"""Where exchanges with models are kept for a run: nowhere, in a recording, in the cache, or they all come from one.

A store stands between the models and the meter of a run. It is handed a way to make a model rather than the
model, so that a replay makes none: it needs no key, no file and no network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from graphrag_cli.errors import UsageError
from graphrag_cli.llm.endpoints.address import OPENAI_BASE, Secrets, base_url, shown_url, url_secrets

if TYPE_CHECKING:
    from graphrag_cli.config.settings import (
        CacheSettings,
        ChatModelSettings,
        EmbeddingModelSettings,
        Settings,
    )
    from graphrag_cli.llm.around.cache import ReplyCache
    from graphrag_cli.llm.around.record import Recording, Replay
    from graphrag_cli.llm.base import ChatModel, Embedder


class Store(Protocol):
    """Gives the models of a run."""

    def chat(self, settings: ChatModelSettings, make: Callable[[], ChatModel]) -> ChatModel:
        """The chat model of ``settings``, from ``make`` where it is needed."""
        ...

    def embedder(self, settings: EmbeddingModelSettings, make: Callable[[], Embedder]) -> Embedder:
        """The same for an embedder."""
        ...


def open_store(record: Path | None, replay: Path | None, cache: CacheSettings, secrets: Secrets) -> Store:
    """The store that flags and settings ask for. Raises ``UsageError`` or ``SettingsError`` when it cannot be had.

    A recording made with the cache on holds what the cache gave too. ``cache.path`` is absolute, or unset for the
    user's cache folder.
    """
    if replay is not None:
        if record is not None:
            raise UsageError(
                "--record and --replay exclude each other", hint="a replay asks no model anything new"
            )
        from graphrag_cli.llm.around.record import Replay

        return _Replayed(Replay(replay))
    store: Store = _Plain()
    if cache.type == "sqlite":
        from graphrag_cli.llm.around.cache import ReplyCache

        store = _Cached(ReplyCache(cache.path or default_cache()))
    if record is not None:
        from graphrag_cli.llm.around.record import Recording

        store = _Recorded(store, Recording(record, secrets))
    return store


def store_for(settings: Settings, record: Path | None, replay: Path | None) -> Store:
    """``open_store`` with the cache that ``settings`` name, and every key in them kept out of recordings."""
    entries = (*settings.completion_models.values(), *settings.embedding_models.values())
    keys = [entry.api_key.get_secret_value() for entry in entries if entry.api_key is not None]
    named = [value for entry in entries for value in entry.headers.values()]
    path = settings.cache.path
    cache = settings.cache.model_copy(update={"path": None if path is None else settings.root / path})
    addressed = [value for entry in entries for value in url_secrets(entry.api_base or "")]
    return open_store(record, replay, cache, Secrets((*keys, *named, *addressed)))


class _Plain:
    def chat(self, settings: ChatModelSettings, make: Callable[[], ChatModel]) -> ChatModel:
        return make()

    def embedder(self, settings: EmbeddingModelSettings, make: Callable[[], Embedder]) -> Embedder:
        return make()


@dataclass(frozen=True, slots=True)
class _Replayed:
    replay: Replay

    def chat(self, settings: ChatModelSettings, make: Callable[[], ChatModel]) -> ChatModel:
        return self.replay.chat(settings.model)

    def embedder(self, settings: EmbeddingModelSettings, make: Callable[[], Embedder]) -> Embedder:
        return self.replay.embedder(settings.model)


@dataclass(frozen=True, slots=True)
class _Cached:
    cache: ReplyCache

    def chat(self, settings: ChatModelSettings, make: Callable[[], ChatModel]) -> ChatModel:
        return self.cache.chat(make(), scope_of(settings))

    def embedder(self, settings: EmbeddingModelSettings, make: Callable[[], Embedder]) -> Embedder:
        return self.cache.embedder(make(), f"{scope_of(settings)} {settings.dimensions or ''}")


@dataclass(frozen=True, slots=True)
class _Recorded:
    inner: Store
    recording: Recording

    def chat(self, settings: ChatModelSettings, make: Callable[[], ChatModel]) -> ChatModel:
        return self.recording.chat(self.inner.chat(settings, make))

    def embedder(self, settings: EmbeddingModelSettings, make: Callable[[], Embedder]) -> Embedder:
        return self.recording.embedder(self.inner.embedder(settings, make))


def scope_of(settings: ChatModelSettings | EmbeddingModelSettings) -> str:
    """What tells models of one name apart: who serves them, and where."""
    place = shown_url(base_url(settings.api_base or OPENAI_BASE))
    return " ".join(
        [settings.provider, place, settings.deployment_name or "", str(getattr(settings, "path", None) or "")]
    )


def default_cache() -> Path:
    """Where replies are kept when settings name no file."""
    from platformdirs import user_cache_path

    return user_cache_path("graphrag-cli", appauthor=False) / "replies.sqlite"
