"""The output of a batch on disk: each line whole or absent, whatever moment the program is killed at.

In input order, an answer that comes early has to wait for those before it. It waits in ``FILE.waiting``, on disk, so that a
kill loses only what is in flight; a run that ends by itself puts it into the file. Resuming reads both files, drops a torn last line, keeps what was answered, and
asks the rest again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from graphrag_cli.batch.line import Done, parse_line, read_line
from graphrag_cli.batch.questions import BatchQuestion
from graphrag_cli.errors import UsageError


class Writer(Protocol):
    """Takes lines in the order in which questions end."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def write(self, done: Done) -> None:
        """Takes the line of one question."""
        ...


class InOrder:
    """Gives lines back in the order of ``ids``."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = ids
        self._next = 0
        self._early: dict[str, Done] = {}

    def take(self, done: Done) -> list[Done]:
        """Adds a line; returns those whose turn it now is."""
        self._early[done.id] = done
        ready: list[Done] = []
        while self._next < len(self._ids) and (following := self._early.pop(self._ids[self._next], None)):
            ready.append(following)
            self._next += 1
        return ready

    @property
    def early(self) -> list[Done]:
        """Lines that still wait, in order."""
        return [self._early[key] for key in self._ids[self._next :] if key in self._early]


class StreamWriter:
    """Writes to a stream such as stdout: nothing can be resumed."""

    def __init__(self, put: Callable[[str], None], ids: Sequence[str] | None) -> None:
        """``put`` writes a text at once; ``ids`` is the order, None writes lines as they come."""
        self._put = put
        self._order = None if ids is None else InOrder(ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Writes what still waits for a question that a limit or the user left unasked: it is paid for.

        The stream is not ours to close, and after an error it may take no more.
        """
        if self._order is not None and (kind is None or not issubclass(kind, Exception)):
            for line in self._order.early:
                self._put(line.text)

    def write(self, done: Done) -> None:
        """Writes what is ready."""
        for line in [done] if self._order is None else self._order.take(done):
            self._put(line.text)


class FileWriter:
    """Writes to a file, and to the file beside it that holds what waits for its turn."""

    def __init__(self, path: Path, ids: Sequence[str] | None, kept: Iterable[Done] = ()) -> None:
        """``kept`` are lines of an earlier run that stay; ``ids`` is the order, None for none."""
        self._path = path
        self._order = None if ids is None else InOrder(ids)
        self._kept = tuple(kept)

    def __enter__(self) -> Self:
        ready = [line for done in self._kept for line in self._sorted(done)]
        # Waiting lines first: killed in between, both files hold the same line, and reading drops one.
        if self._order is not None:
            _replace(waiting_path(self._path), self._order.early)
        _replace(self._path, ready)
        self._file = _open_for_appending(self._path)
        self._waiting = None if self._order is None else _open_for_appending(waiting_path(self._path))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What still waits for a question that was left unasked goes into the file too: resuming sorts it in again."""
        if self._waiting is not None and self._order is not None:
            for line in self._order.early:
                _append(self._file, line.text)
            os.close(self._waiting)
            waiting_path(self._path).unlink(missing_ok=True)
        os.close(self._file)

    def write(self, done: Done) -> None:
        """Writes the line, or puts it where it waits; then those whose turn has come."""
        ready = self._sorted(done)
        if not ready and self._waiting is not None:
            _append(self._waiting, done.text)
        for line in ready:
            _append(self._file, line.text)

    def _sorted(self, done: Done) -> list[Done]:
        return [done] if self._order is None else self._order.take(done)


def waiting_path(path: Path) -> Path:
    """Where early lines wait for those before them."""
    return path.with_name(f"{path.name}.waiting")


def read_kept(path: Path, questions: Sequence[BatchQuestion]) -> list[Done]:
    """Lines of an earlier run that need not be asked again, one per question, in the order of ``questions``.

    A question whose line says that it failed is not among them, nor one that reads otherwise now. Raises
    ``UsageError`` when the file holds anything but lines of a batch.
    """
    by_id = {question.id: question for question in questions}
    found: dict[str, Done] = {}
    for text in (*_lines(path), *_lines(waiting_path(path))):
        document = parse_line(text)
        done = read_line(text, by_id.get(_id(document)))
        if done is not None and done.status != "failed":
            found[done.id] = done
    return [found[question.id] for question in questions if question.id in found]


def _id(document: Mapping[str, object] | None) -> str:
    return "" if document is None else str(document.get("id"))


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    whole = [f"{line}\n" for line in lines[:-1] if line]
    for number, line in enumerate(whole, start=1):
        if parse_line(line) is None and number < len(whole):
            raise UsageError(
                f"line {number} of {path} is no line of a batch",
                hint="name another file with -o, or drop --resume",
            )
    return whole


def _replace(path: Path, lines: Iterable[Done]) -> None:
    """Puts ``lines`` in the place of the file, all or nothing."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line.text for line in lines)
        temporary.replace(path)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}", hint="name another file with -o"
        ) from error


def _open_for_appending(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)


def _append(file: int, text: str) -> None:
    rest = text.encode("utf-8")
    while rest:
        rest = rest[os.write(file, rest) :]
