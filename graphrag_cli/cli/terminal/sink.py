"""Where data goes: stdout as it comes, or a file that appears when it is whole."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from graphrag_cli.errors import CliError, UsageError


class Sink:
    """Takes text. As a context manager: left normally, the file is put in place; left by an error, it never was."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._temporary = Path() if path is None else _new_file_beside(path)
        self._file: IO[str] = (
            sys.stdout if path is None else self._temporary.open("w", encoding="utf-8", newline="\n")
        )

    def write(self, text: str) -> None:
        """Writes ``text``; on stdout it is seen at once. Raises ``CliError``."""
        try:
            self._file.write(text)
            if self._path is None:
                self._file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            place = self._path or "standard output"
            raise CliError(f"cannot write to {place}: {error.strerror}", hint="is the disk full?") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is None:
            return
        self._file.close()
        try:
            if kind is None:
                self._temporary.replace(self._path)
        except OSError as error:
            raise _unwritable(self._path, error) from error
        finally:
            self._temporary.unlink(missing_ok=True)


def refuse_same_file(files: Mapping[str, Path | None]) -> None:
    """Raises ``UsageError`` when two of the flags name one file: the second to write would destroy the first."""
    owners: dict[Path, str] = {}
    for flag, path in files.items():
        if path is None or (path.exists() and not path.is_file()):  # a device takes many
            continue
        owner = owners.setdefault(path.resolve(), flag)
        if owner != flag:
            raise UsageError(f"{owner} and {flag} name the same file", hint="give each a file of its own")


def check_writable(path: Path) -> None:
    """Raises ``UsageError`` when no file can be put at ``path``: told before work is done, not after."""
    _new_file_beside(path).unlink()


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"cannot write {path}: {error.strerror}",
        hint="name a file in a folder that exists and may be written",
    )


def _new_file_beside(path: Path) -> Path:
    """An empty file in the same folder, with the rights a plain ``open`` would give it. Raises ``UsageError``."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    os.close(handle)
    umask = os.umask(0)
    os.umask(umask)
    Path(name).chmod(0o666 & ~umask)
    return Path(name)
