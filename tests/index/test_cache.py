"""What is kept is what was made, for that state of the index alone, and never stands in the way."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_cli.index.arrow import Array, pa
from graphrag_cli.index.kept import cache
from graphrag_cli.index.kept import files as kept_files
from graphrag_cli.index.kept.cache import Cache, cache_for, cache_root, clear, entries, shrink
from graphrag_cli.index.tables import adapt
from tests.kit.snapshots import facts
from tests.kit.snapshots import opened as opened_index
from tests.kit.tiny import tables, write_tables
from tests.kit.versions import VERSIONS, Version, as_version


class Made:
    """Makers that count how often they are asked."""

    def __init__(self) -> None:
        self.times = 0

    def arrays(self) -> Iterator[Sequence[NDArray[Any]]]:
        self.times += 1
        yield np.arange(3), np.array([[1.5, 2.5]], np.float32)
        yield np.arange(3, 5), np.empty((0, 2), np.float32)

    def column(self) -> Iterator[Array]:
        self.times += 1
        yield pa.array(["a", "b"])
        yield pa.array(["c"]).dictionary_encode()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "user"))
    return tmp_path / "user" / "index"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "entities.parquet"
    path.write_bytes(b"rows, then a footer")
    return path


def opened(table: Path) -> Cache:
    return cache_for(table.parent, [table], worth=0)


def test_a_value_is_made_once_and_then_mapped(root: Path, table: Path) -> None:
    made = Made()
    opened(table).arrays("links", made.arrays, 2)
    numbers, matrix = opened(table).arrays("links", made.arrays, 2)
    assert numbers.tolist() == [0, 1, 2, 3, 4]
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[1.5, 2.5]]
    assert not numbers.flags.writeable
    assert made.times == 1


def test_a_column_is_made_once_and_then_mapped(root: Path, table: Path) -> None:
    made = Made()
    for _ in range(3):
        assert opened(table).column("title", made.column).column.to_pylist() == ["a", "b", "c"]
    assert made.times == 1


@pytest.mark.parametrize("change", ["content", "time", "place"])
def test_a_changed_index_is_another_index(root: Path, table: Path, change: str) -> None:
    made = Made()
    opened(table).arrays("links", made.arrays, 2)
    about = table.stat()
    if change == "content":
        table.write_bytes(b"rows, then b footer")
        os.utime(table, ns=(about.st_atime_ns, about.st_mtime_ns))
    elif change == "time":
        os.utime(table, ns=(about.st_atime_ns, about.st_mtime_ns + 1))
    else:
        table = table.rename(table.parent.parent / table.name)
    opened(table).arrays("links", made.arrays, 2)
    assert made.times == 2


def test_earlier_states_of_an_index_are_dropped(root: Path, table: Path) -> None:
    opened(table).arrays("links", Made().arrays, 2)
    table.write_bytes(b"indexed again")
    opened(table).arrays("links", Made().arrays, 2)
    assert [entry.index for entry in entries(root)] == [str(table.parent)]


UNCLOSED = b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': }alse, 'shape': (5[,)}".ljust(168)
"""A head of the right length, with two characters that are not what they were."""
NO_COLUMNS = pa.BufferOutputStream()
pa.ipc.new_file(NO_COLUMNS, pa.schema([])).close()


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\x93NUMPY\x01\x00v\x00{'descr'",
        UNCLOSED,
        NO_COLUMNS.getvalue().to_pybytes(),
        b"something else",
    ],
)
def test_a_damaged_file_is_made_again(root: Path, table: Path, damage: bytes) -> None:
    made = Made()
    opened(table).arrays("links", made.arrays, 2)
    opened(table).column("title", made.column)
    for path in entries(root)[0].folder.glob("*.*"):
        if path.suffix in {".npy", ".arrow"}:
            path.write_bytes(damage)
    assert opened(table).arrays("links", made.arrays, 2)[0].tolist() == [0, 1, 2, 3, 4]
    assert opened(table).column("title", made.column).column.to_pylist() == ["a", "b", "c"]
    assert made.times == 4
    assert opened(table).arrays("links", made.arrays, 2)[0].tolist() == [0, 1, 2, 3, 4]
    assert made.times == 4


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(
    tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    made, own = Made(), opened(table)
    assert own.arrays("links", made.arrays, 2)[0].tolist() == [0, 1, 2, 3, 4]
    assert own.column("title", made.column).column.to_pylist() == ["a", "b", "c"]
    assert not own.active
    assert (tmp_path / "file").read_text(encoding="utf-8") == "in the way"


def test_a_disk_that_is_full_costs_nothing_but_time(
    root: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> BinaryIO:
        path.touch()
        return cast("BinaryIO", io.FileIO("/dev/full", "wb"))

    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    monkeypatch.setattr(kept_files, "_opened", full)
    for kind in ("arrays", "column"):
        made, own = Made(), opened(table)
        if kind == "arrays":
            assert own.arrays("links", made.arrays, 2)[0].tolist() == [0, 1, 2, 3, 4]
        else:
            assert own.column("title", made.column).column.to_pylist() == ["a", "b", "c"]
        assert not own.active
        assert [path.name for path in root.glob("*/*")] == ["about.json"]


def test_an_entry_whose_name_could_not_be_written_gets_it_later(
    root: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str, encoding: str) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        assert opened(table).arrays("links", Made().arrays, 2)[0].tolist() == [0, 1, 2, 3, 4]
    assert [path.name for path in root.glob("*/*")] == []
    opened(table).arrays("links", Made().arrays, 2)
    assert [entry.index for entry in entries(root)] == [str(table.parent)]
    assert clear(root) > 0


def test_what_a_killed_process_left_behind_is_removed_once_it_is_old(root: Path, table: Path) -> None:
    opened(table).arrays("links", Made().arrays, 2)
    old, new = (entries(root)[0].folder / f".titles.arrow.{mark}" for mark in ("1.aa", "2.bb"))
    for path in (old, new):
        path.write_bytes(b"half of it")
    os.utime(old, (1.0, 1.0))
    opened(table).column("title", Made().column)
    assert not old.exists()
    assert new.exists()


def test_a_home_that_nobody_has_is_a_folder_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, "~nobody-of-this-name/kept")
    assert cache_root() == Path("~nobody-of-this-name/kept/index")


def test_a_folder_removed_meanwhile_is_no_error(root: Path, table: Path) -> None:
    own = opened(table)
    own.arrays("links", Made().arrays, 2)
    clear(root)
    assert own.arrays("other", Made().arrays, 2)[0].tolist() == [0, 1, 2, 3, 4]


def test_only_the_user_may_read_it(root: Path, table: Path) -> None:
    opened(table).arrays("links", Made().arrays, 2)
    assert stat.S_IMODE(entries(root)[0].folder.stat().st_mode) == 0o700


def test_small_indexes_are_not_kept(root: Path, table: Path) -> None:
    assert not cache_for(table.parent, [table]).active
    assert not root.exists()


@pytest.mark.parametrize("word", ["off", "OFF", "0", "none"])
def test_it_can_be_switched_off(table: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv(cache.VARIABLE, word)
    assert cache_root() is None
    assert not opened(table).active


def test_threads_that_make_the_same_agree(root: Path, table: Path) -> None:
    seen: list[list[int]] = []

    def one() -> None:
        seen.append(opened(table).arrays("links", Made().arrays, 2)[0].tolist())

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[0, 1, 2, 3, 4]] * 8
    names = sorted(path.name for path in entries(root)[0].folder.iterdir())
    assert names == ["about.json", "links.0.npy", "links.1.npy"]


def kept(root: Path, name: str, size: int, used: float) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "about.json").write_text(json.dumps({"index": f"/data/{name}"}), encoding="utf-8")
    (folder / "links.npy").write_bytes(bytes(size))
    os.utime(folder, (used, used))
    return folder


def test_what_was_used_least_recently_goes_first(root: Path) -> None:
    for name, used in (("old", 100.0), ("older", 50.0), ("new", 200.0)):
        kept(root, name, 1000, used)
    shrink(root, 2500)
    assert [entry.folder.name for entry in entries(root)] == ["new", "old"]
    shrink(root, 0, keep=root / "old")
    assert [entry.folder.name for entry in entries(root)] == ["old"]


def test_clearing_removes_entries_and_nothing_else(root: Path) -> None:
    kept(root, "one", 1000, 1.0)
    (root / "mine").mkdir()
    (root / "mine" / "notes.txt").write_text("keep", encoding="utf-8")
    assert clear(root) > 1000
    assert [path.name for path in root.iterdir()] == ["mine"]
    assert clear(root) == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_a_cached_index_says_the_same_as_a_read_one(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, version: Version
) -> None:
    write_tables(tmp_path / "index", as_version(tables(), version))
    read = facts(opened_index(tmp_path / "index"))
    assert not root.exists()
    monkeypatch.setattr(cache, "WORTH", 0)
    monkeypatch.setattr(adapt, "CACHED_ROWS", 0)
    for _ in range(2):
        assert facts(opened_index(tmp_path / "index")) == read
    assert list(root.glob("*/units_of_entity.*.npy"))
    assert list(root.glob("*/entities.title.arrow"))
