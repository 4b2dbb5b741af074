"""A fake OpenAI-compatible endpoint: a real HTTP server on loopback that misbehaves as told.

    with FakeServer() as server:
        server.base("fenced")            # http://127.0.0.1:PORT/fenced/v1
        server.base("429_seconds*2")     # the first two calls are refused, then it answers well
        server.base("nofmt_any+think")   # several modes at once
        server.base("random=7")          # each call in a mode of its own, drawn from the seed 7
        server.requests                  # what came in

Run by itself for trials and benchmarks: ``python -m tests.kit.server --port 8123 --mode clean``; the mode of a
call is the first part of its path, the ``--mode`` is for paths that begin with ``/v1``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from tests.kit.embeds import embeddings
from tests.kit.refusals import STATUSES, Sent, refuse
from tests.kit.replies import Body, good_text, wanted
from tests.kit.streams import REPLY_MODES, Reply, Stream, completion, send_stream, stream_of
from tests.kit.texts import TEXT_MODES

FAULT_SHARE = 0.4
"""Share of the calls of mode ``random`` that go wrong in some way."""
FAULTS = (
    *(mode for mode in TEXT_MODES if not mode.startswith("score_n")),
    *(mode for mode in REPLY_MODES if mode not in TEXT_MODES),
    *(mode for mode in STATUSES if mode not in ("401", "403", "429_seconds", "429_date")),
    "first_empty", "null_delta", "keepalive+split_utf8", "no_done", "cut_half", "cut_clean", "error_inside", "ignores_stream",
)  # fmt: skip
"""What may go wrong in mode ``random``: everything but what ends a run or makes it wait for whole seconds."""


@dataclass(frozen=True)
class Recorded:
    """A request as it came in."""

    path: str
    mode: str
    headers: dict[str, str]
    body: Body
    at: float


@dataclass
class FakeServer:
    """See the module. ``width`` is that of its vectors; ``say`` makes the good text that modes then spoil."""

    mode: str = "clean"
    width: int = 8
    port: int = 0
    say: Callable[[Body], str] = good_text
    latency: float = 0.0
    requests: list[Recorded] = field(default_factory=list[Recorded])
    peak: int = 0
    """Most calls that were under way at a time."""
    _active: int = 0
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    _draws: dict[str, random.Random] = field(default_factory=dict[str, random.Random])
    _loop: asyncio.AbstractEventLoop | None = None
    _thread: threading.Thread | None = None
    _started: threading.Event = field(default_factory=threading.Event)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._started.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def base(self, mode: str | None = None) -> str:
        """The base URL at which the server behaves as ``mode``."""
        return f"http://127.0.0.1:{self.port}/{mode or self.mode}/v1"

    def bodies(self, path: str = "/chat/completions") -> list[Body]:
        """Bodies of the requests to ``path``, in order."""
        return [request.body for request in self.requests if request.path.endswith(path)]

    # ---- serving ----------------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        async with server:
            await self._stop.wait()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; False when the connection is to be closed."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        method, target, _ = first.split(" ", 2)
        target = re.sub(r"^http://[^/]+", "", target)  # asked as a proxy
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        body: Body = json.loads(raw) if raw else {}
        parts = target.partition("?")[0].strip("/").split("/")
        mode = self.mode if parts[0] in ("v1", "openai") else parts[0]
        self.requests.append(Recorded(target, mode, headers, body, time.monotonic()))
        self._active += 1
        self.peak = max(self.peak, self._active)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            if "never" in mode and target.endswith("/embeddings"):
                await asyncio.sleep(3600)
            answer = self._answer(method, target.partition("?")[0], self._modes_now(mode), body)
            if isinstance(answer, Sent):
                _send(writer, answer)
                await writer.drain()
                return True
            return await send_stream(writer, answer)
        finally:
            self._active -= 1

    def _modes_now(self, mode: str) -> list[str]:
        """The modes of this call: ``x*2`` is x for the first two calls of that path only."""
        now: list[str] = []
        if mode.startswith("random"):
            draws = self._draws.setdefault(mode, random.Random(mode))
            mode = draws.choice(FAULTS) if draws.random() < FAULT_SHARE else "clean"
        for part in mode.split("+"):
            name, _, times = part.partition("*")
            if times:
                seen = self._counts.get(f"{mode} {part}", 0)
                self._counts[f"{mode} {part}"] = seen + 1
                if seen >= int(times):
                    continue
            now.append(name)
        return now

    def _answer(self, method: str, path: str, modes: list[str], body: Body) -> Sent | Stream:
        if path.endswith("/models") and method == "GET":
            return Sent(200, json.dumps({"object": "list", "data": [{"id": "fake", "object": "model"}]}))
        for mode in modes:
            if refusal := refuse(mode, body):
                return refusal
        if path.endswith("/embeddings"):
            return embeddings(body, modes, self.width)
        if not path.endswith("/chat/completions"):
            return Sent(404, '{"detail":"Not Found"}')
        reply = Reply(self.say(body), wanted(body), body)
        for mode in modes:
            reply.apply(mode)
        if body.get("stream") and "ignores_stream" not in modes:
            return stream_of(reply, modes)
        return (
            Stream([("", completion(reply))], delays=modes, plain=True)
            if reply.slow(modes)
            else Sent(200, completion(reply))
        )


def _send(writer: asyncio.StreamWriter, sent: Sent) -> None:
    raw = sent.body.encode("utf-8", "surrogatepass")
    headers = {"Content-Type": sent.content_type, "Content-Length": str(len(raw)), **sent.headers}
    lines = [f"HTTP/1.1 {sent.status} {'OK' if sent.status == 200 else 'Refused'}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + raw)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--mode", default="clean")
    parser.add_argument("--width", type=int, default=384, help="width of the vectors")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    options = parser.parse_args(arguments)
    with FakeServer(options.mode, options.width, options.port, latency=options.latency) as server:
        sys.stdout.write(f"{server.base()}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stdout.write(f"{len(server.requests)} requests\n")


if __name__ == "__main__":
    main()
