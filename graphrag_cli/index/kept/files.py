"""Files of numpy arrays and arrow columns that are written piece by piece and mapped into memory.

No more than a piece is held while a file is written. Reading maps: only what is touched is loaded, and ``release``
gives that back.
"""

from __future__ import annotations

import io
import mmap
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.index.arrow import Array as ArrowArray
    from graphrag_cli.index.arrow import Chunked

    Array = NDArray[Any]

RELEASED_ROWS = 128
"""Rows of a mapped column that are read before its pages are given back: at most 8 MB of them."""
_STEP = 64 * 1024
_loading = threading.Lock()
"""numpy reads the head of a file with ``ast``, and some releases of Python 3.11 fail where two threads do so at once."""
_HEADER = 128
"""Bytes before the numbers of an ``.npy`` file of ours: room for any shape, which is known at the end alone."""


# ---- numpy ----------------------------------------------------------------------------------------------------


def write_arrays(paths: Sequence[Path], pieces: Iterable[Sequence[Array]]) -> None:
    """An ``.npy`` file for each of ``paths``; every piece holds the next rows of each. At least one piece is needed."""
    with ExitStack() as stack:
        files = [stack.enter_context(_opened(path)) for path in paths]
        for file in files:
            file.write(bytes(_HEADER))
        rows = [0] * len(files)
        piece: Sequence[Array] = ()
        for piece in pieces:
            for place, (file, array) in enumerate(zip(files, piece, strict=True)):
                _append(file, array)
                rows[place] += len(array)
        for file, array, count in zip(files, piece, rows, strict=True):
            file.seek(0)
            file.write(_header(array.dtype, (count, *array.shape[1:])))


def _append(file: BinaryIO, array: Array) -> None:
    import numpy as np

    file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


class _Steps(io.FileIO):
    """Writes little at a time: where the system caches a file in pieces as large as those it is written in, a byte
    that is touched later brings a whole such piece into memory."""

    def write(self, data: Any, /) -> int:
        """All of ``data``."""
        view = memoryview(data)
        for start in range(0, len(view), _STEP):
            part = view[start : start + _STEP]
            while len(part):
                part = part[super().write(part) :]
        return len(view)


def _opened(path: Path) -> BinaryIO:
    return cast("BinaryIO", _Steps(path, "wb"))


def _header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Version 1.0 of numpy's format, filled with blanks."""
    text = repr({"descr": dtype.str, "fortran_order": False, "shape": shape})
    start = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
    return start + text.encode().ljust(_HEADER - 11) + b"\n"


def joined(pieces: Iterable[Sequence[Array]]) -> tuple[Array, ...]:
    """The arrays themselves, where there is no file to write them to."""
    import numpy as np

    columns = list(zip(*pieces, strict=True))
    return tuple(column[0] if len(column) == 1 else np.concatenate(column) for column in columns)


def mapped_arrays(paths: Sequence[Path]) -> tuple[Array, ...] | None:
    """All of them, read-only; None when one is missing or damaged."""
    import numpy as np

    try:
        with _loading:
            # Plain views: indexing a memmap makes a memmap object every time.
            return tuple(np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray) for path in paths)
    except (OSError, ValueError, EOFError, SyntaxError, TokenError):  # numpy parses the head as Python
        return None


def release_array(array: Array) -> None:
    """Gives back the pages of a mapped array that were read; they stay in the system's cache. Does nothing for others."""
    mapping = mapping_of(array)
    if mapping is not None:
        release(mapping)


def mapping_of(array: Array) -> mmap.mmap | None:
    """The mapped file that an array lies in."""
    mapping = getattr(array.base, "base", None)
    return mapping if isinstance(mapping, mmap.mmap) else None


# ---- arrow ----------------------------------------------------------------------------------------------------


def write_column(path: Path, pieces: Iterable[ArrowArray]) -> None:
    """Plain values, uncompressed: what is mapped must be usable as it lies. At least one piece is needed."""
    from graphrag_cli.index.arrow import decoded, pa

    with _opened(path) as sink, ExitStack() as stack:
        writer: Any = None
        for piece in pieces:
            batch = pa.record_batch([decoded(piece)], names=["column"])
            writer = writer or stack.enter_context(pa.ipc.new_file(sink, batch.schema))
            writer.write_batch(batch)


def mapped_column(path: Path) -> tuple[Chunked, mmap.mmap] | None:
    """The column and what to ``release``; None when there is no such file, or it is damaged."""
    from graphrag_cli.index.arrow import ArrowError, pa

    try:
        with path.open("rb") as file:
            mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return pa.ipc.open_file(pa.BufferReader(pa.py_buffer(mapping))).read_all().column(0), mapping
    except (OSError, ValueError, IndexError, ArrowError):
        return None


def release(mapping: mmap.mmap) -> None:
    """Gives back the pages that were read; what is read again is loaded again. Safe while others read."""
    if hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)


class Mapped:
    """A mapped column of which rows are read here and there: keeps what stays in memory bounded.

    The system loads the 64 KB around whatever is touched, and all of it counts as memory of this process.
    """

    def __init__(self, mapping: mmap.mmap) -> None:
        self._mapping = mapping
        self._rows = 0

    def touched(self, rows: int) -> None:
        """So many rows were read. Counting wrongly, when threads do it at once, costs nothing but a few pages."""
        self._rows += rows
        if self._rows >= RELEASED_ROWS:
            self._rows = 0
            release(self._mapping)
