"""Where data goes: stdout as it comes, or a file that appears when it is whole."""

from __future__ import annotations

import os
import sys
import tempfile
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
        if kind is None:
            self._temporary.replace(self._path)
        else:
            self._temporary.unlink(missing_ok=True)


def _new_file_beside(path: Path) -> Path:
    """An empty file in the same folder, with the rights a plain ``open`` would give it."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}",
            hint="name a file in a folder that exists and may be written",
        ) from error
    os.close(handle)
    umask = os.umask(0)
    os.umask(umask)
    Path(name).chmod(0o666 & ~umask)
    return Path(name)
