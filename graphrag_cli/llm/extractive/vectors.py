"""Vectors of sentences, kept between calls: the steps of a run are sent the same records again and again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.llm.base import Embedder

    Vectors: TypeAlias = NDArray[np.float32]

CACHED_VECTORS: Final = 8192
"""Vectors kept between calls: 12 MB."""


class VectorCache:
    """Embeds each sentence once, while it is remembered; calls side by side wait for each other's sentences."""

    def __init__(self, embedder: Embedder, size: int = CACHED_VECTORS) -> None:
        self._embedder = embedder
        self._size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._under_way: dict[str, asyncio.Future[None]] = {}

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row per text. Raises ``ModelError`` where the embedder does."""
        import numpy as np

        found: dict[str, Vectors] = {}
        while missing := [
            text for text in dict.fromkeys(texts) if text not in found and not self._take(text, found)
        ]:
            waiting = [self._under_way[text] for text in missing if text in self._under_way]
            new = [text for text in missing if text not in self._under_way]
            if new:
                found.update(await self._embed(new))
            elif waiting:
                await asyncio.wait(waiting)
        return np.stack([found[text] for text in texts])

    def _take(self, text: str, found: dict[str, Vectors]) -> bool:
        vector = self._kept.get(text)
        if vector is None:
            return False
        self._kept.move_to_end(text)
        found[text] = vector
        return True

    async def _embed(self, texts: list[str]) -> dict[str, Vectors]:
        done = asyncio.get_running_loop().create_future()
        self._under_way.update(dict.fromkeys(texts, done))
        try:
            rows = unit_rows(await self._embedder.embed(texts))
        finally:
            for text in texts:
                del self._under_way[text]
            done.set_result(None)
        embedded: dict[str, Vectors] = dict(zip(texts, rows, strict=True))
        self._kept.update(embedded)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return embedded


def unit_rows(vectors: Vectors) -> Vectors:
    """``vectors`` at unit length; other embedders than the embedded one need not send such."""
    import numpy as np

    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
