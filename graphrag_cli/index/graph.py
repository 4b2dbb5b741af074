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
from graphrag_cli.index.arrow import Array, Chunked, pa, pc

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
        order = np.argsort(owners, kind="stable")
        owners, targets = owners[order], targets[order]
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=size), out=offsets[1:])
    return Csr(offsets, targets.astype(np.int32, copy=False))


def resolve(values: Array, keys: Chunked) -> NDArray[np.int32]:
    """Row in ``keys`` of each value, -1 where it is not there; of equal keys the first.

    Dictionary-encoded values are resolved once per distinct value.
    """
    if arrow.is_encoded(values):
        return _through(resolve(arrow.dictionary(values), keys), arrow.indices(values))
    if not len(values) or not len(keys):
        return np.full(len(values), -1, np.int32)
    places = pc.index_in(values, value_set=keys, skip_nulls=True)
    return pc.fill_null(places, -1).to_numpy(zero_copy_only=False).astype(np.int32, copy=False)


def _through(found: NDArray[np.int32], indices: Array) -> NDArray[np.int32]:
    places = pc.fill_null(indices, len(found)).to_numpy(zero_copy_only=False)
    return np.append(found, np.int32(-1))[places]


def resolve_column(column: Chunked, keys: Chunked) -> NDArray[np.int32]:
    """``resolve`` over the chunks of a column."""
    parts = [resolve(chunk, keys) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.empty(0, np.int32)


def resolve_lists(chunks: Iterable[Array], keys: Chunked) -> tuple[Rows, Rows]:
    """Owners and resolved targets (-1 where unknown) of the chunks of a list column, one pair per item.

    One chunk is looked at after the other: of a column that is read piece by piece no more is held.
    """
    owners: list[Rows] = []
    targets: list[Rows] = []
    base = 0
    for chunk in chunks:
        owners.append(list_owners(chunk) + base)
        targets.append(resolve(arrow.items(chunk), keys).astype(np.int64))
        base += len(chunk)
    if not owners:
        return NO_ROWS, NO_ROWS
    return np.concatenate(owners), np.concatenate(targets)


def list_owners(chunk: Array) -> Rows:
    """For each item of a list array without nulls, the row it is in."""
    counts = pc.list_value_length(chunk).to_numpy(zero_copy_only=False)
    return np.repeat(np.arange(len(chunk)), counts)


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


def resolve_titles(column: Chunked, titles: Chunked) -> Rows:
    """As ``resolve_column``; what is not found exactly is looked for again ignoring case."""
    found = resolve_column(column, titles).astype(np.int64)
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
