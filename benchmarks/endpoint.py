"""A fake OpenAI-compatible endpoint with a stated latency, as its own process.

    python -m benchmarks.endpoint --port 0 --width 1536 --first 0.4 --token 0.004 --jitter 0.6

prints its port on the first line. ``GET /calls`` returns the calls since the last ``POST /reset``, each with its
stage and when it began and ended. Delays depend on the seed and the request alone, not on the order of requests.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import time
from dataclasses import asdict
from random import Random
from typing import Any

from benchmarks.calls import Call, Latency
from benchmarks.replies import Reply, reply_to
from benchmarks.vectors import embedding
from benchmarks.wire import Request, Response, serve


class Endpoint:
    """Answers requests and remembers them."""

    def __init__(self, latency: Latency, width: int, followups: int) -> None:
        self._latency = latency
        self._width = width
        self._followups = followups
        self._calls: list[Call] = []

    async def handle(self, request: Request, response: Response) -> None:
        """One request."""
        if request.path.endswith("/calls"):
            await response.whole(json.dumps([asdict(call) for call in self._calls]).encode())
        elif request.path.endswith("/reset"):
            self._calls.clear()
            await response.whole(b"{}")
        elif request.path.endswith("/embeddings"):
            await self._embed(request, response)
        elif request.path.endswith("/chat/completions"):
            await self._chat(request, response)
        else:
            await response.whole(b'{"error": {"message": "no such path"}}', "404 Not Found")

    def _delays(self, body: bytes) -> Random:
        return Random(hashlib.sha256(body).digest() + self._latency.seed.to_bytes(8, "little"))

    async def _wait(self, seconds: float, draw: Random) -> None:
        if seconds > 0:
            await asyncio.sleep(seconds * (1 + draw.uniform(-1, 1) * self._latency.jitter))

    async def _embed(self, request: Request, response: Response) -> None:
        began = time.monotonic()
        body: dict[str, Any] = json.loads(request.body)
        given: Any = body["input"]
        texts: list[str] = [given] if isinstance(given, str) else given
        await self._wait(self._latency.first / 4, self._delays(request.body))
        rows = [self._vector(str(text), body.get("encoding_format") == "base64") for text in texts]
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        usage = {"prompt_tokens": 8 * len(texts), "total_tokens": 8 * len(texts)}
        made = {"object": "list", "model": body["model"], "data": data, "usage": usage}
        self._note("embed", began, 8 * len(texts), str(texts[0]))
        await response.whole(json.dumps(made).encode())

    def _vector(self, text: str, packed: bool) -> object:
        vector = embedding(text, self._width)
        return base64.b64encode(vector.tobytes()).decode() if packed else vector.tolist()

    async def _chat(self, request: Request, response: Response) -> None:
        began = time.monotonic()
        body: dict[str, Any] = json.loads(request.body)
        reply = reply_to(request.body, self._followups)
        draw = self._delays(request.body)
        await self._wait(self._latency.first, draw)
        if body.get("stream"):
            await self._streamed(reply, body, response, draw)
        else:
            await self._wait(self._latency.token * len(reply.tokens), draw)
            await response.whole(json.dumps(_completion(reply, body["model"])).encode())
        self._note(reply.stage, began, reply.prompt_tokens, str(body["messages"][-1].get("content")))

    async def _streamed(self, reply: Reply, body: dict[str, Any], response: Response, draw: Random) -> None:
        await response.begin()
        if self._latency.token > 0:
            for token in reply.tokens:
                await response.piece(_event(_chunk(body["model"], token)))
                await self._wait(self._latency.token, draw)
        else:
            await response.piece(b"".join(_event(_chunk(body["model"], token)) for token in reply.tokens))
        last = _event(_chunk(body["model"], None))
        options: dict[str, Any] = body.get("stream_options") or {}
        if options.get("include_usage"):
            last += _event({**_chunk(body["model"], None), "choices": [], "usage": _usage(reply)})
        await response.piece(last + b"data: [DONE]\n\n")
        await response.piece(b"")

    def _note(self, stage: str, began: float, prompt_tokens: int, asked: str) -> None:
        self._calls.append(Call(stage, began, time.monotonic(), prompt_tokens, asked[:200]))


def _usage(reply: Reply) -> dict[str, int]:
    total = reply.prompt_tokens + len(reply.tokens)
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": len(reply.tokens),
        "total_tokens": total,
    }


def _completion(reply: Reply, model: str) -> dict[str, object]:
    message = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {
        "id": "fake",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": _usage(reply),
    }


def _chunk(model: str, token: str | None) -> dict[str, Any]:
    delta = {} if token is None else {"role": "assistant", "content": token}
    choice = {"index": 0, "delta": delta, "finish_reason": "stop" if token is None else None}
    return {
        "id": "fake",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "choices": [choice],
    }


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--width", type=int, default=1536)
    parser.add_argument("--followups", type=int, default=5)
    parser.add_argument("--first", type=float, default=0.0, help="seconds to the first token")
    parser.add_argument("--token", type=float, default=0.0, help="seconds per token after it")
    parser.add_argument("--jitter", type=float, default=0.0, help="0.6: each delay within ±60 %%")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    endpoint = Endpoint(Latency(args.first, args.token, args.jitter, args.seed), args.width, args.followups)
    asyncio.run(serve(endpoint.handle, args.port, lambda port: print(port, flush=True)))


if __name__ == "__main__":
    main()
