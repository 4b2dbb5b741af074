"""Keys to rows, and compressed adjacency: pure functions from columns to numpy arrays.

What they return could be stored as ``.npy`` files and mapped back: nothing here holds a Python object per row.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.index import arrow
from graphrag_cli.index.arrow import Array, Chunked, ChunkedArray, pa, pc
from graphrag_cli.index.key_table import KeyTable

Rows = NDArray[np.int64]
Ints = NDArray[np.signedinteger[Any]]
NO_ROWS: Rows = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Csr:
    """For each of ``len(offsets) - 1`` rows a run of ``targets``; unresolved targets are left out."""

    offsets: Rows
    targets: NDArray[np.int32]

    def of(self, row: int) -> Rows:
        """Targets of one row, in table order."""
        return self.targets[self.offsets[row] : self.offsets[row + 1]].astype(np.int64)

    def of_many(self, rows: Rows) -> tuple[Rows, Rows]:
        """Targets of ``rows`` one after another, and for each the position in ``rows`` that it belongs to."""
        starts, ends = self.offsets[rows], self.offsets[rows + 1]
        counts = ends - starts
        owners = np.repeat(np.arange(len(rows)), counts)
        before = np.cumsum(counts) - counts
        places = np.arange(int(counts.sum())) - before[owners] + starts[owners]
        return self.targets[places].astype(np.int64), owners

    @property
    def counts(self) -> Rows:
        """Number of targets of every row."""
        return np.diff(self.offsets)


def csr_of_pairs(owners: Ints, targets: Ints, size: int) -> Csr:
    """From pairs in any order; pairs with -1 on either side are left out. Order within an owner is kept."""
    good = (owners >= 0) & (targets >= 0)
    owners, targets = owners[good], targets[good]
    if (owners[1:] < owners[:-1]).any():
        # Numbers that are all different sort several times as fast as an order that must be stable.
        order = np.sort((owners.astype(np.int64) << 32) | np.arange(len(owners))) & 0xFFFFFFFF
        owners, targets = owners[order], targets[order]
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=size), out=offsets[1:])
    return Csr(offsets, targets.astype(np.int32, copy=False))


def csr_of_lists(chunks: Iterable[Array], lookup: Lookup) -> Csr:
    """From the chunks of a list column of keys. One is looked at after the other, and no more is held."""
    counts: list[NDArray[np.int32]] = []
    targets: list[NDArray[np.int32]] = []
    for chunk in chunks:
        found = lookup.rows(arrow.items(chunk))
        good = found >= 0
        if good.all():
            counts.append(_list_lengths(chunk))
        else:
            counts.append(np.bincount(list_owners(chunk)[good], minlength=len(chunk)).astype(np.int32))
            found = found[good]
        targets.append(found)
    offsets = np.zeros(sum(map(len, counts)) + 1, np.int64)
    if counts:
        np.cumsum(np.concatenate(counts), out=offsets[1:])
    return Csr(offsets, np.concatenate(targets) if targets else np.empty(0, np.int32))


class Lookup:
    """Rows of keys that are asked for again and again, -1 where there is no such key; of equal keys the first."""

    def __init__(self, keys: Chunked) -> None:
        self._keys = keys
        self._table = KeyTable(keys)

    def rows(self, values: Array) -> NDArray[np.int32]:
        """Row of each value. Dictionary-encoded values are resolved once per distinct value."""
        if arrow.is_encoded(values):
            return _through(self.rows(arrow.dictionary(values)), arrow.indices(values))
        found = self._table.rows(values)
        return resolve(values, self._keys) if found is None else found


def resolve(values: Array, keys: Chunked) -> NDArray[np.int32]:
    """As ``Lookup``, once: makes a table of all ``keys`` for these values alone."""
    if arrow.is_encoded(values):
        return _through(resolve(arrow.dictionary(values), keys), arrow.indices(values))
    return _resolved(values, keys)


def _resolved(values: Array | Chunked, keys: Chunked) -> NDArray[np.int32]:
    if not len(values) or not len(keys):
        return np.full(len(values), -1, np.int32)
    places = pc.fill_null(pc.index_in(values, value_set=keys, skip_nulls=True), -1)
    return arrow.vector(arrow.joined(places) if isinstance(values, ChunkedArray) else places)


def _through(found: NDArray[np.int32], indices: Array) -> NDArray[np.int32]:
    places = pc.fill_null(indices, len(found)).to_numpy(zero_copy_only=False)
    return np.append(found, np.int32(-1))[places]


def resolve_column(column: Chunked, keys: Chunked) -> NDArray[np.int32]:
    """``resolve`` over the chunks of a column; of one that is not encoded all at once."""
    if not any(arrow.is_encoded(chunk) for chunk in column.chunks):
        return _resolved(column, keys)
    return np.concatenate([resolve(chunk, keys) for chunk in column.chunks])


def resolve_lists(chunks: Iterable[Array], keys: Chunked) -> tuple[Ints, Ints]:
    """Owners and resolved targets (-1 where unknown) of the chunks of a list column, one pair per item."""
    lookup = Lookup(keys)
    owners: list[Ints] = []
    targets: list[Ints] = []
    base = 0
    for chunk in chunks:
        owners.append(list_owners(chunk) + np.int32(base))
        targets.append(lookup.rows(arrow.items(chunk)))
        base += len(chunk)
    if not owners:
        return NO_ROWS, NO_ROWS
    return np.concatenate(owners), np.concatenate(targets)


def list_owners(chunk: Array) -> NDArray[np.int32]:
    """For each item of a list array without nulls, the row it is in."""
    return np.repeat(np.arange(len(chunk), dtype=np.int32), _list_lengths(chunk))


def _list_lengths(chunk: Array) -> NDArray[np.int32]:
    return pc.list_value_length(chunk).to_numpy(zero_copy_only=False).astype(np.int32, copy=False)


def undashed(column: Chunked) -> Chunked:
    """A text column without dashes and in lower case: how ids are compared."""
    return pa.chunked_array(
        [pc.ascii_lower(pc.replace_substring(chunk, "-", "")) for chunk in column.chunks], type=pa.string()
    )


def find(wanted: Sequence[str], column: Chunked) -> Rows:
    """Row of each of a few ``wanted`` keys in a long column, -1 where unknown; of equal keys the first.

    One pass over the column in C; no table is built, so it is cheap for few keys and needs no memory.
    """
    rows = np.full(len(wanted), -1, np.int64)
    if not len(wanted) or not len(column):
        return rows
    distinct = list(dict.fromkeys(wanted))
    first = _first_places(column, pa.array(distinct, pa.string()))
    place_of = {key: place for place, key in enumerate(distinct)}
    return first[[place_of[key] for key in wanted]]


def _first_places(column: Chunked, wanted: Array) -> Rows:
    first = np.full(len(wanted), -1, np.int64)
    base = 0
    for chunk in column.chunks:
        places = resolve(chunk, pa.chunked_array([wanted]))
        hits = np.flatnonzero(places >= 0)[::-1]
        fresh = np.full(len(wanted), -1, np.int64)
        fresh[places[hits]] = hits + base
        first = np.where(first < 0, fresh, first)
        base += len(chunk)
    return first


class KeyIndex:
    """Rows by key in a column too long to be passed over for every question; of equal keys the first row wins."""

    def __init__(self, column: Chunked, order: Ints) -> None:
        """``order``: see ``sorted_order``."""
        self._column: Any = column
        self._order = order

    def rows(self, wanted: Sequence[str]) -> Rows:
        """Row of each key, -1 where there is none. Looks at a few dozen rows for each."""
        return np.array([self._row(key) for key in wanted], np.int64)

    def _row(self, key: str) -> int:
        place = bisect.bisect_left(range(len(self._order)), key, key=self._key_at)
        return int(self._order[place]) if place < len(self._order) and self._key_at(place) == key else -1

    def _key_at(self, place: int) -> str:
        return self._column[int(self._order[place])].as_py()


def sorted_order(column: Chunked) -> NDArray[np.int32]:
    """Rows of a text column by its values, as Python compares strings; equal ones in table order."""
    return pc.sort_indices(column).to_numpy().astype(np.int32)


class NumberIndex:
    """Rows by a number that mostly runs from 0 upwards; of equal numbers the first row wins."""

    def __init__(self, numbers: Rows) -> None:
        self._size = len(numbers)
        self._plain = bool(np.array_equal(numbers, np.arange(len(numbers))))
        self._order = NO_ROWS if self._plain else np.argsort(numbers, kind="stable")
        self._sorted = NO_ROWS if self._plain else numbers[self._order]

    def rows(self, wanted: Rows) -> Rows:
        """Row of each number, -1 where there is none."""
        if not self._size or not len(wanted):
            return np.full(len(wanted), -1, np.int64)
        if self._plain:
            return np.where((wanted >= 0) & (wanted < self._size), wanted, -1)
        places = np.minimum(np.searchsorted(self._sorted, wanted), self._size - 1)
        return np.where(self._sorted[places] == wanted, self._order[places], -1)


def resolve_titles(column: Chunked, titles: Chunked) -> NDArray[np.int32]:
    """As ``resolve_column``; what is not found exactly is looked for again ignoring case."""
    found = resolve_column(column, titles)
    lost = np.flatnonzero(found < 0)
    if len(lost) and len(titles):
        wanted = folded(pa.chunked_array([_taken(column, lost)]))
        found[lost] = resolve_column(wanted, folded(titles))
    return found


def _taken(column: Chunked, rows: Rows) -> Array:
    return column.take(pa.array(rows)).combine_chunks()


def folded(column: Chunked) -> Chunked:
    """A text column as titles are compared when they do not match exactly: trimmed and in upper case."""
    chunks = [pc.utf8_upper(pc.utf8_trim_whitespace(chunk.cast(pa.string()))) for chunk in column.chunks]
    return pa.chunked_array(chunks, type=pa.string())


def pair_counts(targets: Rows, owners: Rows, wanted: Rows) -> Rows:
    """For each of ``wanted``, how many distinct owners link to it."""
    width = np.int64(targets.max(initial=-1)) + 1
    distinct = np.sort(np.unique(owners * width + targets) % width) if width else NO_ROWS
    return np.searchsorted(distinct, wanted, side="right") - np.searchsorted(distinct, wanted, side="left")
