"""JSON that every parser reads: UTF-8, no NaN, no lone surrogates, one line unless asked otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(document: Mapping[str, object] | Sequence[object], *, indent: int | None = None) -> str:
    """``document`` as JSON text without a final newline. Raises ``ValueError`` on NaN and infinities."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)
    return _LONE_SURROGATE.sub("\ufffd", text)


def dump_line(document: Mapping[str, object]) -> str:
    """``document`` as one line of JSON Lines, newline included."""
    return dumps(document) + "\n"
