"""A GGUF file run in this process by ``xllamacpp``: no server to start, no network, no key."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from graphrag_cli.errors import ModelError, SettingsError
from graphrag_cli.llm.base import ReplyEnd, ReplyItem, count_prompt
from graphrag_cli.llm.endpoints.address import Secrets
from graphrag_cli.llm.endpoints.capabilities import Capabilities
from graphrag_cli.llm.endpoints.faults import Target, error_of
from graphrag_cli.llm.endpoints.gathering import Gathered
from graphrag_cli.llm.endpoints.refusal import refusal_of
from graphrag_cli.llm.endpoints.wire import Chunk, read_chunk

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatRequest, TokenCounter

DEFAULT_WINDOW = 16_384
"""Tokens of window that are asked for where settings name none; the file's own limit caps it."""
_MAGIC = b"GGUF"
_PATIENCE = 2.0
"""Seconds."""


class LocalServer(Protocol):
    """What ``xllamacpp.Server`` offers of what is used here."""

    def handle_chat_completions(self, body: dict[str, object], callback: Callable[[object], bool], /) -> None:
        """Blocks until the reply is whole; each chunk goes to ``callback``, which ends the reply by True."""
        ...


class GgufChat:
    """``ChatModel`` over a GGUF file. It is loaded with the first call; calls go one after the other."""

    def __init__(
        self,
        name: str,
        path: Path,
        tokens: TokenCounter,
        *,
        window: int | None = None,
        capabilities: Capabilities | None = None,
    ) -> None:
        check_file(path)
        check_extra()
        self._name = name
        self._path = path
        self._tokens = tokens
        self._window = window
        self._capabilities = capabilities or Capabilities()
        self._server: LocalServer | None = None
        self._turn = asyncio.Lock()
        self._target = Target(name, str(path), Secrets(), has_key=False)

    @property
    def name(self) -> str:
        """As settings name it."""
        return self._name

    async def stream(self, request: ChatRequest) -> AsyncIterator[ReplyItem]:
        """See ``ChatModel.stream``."""
        body = self._capabilities.body(request, self._name)
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        gathered = Gathered(raw=request.reply_model is not None)
        async with self._turn:
            server = self._server = self._server or await asyncio.to_thread(self._load)
            async with aclosing(_chunks(server, body)) as chunks:
                async for chunk in chunks:
                    if chunk.error:
                        raise error_of(refusal_of(chunk.error, 0), self._target)
                    for item in gathered.add(chunk):
                        yield item
        for item in gathered.rest():
            yield item
        outcome = gathered.outcome()
        for notice in gathered.notices(outcome, self._name):
            yield notice
        usage = gathered.usage(count_prompt(request.messages, self._tokens), self._tokens)
        yield ReplyEnd(outcome, usage, gathered.finish_reason, self._name)

    async def aclose(self) -> None:
        """Frees the memory of the model. Safe to call twice."""
        self._server = None

    def _load(self) -> LocalServer:
        xllamacpp: Any = import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_ctx = self._window or DEFAULT_WINDOW
        params.n_parallel = 1
        params.warmup = False
        params.verbosity = -1
        # The library also listens on loopback, whether it is asked to or not: nobody else gets in.
        params.api_keys = [secrets.token_hex(16)]
        params.ui = False
        try:
            server: LocalServer = xllamacpp.Server(params)
        except RuntimeError as error:
            raise ModelError(
                f"{self._path} could not be loaded: {error}",
                hint="is it a language model, whole, and of a kind that llama.cpp knows? Is there enough memory? "
                "A smaller `max_context_window` needs less",
            ) from error
        return server


async def _chunks(server: LocalServer, body: dict[str, object]) -> AsyncGenerator[Chunk]:
    """The chunks of one reply, made in a thread. Leaving early ends the reply there with its next piece.

    The thread is a daemon and is waited for no longer than ``_PATIENCE``: a long prompt cannot be interrupted
    while it is read, and must not keep a run alive past its deadline.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[object] = asyncio.Queue()
    ended = asyncio.Event()
    left = threading.Event()

    def tell(call: Callable[..., object], *values: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(call, *values)

    def take(value: object) -> bool:
        tell(queue.put_nowait, value)
        return left.is_set()

    def work() -> None:
        try:
            server.handle_chat_completions(body, take)
        except RuntimeError as error:
            tell(queue.put_nowait, {"error": {"message": str(error), "code": 500}})
        finally:
            tell(queue.put_nowait, None)
            tell(ended.set)

    threading.Thread(target=work, daemon=True, name="gguf").start()
    try:
        while (value := await queue.get()) is not None:
            yield read_chunk(value)
    finally:
        left.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), _PATIENCE)


def check_file(path: Path) -> None:
    """Raises ``SettingsError`` unless ``path`` is a GGUF file."""
    hint = "`path` of the model must name a GGUF file, such as one from a model hub; it is relative to the settings file"
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise SettingsError(f"there is no model file {path}", hint=hint) from None
    except OSError as error:
        raise SettingsError(f"the model file {path} cannot be read: {error.strerror}", hint=hint) from error
    if magic != _MAGIC:
        raise SettingsError(f"{path} is not a GGUF file", hint=hint)


def check_extra() -> None:
    """Raises ``SettingsError`` unless ``xllamacpp`` is installed; does not load it."""
    if find_spec("xllamacpp") is None:
        raise SettingsError(
            "`provider: gguf` needs the package xllamacpp",
            hint="install it with: pip install 'graphrag-cli[local]' (ready-made, no compiler needed)",
        )
