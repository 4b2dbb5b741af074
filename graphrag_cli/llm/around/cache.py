"""Keeps good replies in a SQLite file, so that what was asked before is not paid for again. Off by default."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphrag_cli.errors import SettingsError
from graphrag_cli.llm.around.base import ChatAround, EmbedderAround
from graphrag_cli.llm.around.exchange import (
    chat_request_data,
    embed_request_data,
    items_from_data,
    items_to_data,
    key_of,
    vectors_from_data,
    vectors_to_data,
)
from graphrag_cli.llm.base import CallUsage, ReplyEnd, ReplyItem, ReplyNotice, close_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.events import Json
    from graphrag_cli.llm.base import ChatModel, ChatRequest, Embedder

T = TypeVar("T")

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, at REAL NOT NULL)"
_VERSION = 1
"""Stands in every key: raise it when the form of replies changes."""
_BUSY = 10.0
"""Seconds to wait for another process that writes."""


class ReplyCache:
    """The file. Several processes may share it. Raises ``SettingsError`` when it cannot be used.

    One that fails later (a full disk, a file taken away) costs no answer: it is left alone, and ``complaint`` says so.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._fault: str | None = None
        self._said = False
        self._open()  # to fail now, not in the middle of a run
        self.close()

    def chat(self, model: ChatModel, scope: str) -> ChatModel:
        """``model``, asked only what is not in the cache. ``scope`` tells models of one name apart: their URL."""
        return _CachedChat(model, self, scope)

    def embedder(self, model: Embedder, scope: str) -> Embedder:
        """``model``, asked only for the texts that are not in the cache."""
        return _CachedEmbedder(model, self, scope)

    def get(self, request: dict[str, Json], scope: str, read: Callable[[object], T]) -> T | None:
        """The reply to ``request`` as ``read`` makes it of JSON; None when there is none that it can be made of."""
        if self._fault is not None:
            return None
        row: tuple[str] | None = None
        with self._noting_faults():
            rows = self._open().execute("SELECT reply FROM replies WHERE key = ?", (_key(request, scope),))
            with closing(rows):
                row = rows.fetchone()
        try:
            return None if row is None else read(json.loads(row[0]))
        except ValueError:  # what cannot be read is not there, and is soon replaced
            return None

    def put(self, request: dict[str, Json], scope: str, reply: Json) -> None:
        """Keeps ``reply``."""
        if self._fault is not None:
            return
        row = (_key(request, scope), json.dumps(reply, ensure_ascii=False), time.time())
        with self._noting_faults():
            self._open().execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", row).close()

    def complaint(self) -> ReplyNotice | None:
        """That the file failed, once."""
        if self._fault is None or self._said:
            return None
        self._said = True
        return ReplyNotice("cache.left", f"the cache is left alone from here on: {self._fault}")

    @contextmanager
    def _noting_faults(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            self._fault = f"{self._path}: {error}"
        except SettingsError as error:
            self._fault = error.message

    def close(self) -> None:
        """Closes the file. Safe to call twice; a later call opens it again."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                db = sqlite3.connect(self._path, timeout=_BUSY, isolation_level=None)
                self._db = db
                db.execute("PRAGMA journal_mode=WAL").close()
                db.execute(_TABLE).close()
            except (OSError, sqlite3.Error) as error:
                self.close()
                raise self._unusable(error) from error
            return db
        return self._db

    def _unusable(self, error: Exception) -> SettingsError:
        return SettingsError(
            f"the cache {self._path} cannot be used: {error}",
            hint="delete the file if it is damaged, name another with `cache: {path: …}`, or set `cache: {type: none}`",
        )


class _CachedChat(ChatAround):
    def __init__(self, inner: ChatModel, cache: ReplyCache, scope: str) -> None:
        super().__init__(inner)
        self._cache = cache
        self._scope = scope

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        data = chat_request_data(self.name, request)
        found = self._cache.get(data, self._scope, items_from_data)
        if found is not None:
            for item in found:
                yield _free(item)
            return
        kept: list[ReplyItem] = []
        items = self._inner.stream(request)
        try:
            async for item in items:
                if not isinstance(item, ReplyNotice):
                    kept.append(item)
                if isinstance(item, ReplyEnd) and item.outcome == "ok":
                    self._cache.put(data, self._scope, items_to_data(kept))
                    if complaint := self._cache.complaint():
                        yield complaint
                yield item
        finally:
            await close_items(items)

    async def aclose(self) -> None:
        self._cache.close()
        await super().aclose()


class _CachedEmbedder(EmbedderAround):
    def __init__(self, inner: Embedder, cache: ReplyCache, scope: str) -> None:
        super().__init__(inner)
        self._cache = cache
        self._scope = scope
        self._width: int | None = None

    @property
    def width(self) -> int | None:
        return self._inner.width or self._width

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        asked = {text: embed_request_data(self.name, [text]) for text in dict.fromkeys(texts)}
        rows = {
            text: found
            for text, data in asked.items()
            if (found := self._cache.get(data, self._scope, vectors_from_data)) is not None
        }
        missing = [text for text in asked if text not in rows]
        if missing:
            vectors = await self._inner.embed(missing)
            for text, vector in zip(missing, vectors, strict=True):
                rows[text] = vector
                self._cache.put(asked[text], self._scope, vectors_to_data(vector))
        if not texts:
            return np.zeros((0, self.width or 0), dtype=np.float32)
        matrix = np.stack([rows[text] for text in texts])
        self._width = matrix.shape[1]
        return matrix

    async def aclose(self) -> None:
        self._cache.close()
        await super().aclose()


def _key(request: dict[str, Json], scope: str) -> str:
    return key_of({"version": _VERSION, "scope": scope, "request": request})


def _free(item: ReplyItem) -> ReplyItem:
    """A reply from the cache spends nothing: its usage is zero, and is known to be."""
    return replace(item, usage=CallUsage(0, 0, counted=True)) if isinstance(item, ReplyEnd) else item
