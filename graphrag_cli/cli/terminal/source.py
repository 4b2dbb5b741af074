"""Where text comes from: a file, a pipe, a keyboard; all of it UTF-8."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from graphrag_cli.errors import UsageError


def read_file(path: Path, *, hint: str) -> str:
    """The text of a file. Raises ``UsageError`` with ``hint`` when it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {path}: not UTF-8", hint=hint) from error


def read_stdin() -> str:
    """All of standard input. Raises ``UsageError`` when it is not UTF-8."""
    return _utf8(lambda: sys.stdin.read())


def read_line(prompt: str) -> str:
    """The next line. Raises ``EOFError``, and ``UsageError`` when it is not UTF-8."""
    return _utf8(lambda: input(prompt))


def _utf8(read: Callable[[], str]) -> str:
    try:
        text = read()
        text.encode()  # some locales let through as surrogates what is no UTF-8
    except UnicodeError as error:
        raise UsageError(
            "standard input is not UTF-8", hint="iconv -t UTF-8 turns other encodings into it"
        ) from error
    return text
