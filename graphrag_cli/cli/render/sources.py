"""The numbered list of what the answer cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_cli.cli.terminal.console import Symbols
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.events import Citation, Dataset, Passage

_LABELS: dict[Dataset, str] = {
    "reports": "Reports",
    "entities": "Entities",
    "relationships": "Relationships",
    "claims": "Claims",
    "sources": "Sources",
}
_MOST_DOCUMENTS = 3
_MOST_PASSAGES = 3
_QUOTE = 240
"""Characters of a passage that are quoted."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of the list; ``bad`` when the citation does not resolve. ``quotes`` are for ``--sources full``."""

    number: int
    cited_as: str
    text: str
    bad: bool
    quotes: tuple[str, ...] = ()


def source_lines(citations: Sequence[Citation], symbols: Symbols, *, full: bool) -> list[SourceLine]:
    """The list, in the order of ``citations``."""
    return [
        SourceLine(
            number=number,
            cited_as=f"{_LABELS[citation.dataset]} ({plain_line(citation.id)})",
            text=_text(citation, symbols),
            bad=not (citation.exists and citation.in_context),
            quotes=_quotes(citation) if full else (),
        )
        for number, citation in enumerate(citations, start=1)
    ]


def bad_citations(citations: Sequence[Citation]) -> list[Citation]:
    """Those that name what is not in the index, or what the model was not shown."""
    return [citation for citation in citations if not (citation.exists and citation.in_context)]


def as_text(lines: Sequence[SourceLine]) -> str:
    """One line per source, quotes indented under it; for a pipe or a file."""
    width = max((len(line.cited_as) for line in lines), default=0)
    written: list[str] = []
    for line in lines:
        written.append(f"{line.number:>3}  {line.cited_as:<{width}}  {line.text}".rstrip())
        written.extend(f'       "{quote}"' for quote in line.quotes)
    return "".join(f"{line}\n" for line in written)


def as_markdown(lines: Sequence[SourceLine]) -> str:
    """A heading and a numbered Markdown list, quotes as block quotes under their item."""
    written = ["\n## Sources\n\n"]
    for line in lines:
        written.append(f"{line.number}. {line.cited_as} {line.text}".rstrip() + "\n")
        written.extend(f"   > {quote}\n" for quote in line.quotes)
    return "".join(written)


def _text(citation: Citation, symbols: Symbols) -> str:
    if not citation.exists:
        return "no such record in the index"
    titles = [plain_line(document.title or document.id) for document in citation.documents]
    more = len(titles) - _MOST_DOCUMENTS
    documents = ", ".join(titles[:_MOST_DOCUMENTS]) + (f" +{more}" if more > 0 else "")
    title = plain_line(citation.title)
    parts = [title] if documents == title else [title, documents]
    if not citation.in_context:
        parts.append("cited but not shown to the model")
    return f" {symbols.dash} ".join(part for part in parts if part)


def _quotes(citation: Citation) -> tuple[str, ...]:
    passages = citation.passages[:_MOST_PASSAGES]
    if not passages:
        return (_shorten(citation.excerpt),) if citation.excerpt else ()
    return tuple(_quote(passage) for passage in passages)


def _quote(passage: Passage) -> str:
    return _shorten(passage.excerpt)


def _shorten(text: str) -> str:
    line = plain_line(text)
    return line if len(line) <= _QUOTE else line[:_QUOTE].rsplit(" ", 1)[0] + " …"
