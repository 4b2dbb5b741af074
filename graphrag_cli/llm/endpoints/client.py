"""The openai SDK, opened for one endpoint.

One client serves the whole run, inside one event loop; it is made with the first call, because importing the SDK
takes half a second. The SDK retries nothing here and parses nothing: what servers send is read in ``wire``, so
that a server that bends the protocol is understood, or refused with a message that says how.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from graphrag_cli import jsontext
from graphrag_cli.errors import ModelError
from graphrag_cli.llm.endpoints.faults import Target, broken_off, not_an_api, not_connected, timed_out
from graphrag_cli.llm.endpoints.refusal import Refusal, read_refusal
from graphrag_cli.llm.endpoints.sdk import Endpoint, check_access, make_sdk

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

T = TypeVar("T")

_UNREAD = {"X-Stainless-Raw-Response": "stream"}
"""Makes the SDK hand out a reply whose body is not read yet, as its ``with_streaming_response`` does.

That one walks through every message before it is sent, to rename fields that we do not have.
"""


class RefusedError(Exception):
    """The server refused a call; callers learn from ``refusal`` or turn it into a ``ModelError``."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class Body(Protocol):
    """The body of a reply, as it arrives."""

    @property
    def content_type(self) -> str:
        """Of the reply; empty when the server sent none."""
        ...

    def pieces(self) -> AsyncIterator[bytes]:
        """The bytes. Raises ``ModelError`` when the connection breaks or goes silent."""
        ...


class Client:
    """Sends requests to one endpoint. Safe to share between calls that run side by side."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.target = endpoint.target
        self._sdk: AsyncOpenAI | None = None

    @asynccontextmanager
    async def chat(self, body: dict[str, object]) -> AsyncGenerator[Body]:
        """The reply to a chat request, its body not read yet.

        Raises ``RefusedError`` for an HTTP error, and ``ModelError`` when the server cannot be reached.
        """
        import httpx2

        call = self._open().post(
            "/chat/completions", cast_to=httpx2.Response, body=body, options={"headers": _UNREAD}
        )
        reply = await self._guarded(call)
        try:
            yield _SdkBody(reply, self.target)
        finally:
            await reply.aclose()

    async def embeddings(self, body: dict[str, object]) -> object:
        """The decoded reply to an embeddings request. Raises as ``chat`` does."""
        import httpx2

        response = await self._guarded(self._open().post("/embeddings", cast_to=httpx2.Response, body=body))
        try:
            return jsontext.decode(response.text.removeprefix("\ufeff"))
        except ValueError:
            text = " ".join(response.text.split())
        raise not_an_api(self.target, text[:200] or "nothing")

    async def aclose(self) -> None:
        """Closes connections. Safe to call twice; a later call opens them again."""
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()

    def _open(self) -> AsyncOpenAI:
        if self._sdk is None:
            check_access(self.endpoint)
            self._sdk = make_sdk(self.endpoint)
        return self._sdk

    async def _guarded(self, call: Awaitable[T]) -> T:
        """Awaits ``call`` and turns what the SDK raises into errors of ours.

        They are raised outside the handler: the SDK's exceptions carry the request and the server's words, either
        of which may hold a key, and a traceback prints an exception's context.
        """
        import openai

        failure: Exception
        try:
            return await call
        except openai.APIStatusError as error:
            headers = dict(error.response.headers.items())
            failure = RefusedError(read_refusal(error.status_code, error.response.text, headers))
        except openai.APITimeoutError as error:
            failure = _late(self.target, error)
        except openai.APIConnectionError as error:
            failure = _unreached(self.target, error)
        except openai.OpenAIError as error:
            failure = ModelError(f"{self.target.shown}: {self.target.secrets.redact(str(error))}")
        raise failure


def _late(target: Target, error: BaseException) -> ModelError:
    """A connection that never opened is not a model that thinks for long."""
    import httpx2

    if isinstance(error.__cause__, httpx2.ConnectTimeout):
        return not_connected(target, "no connection was made in time")
    return timed_out(target)


def _unreached(target: Target, error: BaseException) -> ModelError:
    """A connection that was opened and closed again without a reply is not a server that is away."""
    import httpx2

    hung_up = isinstance(error.__cause__, httpx2.ReadError | httpx2.WriteError | httpx2.RemoteProtocolError)
    return not_connected(target, _innermost(error), hung_up=hung_up)


@dataclass(frozen=True, slots=True)
class _SdkBody:
    reply: httpx2.Response
    target: Target

    @property
    def content_type(self) -> str:
        return str(self.reply.headers.get("content-type", "")).lower()

    async def pieces(self) -> AsyncIterator[bytes]:
        import httpx2

        failure: ModelError
        try:
            async for piece in self.reply.aiter_bytes():
                yield piece
        except httpx2.TimeoutException:
            failure = timed_out(self.target)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            failure = broken_off(self.target, str(error) or type(error).__name__)
        else:
            return
        raise failure


def _innermost(error: BaseException) -> str:
    """The system's own words for a failed connection, which the SDK wraps several times."""
    words = str(error)
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno:
            return os.strerror(seen.errno) if seen.errno > 0 else seen.strerror or words
        words = str(seen) or words
        seen = seen.__cause__ or seen.__context__
    return words
