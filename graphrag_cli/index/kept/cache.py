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
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_cli.index.kept import files as kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphrag_cli.index.arrow import Array as Piece
    from graphrag_cli.index.arrow import Chunked

    Array = NDArray[Any]

VARIABLE = "GRAPHRAG_CLI_CACHE"
LAYOUT = 2
"""Part of every key: raise it when what is kept under a name changes its meaning."""
WORTH = 32 * 1024 * 1024
"""Indexes whose tables are smaller, in bytes, are read as quickly as a cache of them."""
LIMIT = 10 * 1024**3
"""Bytes that all indexes together may take; the ones used least recently go first."""
_ABOUT = "about.json"
_LEFT_BEHIND = 3600.0
"""Seconds without a word written, after which whoever wrote a file is taken to have been killed."""
_TAIL = 4096
"""So many bytes at the end of a file are in its identity: a parquet footer changes with its content."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A column, and the mapped file that it lies in, where it does."""

    column: Chunked
    mapping: mmap.mmap | None = None


# ---- one index ------------------------------------------------------------------------------------------------


class Cache:
    """What is kept of one state of one index. Safe under concurrent processes and threads."""

    def __init__(self, folder: Path | None, about: str = "") -> None:
        """``folder`` None: nothing is kept. ``about`` says which index it is, for ``entries``."""
        self._folder = folder
        self._about = about
        self._mapped: list[mmap.mmap] = []

    @property
    def active(self) -> bool:
        """Whether anything is kept."""
        return self._folder is not None

    def arrays(
        self, name: str, make: Callable[[], Iterable[Sequence[Array]]], count: int
    ) -> tuple[Array, ...]:
        """The ``count`` numpy arrays kept as ``name``, mapped read-only; made, and kept, when they are not there.

        ``make`` gives them piece by piece, each with the next rows of every array: what is kept is never held whole.
        """
        if self._folder is None:
            return kept.joined(make())
        paths = [self._folder / f"{name}.{place}.npy" for place in range(count)]
        found = kept.mapped_arrays(paths)
        if found is None and self._store(paths, lambda beside: kept.write_arrays(beside, make())):
            found = kept.mapped_arrays(paths)
        if found is None:
            return kept.joined(make())
        self._mapped += [mapping for array in found if (mapping := kept.mapping_of(array)) is not None]
        return found

    def column(self, name: str, make: Callable[[], Iterable[Piece]]) -> Kept:
        """The arrow column kept as ``name``, mapped; made from its pieces, and kept, when it is not there."""
        if self._folder is None:
            return Kept(_chunked(make()))
        path = self._folder / f"{name}.arrow"
        found = kept.mapped_column(path)
        if found is None and self._store([path], lambda beside: kept.write_column(beside[0], make())):
            found = kept.mapped_column(path)
        if found is None:
            return Kept(_chunked(make()))
        self._mapped.append(found[1])
        return Kept(*found)

    def release(self) -> None:
        """Gives back what was read of all that is mapped, and memory that arrow has set aside: for after making a lot."""
        from graphrag_cli.index.arrow import pa

        for mapping in self._mapped:
            kept.release(mapping)
        pa.default_memory_pool().release_unused()

    def has_note(self, name: str) -> bool:
        """Whether ``note`` was called with ``name`` for this state of the index."""
        return self._folder is not None and (self._folder / name).exists()

    def note(self, name: str) -> None:
        """Remembers that something is done."""
        if self._folder is not None:
            self._store([self._folder / name], lambda beside: beside[0].touch())

    def _store(self, paths: Sequence[Path], write: Callable[[Sequence[Path]], None]) -> bool:
        """Writes beside ``paths`` and renames; whether it could. A disk that is full or read-only ends caching for this run."""
        folder = paths[0].parent
        mark = f"{os.getpid()}.{secrets.token_hex(4)}"
        beside = [path.with_name(f".{path.name}.{mark}") for path in paths]
        try:
            if not (folder / _ABOUT).is_file():
                _begin(folder, self._about)
            write(beside)
            for path, written in zip(paths, beside, strict=True):
                written.replace(path)
            shrink(folder.parent, LIMIT, keep=folder)
        except OSError:
            self._folder = None
            return False
        finally:
            for written in beside:
                with contextlib.suppress(OSError):
                    written.unlink(missing_ok=True)
        return True


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
    # Last, and whole: a folder without it is nobody's entry, and would never be cleared.
    beside = folder / f".{_ABOUT}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        beside.write_text(json.dumps({"index": about}), encoding="utf-8")
        beside.replace(folder / _ABOUT)
    finally:
        beside.unlink(missing_ok=True)


def _chunked(pieces: Iterable[Piece]) -> Chunked:
    from graphrag_cli.index.arrow import decoded, pa

    return pa.chunked_array([decoded(piece) for piece in pieces])


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
        return Path(os.path.expanduser(named)) / "index"  # noqa: PTH111 - that of Path raises for an unknown home
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
    _sweep(entry.folder for entry in found)
    total = sum(entry.size for entry in found)
    for entry in reversed(found):
        if total <= limit:
            return
        if entry.folder != keep:
            shutil.rmtree(entry.folder, ignore_errors=True)
            total -= entry.size


def _sweep(folders: Iterable[Path]) -> None:
    """Removes unfinished files of processes that were killed: nothing else would before the whole entry goes."""
    for folder in folders:
        for path in folder.glob(".*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _LEFT_BEHIND:
                    path.unlink()


def clear(root: Path) -> int:
    """Removes every entry; returns the bytes freed. Folders that are not entries are left alone."""
    found = entries(root)
    for entry in found:
        shutil.rmtree(entry.folder, ignore_errors=True)
    return sum(entry.size for entry in found)
