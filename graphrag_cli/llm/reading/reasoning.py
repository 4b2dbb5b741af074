"""Takes blocks of reasoning out of replies, whole or while they stream in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAMES = (
    r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad|inner_monologue|seed:think)"
)
_OPEN = re.compile(
    rf"<{_NAMES}(?:\s[^<>]{{0,80}})?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)(?:[^<>]{0,80})<\|message\|>",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    rf"</{_NAMES}\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|end\|>"
    r"|(?=<\|start\|>assistant<\|channel\|>final|<\|channel\|>final)",
    re.IGNORECASE,
)
_MARKERS = re.compile(
    r"<\|begin_of_solution\|>|<\|end_of_solution\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>final(?:[^<>]{0,80})<\|message\|>|<\|(?:return|end|im_end)\|>",
    re.IGNORECASE,
)
_FIRST_CHARACTERS = "<[◁"
_LONGEST_TAG = 140
"""No tag above is longer; text that might still become one is held back up to this length."""


@dataclass(frozen=True, slots=True)
class WithoutReasoning:
    """A reply without its reasoning; ``unclosed`` is what followed a block that was opened and never closed."""

    text: str
    reasoning: str = ""
    unclosed: str = ""


def strip_reasoning(text: str) -> WithoutReasoning:
    """Takes every block out; a closing tag without an opening one ends a block that began with the reply."""
    orphan = orphan_close(text)
    kept: list[str] = []
    thought: list[str] = [] if orphan is None else [text[: orphan.start()]]
    place = 0 if orphan is None else orphan.end()
    while opening := _OPEN.search(text, place):
        kept.append(text[place : opening.start()])
        closing = _CLOSE.search(text, opening.end())
        if closing is None:
            rest = text[opening.end() :]
            return WithoutReasoning(_clean(kept), "".join([*thought, rest]), unclosed=rest)
        thought.append(text[opening.end() : closing.start()])
        place = closing.end()
    kept.append(text[place:])
    return WithoutReasoning(_clean(kept), "".join(thought))


def opens_with_reasoning(text: str) -> bool:
    """Whether ``text`` begins with a tag that opens a block of reasoning."""
    return _OPEN.match(text) is not None


def orphan_close(text: str) -> re.Match[str] | None:
    """The tag that ends reasoning which began with the reply, its opening tag being part of the prompt."""
    closing = _CLOSE.search(text)
    if closing is None or not closing.group() or closing.group().startswith("<|end|>"):
        return None
    opening = _OPEN.search(text)
    return closing if opening is None or opening.start() > closing.start() else None


def _clean(kept: list[str]) -> str:
    return _MARKERS.sub("", "".join(kept))


@dataclass(slots=True)
class ReasoningFilter:
    """Lets through what is not reasoning, as it arrives.

    Text that may be the beginning of a tag is held back until it is certain. A closing tag whose opening one
    stood in the prompt comes too late to take back what was let through; ``late_close`` then tells, and the next
    filter for that model is made with ``begun``: reasoning from the first character on, unless no tag ever ends it.
    """

    begun: bool = False
    late_close: bool = False
    closed: bool = False
    reasoning: list[str] = field(default_factory=list[str])
    _inside: bool = False
    _held: str = ""
    _started: bool = False

    def __post_init__(self) -> None:
        self._inside = self.begun

    @property
    def certain(self) -> bool:
        """False while ``reasoning`` may still turn out to be the reply: no tag has ended it."""
        return self.closed or not self.begun

    def feed(self, text: str) -> str:
        """The next piece of the reply in, what may be shown out."""
        self._held += text
        shown: list[str] = []
        while self._step(shown):
            pass
        return self._first("".join(shown))

    def finish(self) -> str:
        """What was held back and turned out to be text. Call once, at the end."""
        rest, self._held = self._held, ""
        if self._inside and self.begun and not self.closed:
            rest = "".join([*self.reasoning, rest])
            self.reasoning.clear()
        elif self._inside:
            self.reasoning.append(rest)
            return ""
        return self._first(_MARKERS.sub("", rest))

    def _step(self, shown: list[str]) -> bool:
        """Handles one tag, or as much plain text as is certain; True when there may be more to do."""
        tag = (_CLOSE if self._inside else _OPEN).search(self._held)
        if not self._inside and (stray := self._stray(tag)) is not None:
            if _MARKERS.match(stray.group()):
                self._cut(stray, shown)
            else:
                self._end_unmarked(stray, shown)
            return True
        if tag is not None:
            self._cut(tag, shown)
            self.closed = self.closed or self._inside
            self._inside = not self._inside
            return True
        certain = _certain_length(self._held)
        self._take(self._held[:certain], shown)
        self._held = self._held[certain:]
        return False

    def _stray(self, opening: re.Match[str] | None) -> re.Match[str] | None:
        """What stands before ``opening`` and is no text either: a marker, or a closing tag that nothing opened."""
        found = [
            match
            for match in (_MARKERS.search(self._held), _CLOSE.search(self._held))
            if match and match.group()
        ]
        first = min(found, key=lambda match: match.start(), default=None)
        return first if first is not None and (opening is None or first.start() < opening.start()) else None

    def _cut(self, tag: re.Match[str], shown: list[str]) -> None:
        self._take(self._held[: tag.start()], shown)
        self._held = self._held[tag.end() :]

    def _end_unmarked(self, closing: re.Match[str], shown: list[str]) -> None:
        """A closing tag alone: what came before it was reasoning, which can be taken back if it is still here."""
        self._cut(closing, shown)
        if self._started:
            self.late_close = True
        else:
            self.reasoning.extend(shown)
            shown.clear()

    def _take(self, text: str, shown: list[str]) -> None:
        (self.reasoning if self._inside else shown).append(text)

    def _first(self, text: str) -> str:
        """Drops the blank lines that a block leaves at the beginning."""
        if not self._started:
            text = text.lstrip() if self.reasoning or not text.strip() else text
            self._started = bool(text)
        return text


def _certain_length(text: str) -> int:
    """How much of ``text`` cannot be the beginning of a tag that is still arriving."""
    start = max(0, len(text) - _LONGEST_TAG)
    for place in range(start, len(text)):
        if text[place] in _FIRST_CHARACTERS and _may_become_tag(text[place:]):
            return place
    return len(text)


_PARTIAL = re.compile(
    r"</?[a-z_:]{0,16}(?:\s[^<>]{0,80})?|\[/?[a-z]{0,5}|◁/?[a-z]{0,5}"
    r"|(?:<\|start\|>[a-z]{0,12})?(?:<\|channel\|>[^<>]{0,80})?(?:<(?:\|[a-z_]{0,22}\|?)?)?",
    re.IGNORECASE,
)


def _may_become_tag(text: str) -> bool:
    return _PARTIAL.fullmatch(text) is not None
