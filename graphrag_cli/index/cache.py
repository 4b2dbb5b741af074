"""What was worked out from a large index, kept as files under the user's cache folder and mapped into memory.

One folder per state of an index: its name is a digest of the tables' paths, sizes, times and footers, so that a
changed index is another folder and nothing has to be invalidated. Files appear by renaming, whole; two processes
that make the same one write the same bytes. Everything here may be deleted at any time, and nothing is ever
needed: where the folder cannot be written, the caller's own value is used.

Texts of the index are among what is kept, so only the user may read the folder. ``GRAPHRAG_CLI_CACHE`` names
another folder, or says ``off``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_cli.index.arrow import Chunked

    Array = NDArray[Any]

VARIABLE = "GRAPHRAG_CLI_CACHE"
LAYOUT = 1
"""Part of every key: raise it when what is kept under a name changes its meaning."""
WORTH = 32 * 1024 * 1024
"""Indexes whose tables are smaller, in bytes, are read as quickly as a cache of them."""
LIMIT = 10 * 1024**3
"""Bytes that all indexes together may take; the ones used least recently go first."""
_ABOUT = "about.json"
_TAIL = 4096
"""So many bytes at the end of a file are in its identity: a parquet footer changes with its content."""


# ---- one index ------------------------------------------------------------------------------------------------


class Cache:
    """What is kept of one state of one index. Safe under concurrent processes and threads."""

    def __init__(self, folder: Path | None, about: str = "") -> None:
        """``folder`` None: nothing is kept. ``about`` says which index it is, for ``entries``."""
        self._folder = folder
        self._about = about

    @property
    def active(self) -> bool:
        """Whether anything is kept."""
        return self._folder is not None

    def arrays(self, name: str, make: Callable[[], Sequence[Array]], count: int) -> tuple[Array, ...]:
        """The ``count`` numpy arrays kept as ``name``, mapped read-only; made, and kept, when they are not there."""
        paths = [self._path(f"{name}.{place}.npy") for place in range(count)]
        found = _all_mapped(paths)
        if found is not None:
            return found
        made = tuple(make())
        for path, array in zip(paths, made, strict=True):
            self._store(path, lambda file, array=array: _write_array(file, array))
        # What was made can be large; what is mapped is no memory of ours.
        return _all_mapped(paths) or made

    def column(self, name: str, make: Callable[[], Chunked]) -> Chunked:
        """The arrow column kept as ``name``, mapped; made, and kept, when it is not there."""
        path = self._path(f"{name}.arrow")
        found = _mapped_column(path)
        if found is not None:
            return found
        made = make()
        self._store(path, lambda file: _write_column(file, made))
        return _mapped_column(path) or made

    def file(self, name: str, write: Callable[[Path], None]) -> Path | None:
        """Path of a file that ``write`` made; None when it cannot be kept."""
        path = self._path(name)
        if path is not None and not path.exists():
            self._store(path, write)
        return path if path is not None and path.exists() else None

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / name

    def _store(self, path: Path | None, write: Callable[[Path], None]) -> None:
        """Writes beside ``path`` and renames. A disk that is full or read-only ends caching for this run."""
        if path is None:
            return
        beside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            if not path.parent.is_dir():
                _begin(path.parent, self._about)
            write(beside)
            beside.replace(path)
            shrink(path.parent.parent, LIMIT, keep=path.parent)
        except OSError:
            self._folder = None
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)


NO_CACHE = Cache(None)


def cache_for(place: Path, files: Iterable[Path], worth: int | None = None) -> Cache:
    """The cache of the index in ``place`` that consists of ``files``; one that keeps nothing below ``worth`` bytes."""
    root = cache_root()
    found = sorted(files)
    try:
        if root is None or sum(path.stat().st_size for path in found) < (WORTH if worth is None else worth):
            return NO_CACHE
        folder = root / identity(found)
    except OSError:
        return NO_CACHE
    with contextlib.suppress(OSError):
        os.utime(folder)
    return Cache(folder, str(place.resolve()))


def identity(files: Iterable[Path]) -> str:
    """Digest of what tells one state of ``files`` from another. Raises ``OSError`` when one cannot be read."""
    digest = hashlib.sha256(f"{LAYOUT}".encode())
    for path in files:
        about = path.stat()
        digest.update(
            f"\0{path.resolve()}\0{about.st_size}\0{about.st_mtime_ns}\0".encode("utf-8", "surrogateescape")
        )
        with path.open("rb") as file:
            file.seek(max(0, about.st_size - _TAIL))
            digest.update(file.read())
    return digest.hexdigest()[:32]


def _begin(folder: Path, about: str) -> None:
    """Makes the folder of a new state and drops those of earlier states of the same index."""
    for entry in entries(folder.parent):
        if entry.index == about and entry.folder != folder:
            shutil.rmtree(entry.folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / _ABOUT).write_text(json.dumps({"index": about}), encoding="utf-8")


def _all_mapped(paths: Sequence[Path | None]) -> tuple[Array, ...] | None:
    found = [_mapped(path) for path in paths]
    whole = tuple(array for array in found if array is not None)
    return whole if len(whole) == len(paths) else None


def _mapped(path: Path | None) -> Array | None:
    import numpy as np

    if path is None:
        return None
    try:
        # A plain view: indexing a memmap makes a memmap object every time.
        return np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    except (OSError, ValueError, EOFError):
        return None


def release(array: Array) -> None:
    """Gives back the pages of a mapped array that were read; they stay in the system's cache. Does nothing for others."""
    mapping = getattr(array.base, "base", None)
    if isinstance(mapping, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)


def _write_array(path: Path, array: Array) -> None:
    import numpy as np

    with path.open("wb") as file:
        np.save(file, np.ascontiguousarray(array), allow_pickle=False)


def _mapped_column(path: Path | None) -> Chunked | None:
    from graphrag_cli.index.arrow import ArrowError, pa

    if path is None:
        return None
    try:
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all().column(0)
    except (OSError, ArrowError):
        return None


def _write_column(path: Path, column: Chunked) -> None:
    """Plain values, uncompressed: what is mapped must be usable as it lies."""
    from graphrag_cli.index.arrow import decoded, pa

    table = pa.table({"column": pa.chunked_array([decoded(chunk) for chunk in column.chunks])})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


# ---- all of them ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of one state of one index."""

    folder: Path
    index: str
    """Folder of its tables."""
    size: int
    """Bytes."""
    used: float
    """When it was last opened: seconds since 1970."""


def cache_root(environment: Mapping[str, str] | None = None) -> Path | None:
    """Where all caches lie; None when the user wants none."""
    named = (os.environ if environment is None else environment).get(VARIABLE, "").strip()
    if named.lower() in {"off", "0", "no", "none", "false"}:
        return None
    if named:
        return Path(named).expanduser() / "index"
    import platformdirs

    return platformdirs.user_cache_path("graphrag-cli", appauthor=False) / "index"


def entries(root: Path) -> list[Entry]:
    """Everything kept under ``root``, the most recently used first."""
    found: list[Entry] = []
    for folder in root.iterdir() if root.is_dir() else ():
        try:
            about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
            size = sum(path.stat().st_size for path in folder.iterdir())
            found.append(Entry(folder, str(about["index"]), size, folder.stat().st_mtime))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not ours, or being made or removed by someone else
    return sorted(found, key=lambda entry: -entry.used)


def shrink(root: Path, limit: int, keep: Path | None = None) -> None:
    """Removes what was used least recently until all entries take at most ``limit`` bytes; ``keep`` stays."""
    found = entries(root)
    total = sum(entry.size for entry in found)
    for entry in reversed(found):
        if total <= limit:
            return
        if entry.folder != keep:
            shutil.rmtree(entry.folder, ignore_errors=True)
            total -= entry.size


def clear(root: Path) -> int:
    """Removes every entry; returns the bytes freed. Folders that are not entries are left alone."""
    found = entries(root)
    for entry in found:
        shutil.rmtree(entry.folder, ignore_errors=True)
    return sum(entry.size for entry in found)
