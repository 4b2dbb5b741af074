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
    """Takes text. As a context manager: left normally, the file is put in place; left by an error, it never was.

    What is there already and is no plain file, such as ``/dev/null`` or a named pipe, is written to as it comes.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Raises ``UsageError`` when nothing can be written at ``path``."""
        self._path = path
        self._temporary: Path | None = None
        if path is None:
            self._file: IO[str] = sys.stdout
        elif is_stream(path):
            self._file = _open(path, path)
        else:
            self._temporary = _new_file_beside(path)
            self._file = _open(self._temporary, path)

    def write(self, text: str) -> None:
        """Writes ``text``; on stdout and the like it is seen at once. Raises ``CliError``."""
        try:
            self._file.write(text)
            if self._temporary is None:
                self._file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._stopped(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is None:
            return
        try:
            self._file.close()
            if kind is None and self._temporary is not None:
                self._temporary.replace(self._path.resolve())
        except OSError as error:
            raise self._stopped(error) from error
        finally:
            if self._temporary is not None:
                self._temporary.unlink(missing_ok=True)

    def _stopped(self, error: OSError) -> CliError:
        place = self._path or "standard output"
        return CliError(f"cannot write to {place}: {error.strerror}", hint="is the disk full?")


def is_stream(path: Path) -> bool:
    """True for what can be written to but not replaced: a device or a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def refuse_same_file(files: Mapping[str, Path | None]) -> None:
    """Raises ``UsageError`` when two of the flags name one file: the second to write would destroy the first."""
    owners: dict[Path, str] = {}
    for flag, path in files.items():
        if path is None or is_stream(path):  # which takes many
            continue
        owner = owners.setdefault(path.resolve(), flag)
        if owner != flag:
            raise UsageError(f"{owner} and {flag} name the same file", hint="give each a file of its own")


def check_writable(path: Path) -> None:
    """Raises ``UsageError`` when no file can be put at ``path``: told before work is done, not after."""
    if not is_stream(path):
        _new_file_beside(path).unlink()


def _open(path: Path, named: Path) -> IO[str]:
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise _unwritable(named, error) from error


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"cannot write {path}: {error.strerror}",
        hint="name a file in a folder that exists and may be written",
    )


def _new_file_beside(path: Path) -> Path:
    """An empty file in the folder where ``path`` leads, with the rights a plain ``open`` would give it.

    Raises ``UsageError``.
    """
    target = path.resolve()
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    os.close(handle)
    umask = os.umask(0)
    os.umask(umask)
    Path(name).chmod(0o666 & ~umask)
    return Path(name)
