"""What a server says when it refuses, in whichever of the usual forms, as one value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from graphrag_cli import jsontext
from graphrag_cli.llm.reading.values import is_array, is_number, is_object

_TITLE = re.compile(r"<title[^>]*>(.*?)</title>|<h1[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
_WAIT_HINT = re.compile(
    r"(?:try again|retry|wait|available (?:again )?in)\D{0,40}?(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|min|minutes?)?(?![a-z])"
    r"(?:\s*(\d+(?:\.\d+)?)\s*(s|secs?|seconds?)\b)?",
    re.IGNORECASE,
)
_LONGEST_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class Refusal:
    """A server's error: status, and what its body says. ``status`` is 0 where there was none."""

    status: int
    message: str
    code: str = ""
    kind: str = ""
    """What the body calls the error's type."""
    param: str = ""
    web_page: bool = False
    """True when the body is HTML: something else than the API answered."""
    retry_after: float | None = None
    """Seconds to wait."""

    @property
    def words(self) -> str:
        """Everything it says, in lower case and a line each, to look for signs in."""
        return f"{self.code}\n{self.kind}\n{self.message}".lower()


def read_refusal(status: int, body: str, headers: Mapping[str, str], now: datetime | None = None) -> Refusal:
    """A refusal out of an HTTP reply. ``now`` is the time that a date in ``Retry-After`` is measured from."""
    wait = retry_after(headers, now or datetime.now(UTC))
    if body.lstrip()[:1] == "<":
        title = _TITLE.search(body)
        text = next((group for group in (title.groups() if title else ()) if group), "a web page")
        return Refusal(status, _short(re.sub(r"<[^>]+>", " ", text)), web_page=True, retry_after=wait)
    try:
        value: object = jsontext.decode(body)
    except ValueError:
        return Refusal(status, _short(body) or "no text", retry_after=wait or wait_hint(body))
    return refusal_of(value, status, wait)


def refusal_of(value: object, status: int, wait: float | None = None) -> Refusal:
    """A refusal out of a decoded body: ``{"error": {…}}``, ``{"error": "…"}``, ``{"detail": …}``, ``{"message": …}``."""
    if is_array(value) and len(value) == 1:
        (value,) = value
    inner = value
    if is_object(value) and value.get("error"):
        inner = value["error"]
    if not is_object(inner):
        text = _short(str(inner)) if inner not in (None, "") else "no text"
        return Refusal(status, text, retry_after=wait or wait_hint(text))
    message = _message(inner)
    code = inner.get("code")
    if not status and (told := _status(code)):
        status = told
    return Refusal(
        status,
        message,
        code=_inner_code(inner) or ("" if code is None else str(code)),
        kind=str(inner.get("type") or ""),
        param=str(inner.get("param") or _location(inner)),
        retry_after=wait or wait_hint(message),
    )


def _status(code: object) -> int | None:
    """``code`` where it is an HTTP status."""
    number = int(code) if isinstance(code, str) and re.fullmatch(r"[45]\d\d", code) else code
    return int(number) if is_number(number) and 400 <= number < 600 else None


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that ``Retry-After`` (a number or a date) or ``retry-after-ms`` ask to wait."""
    lower = {name.lower(): value for name, value in headers.items()}
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(lower[name]) / scale)
        except (KeyError, ValueError):
            continue
    try:
        date = parsedate_to_datetime(lower["retry-after"])
    except (KeyError, ValueError):
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def wait_hint(message: str) -> float | None:
    """Seconds to wait, out of a message such as "Please try again in 1m2.5s"."""
    found = _WAIT_HINT.search(message)
    if found is None:
        return None
    amount, unit = float(found.group(1)), (found.group(2) or "s").lower()
    if unit.startswith(("ms", "milli")):
        return amount / 1000
    if unit.startswith("m"):
        return amount * 60 + float(found.group(3) or 0)
    return amount


def _message(body: dict[str, object]) -> str:
    for key in ("message", "detail", "error", "msg", "error_description", "errorMessage"):
        value = body.get(key)
        if isinstance(value, str) and value.strip():
            return _short(value)
        if is_object(value):
            return _message(value)
        if is_array(value) and value:
            return _short("; ".join(_detail(item) for item in value))
    return _short(json.dumps(body, ensure_ascii=False)) if body else "no text"


def _detail(item: object) -> str:
    if not is_object(item):
        return str(item)
    place = item.get("loc")
    where = ".".join(map(str, place)) if is_array(place) else ""
    return f"{where}: {item.get('msg', item)}".lstrip(": ")


def _location(body: dict[str, object]) -> str:
    """The field that a validation error of the ``{"detail": [{"loc": …}]}`` kind is about."""
    detail = body.get("detail")
    if is_array(detail) and detail and is_object(detail[0]):
        place = detail[0].get("loc")
        if is_array(place):
            return ".".join(str(part) for part in place if part != "body")
    return ""


def _inner_code(body: dict[str, object]) -> str:
    inner = body.get("innererror")
    return str(inner.get("code") or "") if is_object(inner) else ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"
