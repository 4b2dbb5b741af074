"""Foreign text made safe for a terminal: what a model, an index or a server wrote may not steer it.

Removed: escape sequences (colours, cursor moves, titles, hyperlinks, clipboard writes), other control characters
but newline and tab, and the marks that reverse the order of what is displayed. Replaced: lone surrogates.
"""

from __future__ import annotations

import re

_LONGEST_SEQUENCE = 1024
"""An escape string that has not ended after so many characters is not taken for one: its text is shown."""

_ESCAPE_STRING = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"
_SEQUENCE = re.compile(
    rf"{_ESCAPE_STRING}[^\x07\x1b\x9c]{{0,{_LONGEST_SEQUENCE}}}(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|\x1b(?:[ -/]{1,8}[0-~]|[0-OQ-WYZ\\`-~])"
)
_UNFINISHED = re.compile(
    rf"(?:{_ESCAPE_STRING}[^\x07\x1b\x9c]{{0,{_LONGEST_SEQUENCE}}}\x1b?"
    r"|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}"
    r"|\x1b[ -/]{0,8})\Z"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s+")


class PlainStream:
    """Makes text safe as it comes, piece by piece; how it is cut into pieces makes no difference."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The safe text that is certain so far; the beginning of an escape sequence is held back."""
        text = self._held + text
        unfinished = _UNFINISHED.search(text)
        self._held = unfinished.group() if unfinished else ""
        return _clean(text[: len(text) - len(self._held)])

    def close(self) -> str:
        """What was held back, when nothing more comes."""
        rest, self._held = self._held, ""
        return _clean(rest)


def plain(text: str) -> str:
    """``text`` without anything that a terminal would obey."""
    stream = PlainStream()
    return stream.feed(text) + stream.close()


def plain_line(text: str) -> str:
    """``text`` made safe and put on one line, for a title, a table cell or a message."""
    return _SPACE.sub(" ", plain(text)).strip()


def _clean(text: str) -> str:
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", _SEQUENCE.sub("", text)))
