"""Text that is piped in or typed."""

from __future__ import annotations

import sys
from collections.abc import Callable

from graphrag_cli.errors import UsageError


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
