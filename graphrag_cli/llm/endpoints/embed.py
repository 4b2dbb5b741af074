"""An embedding model behind an OpenAI-compatible endpoint: strings in, checked vectors out, one request a call."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from contextlib import suppress
from operator import itemgetter
from typing import TYPE_CHECKING

from graphrag_cli.errors import ModelError
from graphrag_cli.llm.endpoints.address import url_hint
from graphrag_cli.llm.endpoints.client import RefusedError
from graphrag_cli.llm.endpoints.faults import error_of, is_too_long, not_an_api
from graphrag_cli.llm.endpoints.refusal import Refusal, refusal_of
from graphrag_cli.llm.reading.decode import clean_text
from graphrag_cli.llm.reading.values import is_array, is_number, is_object

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.llm.endpoints.client import Client

_PACKING = "encoding_format"
_UNCLEAR = (400, 415, 422, 501)
_SIZES = (1e-12, 1e12)
"""What the largest number of a vector lies between, unless its bytes are not those of 32-bit numbers."""
_STANDS_FOR_EMPTY = "-"
"""Servers refuse empty strings; what is embedded for one means nothing either way."""


class OpenAIEmbedder:
    """``Embedder`` over the openai SDK. Batches, windows and retries are wrappers around it."""

    def __init__(self, client: Client, *, dimensions: int | None = None) -> None:
        self._client = client
        self._dimensions = dimensions
        self._width = dimensions
        self._packed = True
        """Whether vectors are asked for in base64: half the bytes, and none of the decimal numbers to read."""
        self._worked = False

    @property
    def name(self) -> str:
        """As settings name it."""
        return self._client.endpoint.model

    @property
    def width(self) -> int | None:
        """``dimensions`` where set, else the width of the vectors that came, once some have."""
        return self._width

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed``; all texts go in one request."""
        import numpy as np

        if not texts:
            return np.zeros((0, self._width or 0), dtype=np.float32)
        body: dict[str, object] = {
            "model": self._client.endpoint.wire_model,
            "input": [clean_text(text) if text.strip() else _STANDS_FOR_EMPTY for text in texts],
        }
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        reply = await self._reply(body)
        try:
            matrix = self._matrix(self._rows(reply, len(texts)))
        except ModelError as error:
            if error.retryable or not _is_packed(reply):
                raise
            self._packed = False  # perhaps in numbers: what it packs may be 64-bit ones, or no numbers at all
            matrix = self._matrix(self._rows(await self._reply(body), len(texts)))
        self._worked = True
        self._width = matrix.shape[1]
        return matrix

    async def aclose(self) -> None:
        """Closes the client."""
        await self._client.aclose()

    async def _reply(self, body: dict[str, object]) -> object:
        """The reply in base64 where the server takes that, which servers that send numbers all the same do."""
        packed = self._packed
        reply, refusal = await self._send({**body, _PACKING: "base64"} if packed else body)
        if packed and refusal is not None and self._may_mean_packing(refusal):
            reply, refusal = await self._send(body)
            if refusal is None:
                self._packed = False
        if refusal is not None:
            raise error_of(refusal, self._client.target)
        return reply

    def _may_mean_packing(self, refusal: Refusal) -> bool:
        """Whether it says so, or is the first word of a server that does not say what it dislikes."""
        if re.search(f"{_PACKING}|base64", f"{refusal.param} {refusal.words}"):
            return True
        return refusal.status in _UNCLEAR and not self._worked and not is_too_long(refusal)

    async def _send(self, body: dict[str, object]) -> tuple[object, Refusal | None]:
        try:
            reply = await self._client.embeddings(body)
        except RefusedError as refused:
            return None, refused.refusal
        refused_within = is_object(reply) and (reply.get("error") or reply.get("object") == "error")
        return reply, refusal_of(reply, 0) if refused_within else None

    def _rows(self, reply: object, expected: int) -> list[object]:
        """The vectors in the order of the texts, whatever order they came in."""
        target = self._client.target
        data = reply.get("data") if is_object(reply) else None
        if not is_array(data):
            raise not_an_api(target, "a reply without vectors (`data` is missing)")
        entries = [entry for entry in data if is_object(entry)]
        if len(entries) != expected:
            raise ModelError(
                f"{target.shown} sent {len(entries)} vectors for {expected} texts",
                hint="a smaller `batch_size` may help; check that `model` is an embedding model",
                retryable=True,
            )
        places = [place for entry in entries if (place := _place(entry.get("index"))) is not None]
        if len(set(places)) == expected:
            entries = [entry for _, entry in sorted(zip(places, entries, strict=True), key=itemgetter(0))]
        return [entry.get("embedding") for entry in entries]

    def _matrix(self, rows: list[object]) -> NDArray[np.float32]:
        import numpy as np

        vectors = [_vector(row) for row in rows]
        widths = {len(vector) for vector in vectors}
        wanted = {self._dimensions} if self._dimensions else widths
        if len(widths) != 1 or 0 in widths or widths != wanted:
            raise self._unusable(
                f"vectors of width {', '.join(map(str, sorted(widths)))}"
                + (f" where {self._dimensions} was asked for" if self._dimensions else ""),
                "check `model` and `dimensions`: not every model can change its width",
            )
        matrix = np.stack(vectors)
        if not np.isfinite(matrix).all():
            raise self._unusable(
                "a vector that holds NaN or infinity", "the server's build of the model is broken"
            )
        if not np.abs(matrix).max(axis=1).all():
            raise self._unusable("a vector of zeros", "check that `model` is an embedding model")
        return matrix

    def _unusable(self, what: str, hint: str) -> ModelError:
        target = self._client.target
        url = f"; {url_hint(target.url)}" if target.url.rstrip("/").endswith("/api") else ""
        return ModelError(f"{target.shown} sent {what}", hint=hint + url)


def _is_packed(reply: object) -> bool:
    data = reply.get("data") if is_object(reply) else None
    return is_array(data) and any(
        is_object(entry) and isinstance(entry.get("embedding"), str) for entry in data
    )


def _place(index: object) -> float | None:
    """What ``index`` says of the order of vectors, whatever it counts from; None when it says nothing."""
    if isinstance(index, str) and index.isdecimal():
        return float(index)
    return index if is_number(index) else None


def _vector(row: object) -> NDArray[np.float32]:
    """One vector from a list of numbers or from base64; anything else has width 0. Null counts as NaN."""
    import numpy as np

    if isinstance(row, str):
        try:
            read = np.frombuffer(base64.b64decode(row.strip(), validate=True), dtype="<f4").astype(np.float32)
        except (binascii.Error, ValueError):
            return np.zeros(0, dtype=np.float32)
        largest = np.abs(read).max(initial=0)
        return read[:0] if 0 < largest < _SIZES[0] or largest > _SIZES[1] else read
    if is_array(row):
        if len(row) == 1 and is_array(row[0]):
            row = row[0]
        with np.errstate(over="ignore"), suppress(OverflowError):  # an integer beyond all floats
            if set(map(type, row)) <= {float, int}:  # nearly always, and fast
                return np.array(row, dtype=np.float32)
            return np.array([item if is_number(item) else np.nan for item in row], dtype=np.float32)
    return np.zeros(0, dtype=np.float32)
