"""From the text of a record, which may be Markdown, to its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from graphrag_cli.llm.extractive.words import word_set

MAX_SENTENCE_CHARACTERS: Final = 420
"""A longer "sentence" is a list or text without stops; it is cut, so that an answer stays readable."""

_ABBREVIATIONS: Final = word_set(
    """
    adm approx apr aug bros ca capt cdr cf ch cmdr co col comdr cpl dec dept dr ed eds eng esp est
    et etc feb fig figs fl ft gen gov hon inc jan jr jul jun lb lbs lieut lt ltd maj mar messrs mme
    mr mrs ms mt nat naut no nos nov oct op pp prof pt pvt ref rev sen sep sept sgt sr st viz vol
    vols vs
    """
)
_STOPS = re.compile(r"(?:[.!?…]+[\"'”’»)\]]*(?=\s|$))|[。！？｡]+[」』”）]*|[؟।]+(?=\s|$)")
_DOTTED = re.compile(r"(?:^|[\s(\[“\"])((?:[^\W\d_]\.)+|[^\W\d_]+\.)$")
_BEARING = re.compile(r"[°′″'\"\d]\s*[NSEWnsew]\.$")
_NEXT_LOWER = re.compile(r"\s*[a-zà-öø-ÿа-я,;]")

_CITATION = re.compile(r"\s*\[(?:Data|Records?)\s*:[^\]]*\]", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_EMPHASIS = re.compile(r"(\*\*|__|`|~~)(?=\S)(.+?)(?<=\S)\1")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+•‣]|\d{1,3}[.)])\s+")
_RULE = re.compile(r"^[\s|:=_*+-]+$")
_SPACE = re.compile(r"\s+")
_SOFT_BREAK = re.compile(r"[;:,]\s")

_PRONOUN = re.compile(
    r"(?:he|she|it|they|him|his|her|hers|its|their|theirs|this|that|these|those|both|such|there|then|here|"
    r"the (?:two|three|former|latter|same|others?)|the (?:first|last|next)(?: (?:two|three|four|five|six|seven|eight|nine|ten))? (?:was|were)|er|sie|es|il|elle|ils|elles)\b(?!-)",
    re.IGNORECASE,
)
_ONE_OF_MANY = re.compile(
    r"the (?:party|men|man|ship|group|team|pair|crew|three men|two men|five men|six men|four men|others|quarrel|choice|fear|retreat|march|news|"
    r"result|decision|attempt|plan|story|change|loss|claim)\b(?! (?:of|that|which|who|to|from|between|at|in|on)\b)",
    re.IGNORECASE,
)
"""Words with an article that the sentence before has told which one is meant."""
_LEANING = re.compile(
    r"(?:[A-ZÀ-ÖØ-Þ][\w’'-]* )+[a-z]+ (?:(?:one|two|most|some|all|none|both) of )?(?:her|him|it|them)"
    r"(?=[.,;]|$| (?:and|at|by|for|from|home|in|into|off|on|out|over|to|up|with)\b)"
)
"""A name, a verb and a pronoun that is not the name's own: "Nilsen commanded her"."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a record, without markup; ``heading`` is the heading it stands under, ``before`` the sentence before it."""

    text: str
    heading: str = ""
    before: str = ""


def sentences_of(text: str) -> list[Sentence]:
    """The sentences of ``text``, which may be Markdown; headings are no sentences of their own."""
    found: list[Sentence] = []
    heading, before = "", ""
    for kind, block in _blocks(text):
        if kind == "heading":
            heading, before = block, ""
            continue
        for sentence in split_sentences(block):
            found.append(Sentence(sentence, heading, before))
            before = sentence
    return found


def split_sentences(text: str) -> list[str]:
    """``text`` cut after each sentence; abbreviations, initials, decimals and bearings do not end one."""
    sentences: list[str] = []
    start = 0
    for stop in _STOPS.finditer(text):
        if _ends_sentence(text, start, stop):
            sentences.append(text[start : stop.end()])
            start = stop.end()
    sentences.append(text[start:])
    return [
        part for sentence in sentences for part in _short_parts(_SPACE.sub(" ", sentence).strip()) if part
    ]


def plain(text: str) -> str:
    """``text`` without Markdown emphasis, links, tags and the citations of a report."""
    text = _CITATION.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub(" ", text)
    return _EMPHASIS.sub(r"\2", text)


def opens_with_pronoun(sentence: str) -> bool:
    """True when the sentence speaks of something that only the sentence before it names."""
    start = sentence.lstrip("\"'“”‘’( ")
    return any(opening.match(start) for opening in (_PRONOUN, _ONE_OF_MANY, _LEANING))


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Headings and paragraphs; a bullet and a table row are paragraphs of their own."""
    paragraph: list[str] = []

    def finished() -> Iterator[tuple[str, str]]:
        if paragraph:
            yield "text", plain(" ".join(paragraph))
            paragraph.clear()

    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            yield from finished()
            yield "heading", plain(heading.group(1)).strip()
        elif not line.strip() or _RULE.match(line):
            yield from finished()
        elif line.lstrip().startswith("|"):
            yield from finished()
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            yield "text", plain(", ".join(cell for cell in cells if cell))
        else:
            bullet = _BULLET.match(line)
            if bullet:
                yield from finished()
            paragraph.append(line[bullet.end() :] if bullet else line.strip().removeprefix("> "))
    yield from finished()


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    if not stop.group().startswith("."):
        return not (stop.group().startswith("…") and _NEXT_LOWER.match(text, stop.end()))
    if _NEXT_LOWER.match(text, stop.end()):
        return False
    before = text[max(start, stop.start() - 24) : stop.start() + 1]
    if _BEARING.search(before):
        return True
    dotted = _DOTTED.search(before)
    if dotted is None:
        return True
    word = dotted.group(1)[:-1].lower()
    return len(word) > 1 and "." not in word and word not in _ABBREVIATIONS


def _short_parts(sentence: str) -> Iterator[str]:
    """``sentence``, cut at commas or blanks where it is far too long."""
    while len(sentence) > MAX_SENTENCE_CHARACTERS:
        window = sentence[:MAX_SENTENCE_CHARACTERS]
        breaks = [match.end() for match in _SOFT_BREAK.finditer(window, MAX_SENTENCE_CHARACTERS // 2)]
        at = breaks[-1] if breaks else window.rfind(" ", MAX_SENTENCE_CHARACTERS // 2) + 1
        at = at or MAX_SENTENCE_CHARACTERS
        yield sentence[:at].strip()
        sentence = sentence[at:].strip()
    yield sentence
