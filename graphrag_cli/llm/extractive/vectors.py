"""Vectors of sentences, kept between calls: the steps of a run are sent the same records again and again."""

from __future__ import annotations

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
    """Embeds each sentence once, while it is remembered."""

    def __init__(self, embedder: Embedder, size: int = CACHED_VECTORS) -> None:
        self._embedder = embedder
        self._size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """One unit-length row per text."""
        import numpy as np

        known = {text: self._kept[text] for text in texts if text in self._kept}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, unit_rows(await self._embedder.embed(missing)), strict=True))
        for text in texts:
            self._kept[text] = known[text]
            self._kept.move_to_end(text)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return np.stack([known[text] for text in texts])


def unit_rows(vectors: Vectors) -> Vectors:
    """``vectors`` at unit length; other embedders than the embedded one need not send such."""
    import numpy as np

    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
