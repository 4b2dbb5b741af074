"""JSON that every parser reads: UTF-8, no NaN, no lone surrogates, one line unless asked otherwise.

Characters that a terminal obeys, or that some programs take for the end of a line, are written as escapes: the
text that is read back is the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def dumps(document: Mapping[str, object] | Sequence[object], *, indent: int | None = None) -> str:
    """``document`` as JSON text without a final newline. Raises ``ValueError`` on NaN and infinities."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)
    return _UNSAFE.sub(_safe, text)


def dump_line(document: Mapping[str, object]) -> str:
    """``document`` as one line of JSON Lines, newline included."""
    return dumps(document) + "\n"


def _safe(match: re.Match[str]) -> str:
    code = ord(match.group())
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
