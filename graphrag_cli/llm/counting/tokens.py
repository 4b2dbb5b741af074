"""Token counting that is exact for OpenAI's models and needs neither network nor a writable home.

The ranks of cl100k and o200k are shipped and handed to ``tiktoken.Encoding`` directly, so that tiktoken's own loader,
which downloads and caches, never runs. Making an ``Encoding`` takes 0.15 s and 50 MB, so ``pairs`` counts until a
run has counted a great lot, or text that is not for it. Runs with embedded models alone count with ``wordpiece`` (5 ms to
load), which is what those models read.
"""

from __future__ import annotations

import functools
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphrag_cli.llm.counting.pairs import PairCounter
from graphrag_cli.llm.counting.ranks import RankFile, ranks
from graphrag_cli.llm.counting.wordpiece import WordPieceCounter

if TYPE_CHECKING:
    from tiktoken import Encoding

    from graphrag_cli.llm.base import TokenCounter

EncodingName: TypeAlias = RankFile | Literal["wordpiece"]

FALLBACK: EncodingName = "o200k_base"

_EMBEDDED_MODELS = frozenset({"extractive", "all-minilm-l6-v2", "minilm"})
_CL100K_MODELS = re.compile(
    r"(gpt-4(?![.\d]|o)|gpt-3\.5|gpt-35)|(davinci|babbage)-002|text-embedding-(3-|ada-002)"
)
_O200K_MODELS = re.compile(r"(gpt-(4o|4\.[15]|[5-9]|oss|image|realtime|audio)|chatgpt-|o[1-9])(?![a-z])")
_ALIASES: dict[str, EncodingName] = {
    "cl100k": "cl100k_base",
    "o200k": "o200k_base",
    # The same ranks with more special tokens, which plain text never reaches.
    "o200k_harmony": "o200k_base",
}

_LINE_END = re.compile(r"\n(?=[^\s/])")
"""After it a text may be cut without changing how it is split into tokens: both encodings end every piece at a line
break that something else than a blank (or a slash, which o200k joins to line breaks) follows."""
_KEPT_CHARACTERS = 8_000_000
"""Lines whose counts are kept, in characters all together."""

_LONG_BLANK = re.compile(r"\s{50000,}")
"""tiktoken's pattern matcher overflows its stack, and panics, on some hundred thousand blanks in a row."""
_BLANK_STEP = 10_000
PLAIN_LIMIT = 16_000_000
"""Characters that one counter counts in plain Python. Prose is counted as quickly there as with the encoding, in 50 MB
less; code and tables take twice as long, which a run of this size bears: it sends four million tokens."""


@dataclass(frozen=True, slots=True)
class EncodingChoice:
    """Which encoding counts for a model; ``note`` says so when it is a guess."""

    encoding: EncodingName
    note: str | None = None


def choose_encoding(model: str, encoding: str | None = None) -> EncodingChoice:
    """The encoding named in settings, else the one ``model`` uses, else ``FALLBACK`` with a note for the user."""
    if encoding:
        named = _named(encoding)
        if named:
            return EncodingChoice(named)
        return EncodingChoice(
            FALLBACK, f"encoding {encoding!r} is not one of {', '.join(_shipped())}; counting with {FALLBACK}"
        )
    bare = model.rsplit("/", 1)[-1].lower().removeprefix("ft:")
    if bare in _EMBEDDED_MODELS:
        return EncodingChoice("wordpiece")
    if _O200K_MODELS.match(bare):
        return EncodingChoice("o200k_base")
    if _CL100K_MODELS.match(bare):
        return EncodingChoice("cl100k_base")
    return EncodingChoice(
        FALLBACK, f"the tokenizer of {model!r} is not known; counting with {FALLBACK}, which is close"
    )


def counter_for(model: str, encoding: str | None = None) -> TokenCounter:
    """The counter for ``model``, shared by all who ask for the same encoding; nothing is read yet."""
    return _counter(choose_encoding(model, encoding).encoding)


@functools.cache
def _counter(encoding: EncodingName) -> TokenCounter:
    if encoding == "wordpiece":
        return WordPieceCounter()
    return TiktokenCounter(encoding)


class TiktokenCounter:
    """``TokenCounter`` over one of the shipped rank files. ``<|endoftext|>`` and the like count as plain text."""

    def __init__(self, encoding: RankFile) -> None:
        self._name: RankFile = encoding
        self._pairs = PairCounter(encoding)
        self._plain = PLAIN_LIMIT
        self._lines: dict[str, int] = {}
        self._kept = 0

    @property
    def name(self) -> str:
        """Name of the encoding."""
        return self._name

    def load(self) -> None:
        """Reads the ranks now instead of with the first count. Safe from any thread."""
        ranks(self._name)

    def count(self, text: str) -> int:
        """Number of tokens in ``text``. Exact but for runs of 50,000 blanks, which count in steps.

        Counted line by line, each line once: the rows of a context are counted when they are chosen, and cost
        nothing when the section, the prompt and the next question with the same rows are counted.
        """
        total = begin = 0
        for found in _LINE_END.finditer(text):
            total += self._line(text[begin : found.end()])
            begin = found.end()
        return total + self._line(text[begin:])

    def _line(self, line: str) -> int:
        size = self._lines.get(line)
        if size is None:
            size = self._encoded(line)
            self._kept += len(line)
            if self._kept > _KEPT_CHARACTERS:
                self._lines, self._kept = {}, len(line)
            self._lines[line] = size
        return size

    def _encoded(self, text: str) -> int:
        if self._plain > 0:
            self._plain -= len(text)
            size = self._pairs.count(text)
            if size is not None:
                return size
            self._plain = 0  # the encoding is made for this text, and then serves all others
        encoding = _encoding(self._name)
        return sum(len(encoding.encode_ordinary(part)) for part in _digestible(text))

    def truncate(self, text: str, limit: int) -> str:
        """The characters that the first ``limit`` tokens of ``text`` make up whole; never counts more than ``limit``."""
        if limit <= 0:
            return ""
        encoding = _encoding(self._name)
        # A token is at least one byte, so a short text fits unseen.
        if len(text) * 4 <= limit or self.count(text) <= limit:
            return text
        tokens = [token for part in _digestible(text) for token in encoding.encode_ordinary(part)]
        prefix = encoding.decode_bytes(tokens[:limit]).decode("utf-8", "ignore")
        prefix = text[: len(prefix)]
        # What is cut off can change how the rest is split, so the prefix may count more than it did inside.
        while prefix and (excess := self.count(prefix) - limit) > 0:
            prefix = prefix[:-excess]
        return prefix


def _digestible(text: str) -> list[str]:
    """``text``, cut inside runs of blanks too long for tiktoken."""
    if len(text) < _BLANK_STEP or _LONG_BLANK.search(text) is None:
        return [text]
    parts: list[str] = []
    at = 0
    for run in _LONG_BLANK.finditer(text):
        for end in range(run.start() + _BLANK_STEP, run.end(), _BLANK_STEP):
            parts.append(text[at:end])
            at = end
    return [*parts, text[at:]]


def _named(encoding: str) -> EncodingName | None:
    plain = encoding.strip().lower()
    if plain in _ALIASES:
        return _ALIASES[plain]
    return next((name for name in _shipped() if name == plain), None)


def _shipped() -> tuple[EncodingName, ...]:
    return ("cl100k_base", "o200k_base", "wordpiece")


_loading = threading.Lock()


def _encoding(name: RankFile) -> Encoding:
    """The encoding, read once even when several threads ask at once."""
    with _loading:
        return _read_encoding(name)


@functools.cache
def _read_encoding(name: RankFile) -> Encoding:
    from tiktoken import Encoding

    read = ranks(name)
    return Encoding(name, pat_str=read.pattern, mergeable_ranks=read.by_token, special_tokens={})
