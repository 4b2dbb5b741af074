"""The WordPiece tokenizer of the embedded models, and a token counter over it.

The counter serves runs whose models are all embedded: it is ready in milliseconds, where a rank file of tiktoken
takes a few tenths of a second to read.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from graphrag_cli.resources import vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WORD = re.compile(r"\S+")
_CACHE_LIMIT = 200_000
"""Distinct words whose counts are kept; some 20 MB."""


def wellformed(text: str) -> str:
    """``text`` with lone surrogates replaced: half a character cannot be encoded."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


@functools.cache
def load_tokenizer() -> Tokenizer:
    """BERT's uncased tokenizer. ``[CLS]`` and the like in a text are plain characters to it, and no marks are added."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words = vocabulary("vocab.txt").read_text(encoding="utf-8").splitlines()
    vocab = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


class WordPieceCounter:
    """``TokenCounter`` that counts word by word and remembers every word it has seen."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    @property
    def name(self) -> str:
        """``wordpiece``."""
        return "wordpiece"

    def count(self, text: str) -> int:
        """Number of pieces in ``text``."""
        words = text.split()
        try:
            return sum(map(self._counts.__getitem__, words))
        except KeyError:
            return sum(map(self._learned(words).__getitem__, words))

    def truncate(self, text: str, limit: int) -> str:
        """The longest prefix of at most ``limit`` pieces."""
        if self.count(text) <= limit:
            return text
        used = 0
        for match in _WORD.finditer(text):
            size = self.count(match.group())
            if used + size > limit:
                return text[: match.start() + _prefix_end(match.group(), limit - used)]
            used += size
        return text

    def _learned(self, words: list[str]) -> dict[str, int]:
        """Counts of at least ``words``."""
        known = self._counts if len(self._counts) < _CACHE_LIMIT else {}
        missing = sorted({word for word in words if word not in known})
        encoded = load_tokenizer().encode_batch_fast(
            [wellformed(word) for word in missing], add_special_tokens=False
        )
        known.update(zip(missing, (len(encoding.ids) for encoding in encoded), strict=True))
        self._counts = known
        return known


def _prefix_end(word: str, limit: int) -> int:
    """Length of the longest prefix of ``word``, of more than ``limit`` pieces, that has at most ``limit``."""
    encoding = load_tokenizer().encode(wellformed(word), add_special_tokens=False)
    return encoding.offsets[limit][0]
