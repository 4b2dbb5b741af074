"""Conversations kept between runs: one JSON Lines file per session in the user's data folder.

A line is one question with its answer. Lines are appended whole; a torn one, as a killed program may leave it, is
skipped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from graphrag_cli import jsontext
from graphrag_cli.errors import UsageError
from graphrag_cli.events import METHODS, Answer, Method

if TYPE_CHECKING:
    from graphrag_cli.engines.base import Turn

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer."""

    time: str
    """ISO 8601, UTC."""
    method: Method
    question: str
    answer: str
    standalone_question: str | None = None


def exchange_of(answer: Answer) -> Exchange:
    """What is kept of an answer, as of now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Exchange(now, answer.method, answer.question, answer.text, answer.standalone_question)


def turns_of(exchanges: list[Exchange]) -> tuple[Turn, ...]:
    """The conversation as engines take it, oldest first."""
    from graphrag_cli.engines.base import Turn

    return tuple(
        turn
        for exchange in exchanges
        for turn in (Turn("user", exchange.question), Turn("assistant", exchange.answer))
    )


def default_folder() -> Path:
    """Where sessions are kept on this machine."""
    from platformdirs import user_data_path

    return user_data_path("graphrag-cli") / "sessions"


class SessionStore:
    """The sessions in a folder, which is made with the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self._folder

    def names(self) -> list[str]:
        """All sessions, the one used last first."""
        files = [path for path in self._folder.glob(f"*{_SUFFIX}") if _NAME.fullmatch(path.stem)]
        return [path.stem for path in sorted(files, key=lambda path: (-path.stat().st_mtime_ns, path.name))]

    def last(self) -> str:
        """The session used last. Raises ``UsageError`` when there is none."""
        names = self.names()
        if not names:
            raise UsageError("there is no session to continue", hint="begin one with --session NAME")
        return names[0]

    def read(self, name: str) -> list[Exchange]:
        """Its exchanges, oldest first; none when it does not exist yet.

        Raises ``UsageError`` for a name that cannot be, and for a file that cannot be read.
        """
        path = self._path(name)
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UsageError(
                f"cannot read the session in {path}: {error.strerror}", hint="use another name"
            ) from error
        return [exchange for line in lines if (exchange := _parse(line)) is not None]

    def append(self, name: str, exchange: Exchange) -> None:
        """Adds an exchange. Raises ``UsageError`` when the folder cannot be written."""
        path = self._path(name)
        line = json.dumps(asdict(exchange), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = path.read_bytes() if path.exists() else b""
            torn = kept and not kept.endswith(b"\n")
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(file, b"\n" + line if torn else line)
            finally:
                os.close(file)
        except OSError as error:
            raise UsageError(
                f"cannot keep the session in {path}: {error.strerror}", hint="ask without --session"
            ) from error

    def delete(self, name: str) -> None:
        """Removes it. Raises ``UsageError`` when there is none of that name, or it cannot be removed."""
        path = self._path(name)
        try:
            path.unlink()
        except FileNotFoundError:
            known = ", ".join(self.names())
            hint = f"there are: {known}" if known else "no session is kept"
            raise UsageError(f"there is no session {name!r}", hint=hint) from None
        except OSError as error:
            raise UsageError(
                f"cannot delete {path}: {error.strerror}", hint="see who may write there"
            ) from error

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"a session cannot be called {name!r}", hint="letters, digits, '.', '_' and '-', at most 64"
            )
        return self._folder / f"{name}{_SUFFIX}"


def _parse(line: str) -> Exchange | None:
    try:
        value: object = jsontext.decode(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    record = cast("Mapping[str, object]", value)
    method, texts = record.get("method"), [record.get(key) for key in ("time", "question", "answer")]
    standalone = record.get("standalone_question")
    if method not in METHODS or not all(isinstance(text, str) for text in texts):
        return None
    time, question, answer = cast("list[str]", texts)
    return Exchange(time, method, question, answer, standalone if isinstance(standalone, str) else None)
