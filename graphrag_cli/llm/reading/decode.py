r"""Text to JSON values, keeping backslashes that models forget to double.

A model that writes ``"C:\Users\new"`` or ``"\frac{1}{2}"`` into a JSON string means the backslash. Strict
decoding refuses the first and turns the second into a form feed; repair libraries drop characters. So the
backslashes are put right first, and only then is the text decoded, or repaired when it still is not JSON.
"""

from __future__ import annotations

import json
import re

from graphrag_cli.llm.reading.scan import is_too_deep
from graphrag_cli.llm.reading.values import is_array, is_object

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BACKSLASH = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_PATH = re.compile(r'(?<![A-Za-z0-9])[A-Za-z]:\\(?![\\"])[^\s"<>|*?]*')
_SHARED = re.compile(r'(?<![\\\w])\\\\(?=[A-Za-z0-9._$-]+\\[A-Za-z0-9])[^\s"<>|*?]*')
_FILE_END = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_COMMAND = re.compile(
    r"\\(?:b(?:eta|inom|egin|ar|oldsymbol|ig|mathbf|ullet)|f(?:rac|orall|lat|oot\w*)"
    r"|t(?:heta|imes|ext\w*|au|an|anh|ilde|o|op|riangle|frac)|n(?:abla|eq|eg|earrow|otin|ewcommand)"
    r"|r(?:ho|ight\w*|angle|ceil|floor|oot))(?![A-Za-z])"
)
_IN_MATH = re.compile(r"\\(?:nu|ne|ni|not)(?![A-Za-z])")
_NO_ESCAPE = re.compile(r"\\(?:[^nrtbfu\"'/\\]|u(?![0-9a-fA-F]{4}))")
"""A backslash that JSON does not allow: whoever wrote it did not double the others in the string either."""
_CONTROL = re.compile(r"\\[bf](?=[A-Za-z])")
"""Escapes of control characters that no prose holds: backspace and form feed."""
_ESCAPES = 'nrtbfu"/'
"""What may follow a backslash in JSON, besides another one."""


_LONGEST_REPAIR = 100_000
"""Characters; to mend a longer text would stop everything else for seconds."""


def decode(text: str) -> object:
    """``text`` as JSON, raw control characters allowed. Raises ``ValueError`` when it is not JSON."""
    try:
        value: object = json.loads(keep_backslashes(text), strict=False)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return clean(value)


def repair(text: str) -> object:
    """``text`` as JSON after mending quotes, commas and brackets; None when nothing can be made of it."""
    from json_repair import loads

    if is_too_deep(text) or len(text) > _LONGEST_REPAIR:
        return None
    try:
        value: object = loads(keep_backslashes(text), skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return None
    return None if value == "" else clean(value)


def clean(value: object) -> object:
    """``value`` with every string fit to be printed: halves of surrogate pairs replaced, NUL removed."""
    if isinstance(value, str):
        return clean_text(value)
    if is_array(value):
        return [clean(item) for item in value]
    if is_object(value):
        return {clean_text(key): clean(item) for key, item in value.items()}
    return value


def clean_text(text: str) -> str:
    """See ``clean``."""
    try:
        text.encode()  # a fifth of the time that a search takes
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "")


def keep_backslashes(text: str) -> str:
    """``text`` with every backslash inside its strings doubled that is meant as one."""
    return _STRING.sub(_string, text) if "\\" in text else text


def _string(match: re.Match[str]) -> str:
    string = match.group()
    if "\\" not in string:
        return string
    literal = _literal_places(string)
    return _BACKSLASH.sub(lambda found: _escape(found, literal), string)


def _escape(match: re.Match[str], literal: frozenset[int]) -> str:
    follows = match.group(1)
    if match.start() in literal and follows != '"':
        return "\\\\" + ("\\\\" if follows == "\\" else follows)
    if follows == "":
        return ""
    if follows == "'":
        return "'"
    if follows in ("\\", '"', "/", "n", "r", "t", "b", "f") or len(follows) == 5:
        return match.group()
    return "\\\\" + follows


def _literal_places(string: str) -> frozenset[int]:
    """Places of single backslashes that belong to a path or a formula although JSON knows the escape."""
    formula = [found.start() for found in _COMMAND.finditer(string)]
    formula += [found.start() for found in _CONTROL.finditer(string)]
    unescaped = any(_is_single(string, found.start()) for found in _NO_ESCAPE.finditer(string))
    for command in _IN_MATH.finditer(string):
        if unescaped or string.count("$", 0, command.start()) % 2:
            formula.append(command.start())
    singles = (place for place in formula if _is_single(string, place))
    return frozenset([*singles, *_path_places(string)])


def _path_places(string: str) -> list[int]:
    places: list[int] = []
    for path in _PATH.finditer(string):
        if _is_path(path.group()):
            places += _singles(string, path.start(), path.end())
    for share in _SHARED.finditer(string):
        if any(letter not in _ESCAPES for letter in _after_backslashes(share.group()[2:])):
            places += [share.start(), *_singles(string, share.start() + 2, share.end())]
    return places


def _is_path(text: str) -> bool:
    """Whether ``X:\\…`` is a path: a line break after "Plan B:" looks the same at first."""
    if "\\\\" in text:
        return False
    letters = _after_backslashes(text)
    return any(letter != "n" for letter in letters) or _FILE_END.search(text) is not None


def _after_backslashes(text: str) -> list[str]:
    return [text[place + 1 : place + 2] for place in range(len(text)) if text[place] == "\\"]


def _singles(string: str, start: int, end: int) -> list[int]:
    return [place for place in range(start, end) if string[place] == "\\" and _is_single(string, place)]


def _is_single(string: str, place: int) -> bool:
    """Whether the backslash at ``place`` begins an escape: an even number of backslashes stands before it."""
    before = place
    while before > 0 and string[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 0
