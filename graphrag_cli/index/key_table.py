"""Rows by key for millions of keys, asked piece by piece: ids of one length, hashed with numpy.

Arrow makes its own table of all keys anew for every piece of values, and needs four times as long for each.
Two keys are taken for one when their 64-bit hashes are equal: for a value that is no key, the chance is one in 10^13
in a million keys. Among the keys themselves it is looked for, and arrow takes over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index import arrow
from graphrag_cli.index.arrow import Array, Chunked, pa

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_WORD = 8
_FREE = np.int32(-1)
_BLOCK = 4096
"""Rows hashed at a time: they stay in the processor's cache."""
LONGEST = 512
"""Bytes of a key."""


class KeyTable:
    """Rows of keys of one length, in open addressing; ``None`` from ``rows`` says: ask arrow."""

    def __init__(self, keys: Chunked) -> None:
        """Memory: 24 to 48 bytes for each key."""
        self._width = 0
        """Bytes of each key; zero when the keys are not for this table."""
        parts = [matrix(chunk) for chunk in keys.chunks if len(chunk)]
        whole = [part for part in parts if part is not None]
        widths = {part.shape[1] for part in whole}
        if len(whole) != len(parts) or len(widths) != 1:
            return
        if self._fill(np.concatenate([hashes(part) for part in whole]), whole):
            self._width = widths.pop()

    def _fill(self, keys: Hashes, parts: list[Bytes]) -> bool:
        """Whether every key has its place; not where different keys have one hash."""
        bits = max(4, int(2 * len(keys)).bit_length())
        self._down = np.uint64(64 - bits)
        self._mask = np.int64((1 << bits) - 1)
        self._hashes = np.zeros(1 << bits, np.uint64)
        self._rows = np.full(1 << bits, _FREE)
        waiting = np.arange(len(keys), dtype=np.int32)
        places = self._first_places(keys)
        while len(waiting):
            free = self._rows[places] == _FREE
            # Of several that want a place the last assignment stands: that of the first row.
            self._rows[places[free][::-1]] = waiting[free][::-1]
            self._hashes[places[free][::-1]] = keys[waiting[free]][::-1]
            there = self._rows[places]
            same = self._hashes[places] == keys[waiting]
            if not _equal(parts, waiting[same], there[same]):
                return False
            waiting = waiting[~same]
            places = (places[~same] + 1) & self._mask
        return True

    def _first_places(self, keys: Hashes) -> NDArray[np.int64]:
        return (keys >> self._down).astype(np.int64)

    def rows(self, values: Array) -> NDArray[np.int32] | None:
        """Row of each value, -1 where it is no key; of equal keys the first. None when values or keys are not for this table."""
        if not self._width:
            return None
        data = matrix(values)
        if data is None or data.shape[1] != self._width:
            return None
        wanted = hashes(data)
        places = self._first_places(wanted)
        found = self._rows[places]
        lost = np.flatnonzero((self._hashes[places] != wanted) & (found != _FREE))
        while len(lost):
            places[lost] = (places[lost] + 1) & self._mask
            found[lost] = self._rows[places[lost]]
            lost = lost[(self._hashes[places[lost]] != wanted[lost]) & (found[lost] != _FREE)]
        # A free place has the hash zero, and no row.
        return found


def _equal(parts: list[Bytes], some: NDArray[np.int32], others: NDArray[np.int32]) -> bool:
    """Whether the keys at ``some`` are those at ``others``, where these are not the same rows."""
    differ = some != others
    if not differ.any():
        return True
    starts = np.cumsum([0, *(len(part) for part in parts)])

    def key(row: int) -> bytes:
        part = int(np.searchsorted(starts, row, side="right")) - 1
        return parts[part][row - starts[part]].tobytes()

    pairs = zip(some[differ].tolist(), others[differ].tolist(), strict=True)
    return all(key(one) == key(other) for one, other in pairs)


def matrix(array: Array) -> Bytes | None:
    """Texts that are all of one length as ``(rows, length)`` bytes, not copied; None for anything else."""
    if not len(array) or array.null_count or array.type != pa.string():
        return None
    offsets, data = arrow.text_buffers(array)
    width = int(offsets[1] - offsets[0])
    if not 0 < width <= LONGEST or int(offsets[-1] - offsets[0]) != width * len(array):
        return None
    if (np.diff(offsets) != width).any():
        return None
    return data[offsets[0] : offsets[-1]].reshape(len(array), width)


def hashes(data: Bytes) -> Hashes:
    """A 64-bit hash of each row."""
    made = np.empty(len(data), np.uint64)
    for start in range(0, len(data), _BLOCK):
        _hash(data[start : start + _BLOCK], made[start : start + _BLOCK])
    return made


def _hash(data: Bytes, made: Hashes) -> None:
    rows, width = data.shape
    made[:] = width
    whole = width // _WORD * _WORD
    words = data[:, :whole].view(np.uint64)
    shifted = np.empty(rows, np.uint64)
    for place in range(words.shape[1]):
        _mix(made, words[:, place], shifted)
    if whole < width:
        rest = np.zeros((rows, _WORD), np.uint8)
        rest[:, : width - whole] = data[:, whole:]
        _mix(made, rest.view(np.uint64)[:, 0], shifted)


def _mix(hashed: Hashes, words: Hashes, shifted: Hashes) -> None:
    np.bitwise_xor(hashed, words, out=hashed)
    np.multiply(hashed, _FACTOR, out=hashed)
    np.right_shift(hashed, _SHIFT, out=shifted)
    np.bitwise_xor(hashed, shifted, out=hashed)
