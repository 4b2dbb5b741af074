"""The byte pair ranks that are shipped: tiktoken's own, packed so that they load in a few hundredths of a second.

A packed file holds, compressed, one byte per token with its length, and then all tokens in the order of their ranks.
Written out as tiktoken's rank files are, it has the sums that tiktoken pins (a test does that).
"""

from __future__ import annotations

import functools
import hashlib
import json
import struct
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from graphrag_cli.errors import CliError
from graphrag_cli.resources import vocabulary

RankFile: TypeAlias = Literal["cl100k_base", "o200k_base"]

_FORMATS = tuple(f"{length}s" for length in range(256))
_AT_ONCE = 4096
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Ranks:
    """One encoding: the rank of each token, and the pattern that splits text before ranks apply."""

    by_token: dict[bytes, int]
    pattern: str


def ranks(name: RankFile) -> Ranks:
    """Read once, also when several threads ask at once. Raises ``CliError`` when the file is damaged."""
    with _loading:
        return _read(name)


@functools.cache
def _read(name: RankFile) -> Ranks:
    spec = json.loads(vocabulary("encodings.json").read_text(encoding="utf-8"))[name]
    path = vocabulary(f"{name}.ranks")
    data = _unpacked(path.read_bytes())
    if data is None or hashlib.sha256(data).hexdigest() != spec["packed_sha256"]:
        raise CliError(f"{path} is damaged", hint="install graphrag-cli again")
    count = int(spec["tokens"])
    tokens = _tokens(data[:count], memoryview(data)[count:])
    return Ranks(dict(zip(tokens, range(count), strict=True)), str(spec["pattern"]))


def _tokens(lengths: bytes, joined: memoryview) -> Iterator[bytes]:
    """The tokens. A call of C makes many of them at once, in a quarter of the time that a loop over slices takes."""
    at = 0
    for start in range(0, len(lengths), _AT_ONCE):
        # Not ``struct.unpack_from``, which keeps the formats it has seen.
        form = struct.Struct("".join(map(_FORMATS.__getitem__, lengths[start : start + _AT_ONCE])))
        yield from form.unpack_from(joined, at)
        at += form.size


def _unpacked(data: bytes) -> bytes | None:
    try:
        return zlib.decompress(data)
    except zlib.error:
        return None
