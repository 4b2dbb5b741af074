"""Embeds many texts in batches side by side, and long texts in windows that are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_cli.errors import ContextLengthError, ModelError
from graphrag_cli.llm.around.base import EmbedderAround
from graphrag_cli.together import together

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.llm.base import Embedder, TokenCounter

_SMALLEST_WINDOW = 8
"""Tokens; a server that refuses even this much refuses for another reason."""


class BatchedEmbedder(EmbedderAround):
    """Any embedder, fed at most ``batch_size`` texts at a time, none longer than it takes.

    The limit of one text is ``max_input_tokens`` where settings name it; otherwise it is learnt from the server's
    first refusal, and kept.
    """

    def __init__(
        self,
        inner: Embedder,
        tokens: TokenCounter,
        *,
        batch_size: int = 64,
        max_input_tokens: int | None = None,
    ) -> None:
        super().__init__(inner)
        self._tokens = tokens
        self._batch_size = batch_size
        self._limit = max_input_tokens

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed``. One failed batch fails the call, and stops the others."""
        import numpy as np

        windows = [split_windows(text, self._limit, self._tokens) for text in texts]
        flat = [window for pieces in windows for window in pieces]
        batches = [flat[start : start + self._batch_size] for start in range(0, len(flat), self._batch_size)]
        if not batches:
            return np.zeros((0, self.width or 0), dtype=np.float32)
        matrix = np.concatenate(await together(map(self._batch, batches)))
        if len(flat) == len(texts):
            return matrix
        ends = np.cumsum([len(pieces) for pieces in windows])
        rows = [
            _average(matrix[end - len(pieces) : end], [self._tokens.count(piece) for piece in pieces])
            for end, pieces in zip(ends, windows, strict=True)
        ]
        return np.stack(rows)

    async def _batch(self, batch: list[str]) -> NDArray[np.float32]:
        """One request; when it is too long, two halves of it, and in the end windows of the one long text."""
        import numpy as np

        try:
            return await self._inner.embed(batch)
        except ContextLengthError as error:
            if len(batch) == 1:
                return (await self._windows(batch[0], error))[np.newaxis, :]
        middle = len(batch) // 2
        return np.concatenate([await self._batch(batch[:middle]), await self._batch(batch[middle:])])

    async def _windows(self, text: str, error: ContextLengthError) -> NDArray[np.float32]:
        """The average over windows of ``text``, smaller than what was just refused."""
        import numpy as np

        length = self._tokens.count(text)
        known = error.limit is not None and error.limit < length
        limit = error.limit if known and error.limit is not None else length // 2
        if limit < _SMALLEST_WINDOW:
            raise error
        self._limit = min(limit, self._limit or limit)
        pieces = split_windows(text, limit, self._tokens)
        parts = [await self._batch([piece]) for piece in pieces]
        return _average(np.concatenate(parts), [self._tokens.count(piece) for piece in pieces])


def split_windows(text: str, limit: int | None, tokens: TokenCounter) -> list[str]:
    """``text`` in pieces of at most ``limit`` tokens, cut between words where that loses at most half a piece."""
    # A token is at least one byte, so a short text fits unseen.
    if limit is None or len(text) * 4 <= limit or tokens.count(text) <= limit:
        return [text]
    pieces: list[str] = []
    rest = text
    while rest:
        piece = tokens.truncate(rest, limit) or rest[:1]
        if len(piece) < len(rest) and not rest[len(piece)].isspace():
            space = max(piece.rfind(" "), piece.rfind("\n"))
            piece = piece[:space] if space > len(piece) // 2 else piece
        pieces.append(piece)
        rest = rest[len(piece) :].lstrip()
    return pieces


def _average(rows: NDArray[np.float32], weights: list[int]) -> NDArray[np.float32]:
    """The weighted mean of ``rows``, as long as they are on average. Shape ``(width,)``."""
    import numpy as np

    mean = np.average(rows, axis=0, weights=np.maximum(weights, 1))
    length = float(np.linalg.norm(mean))
    if length == 0.0:
        raise ModelError("the windows of a long text cancel each other out; it cannot be embedded")
    wanted = float(np.linalg.norm(rows, axis=1).mean())
    return (mean * (wanted / length)).astype(np.float32)
