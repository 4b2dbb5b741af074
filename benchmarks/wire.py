"""HTTP/1.1 over asyncio, as little as a fake endpoint needs: keep-alive, JSON in, JSON or server-sent events out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request, read whole."""

    method: str
    path: str
    body: bytes


class Response:
    """Writes one response: either ``whole``, or ``begin`` and then pieces."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def whole(self, body: bytes, status: str = "200 OK") -> None:
        """A JSON body."""
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        await self._writer.drain()

    async def begin(self) -> None:
        """The head of a stream."""
        self._writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        await self._writer.drain()

    async def piece(self, data: bytes) -> None:
        """One chunk; an empty one ends the stream."""
        self._writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self._writer.drain()


Handler = Callable[[Request, Response], Awaitable[None]]


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request of a connection; None at its end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    fields = dict(line.lower().split(":", 1) for line in lines if ":" in line)
    body = await reader.readexactly(int(fields.get("content-length", "0")))
    return Request(method, path, body)


async def serve(handle: Handler, port: int, ready: Callable[[int], None]) -> None:
    """Serves on the loopback address until cancelled; ``ready`` is told the port."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                await handle(request, Response(writer))
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", port, limit=2**24)
    ready(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()
