"""Rows of an index as frozen values. Made only for the few rows a question touches, never for a table.

``label`` is what a context row prints as its id and what citations name: the number in the table, or, where
several indexes are asked at once, ``index:number``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the graph. ``number`` is its ``human_readable_id``, the id that citations use."""

    row: int
    id: str
    number: int
    title: str
    type: str
    description: str
    degree: int
    cited_as: str = ""
    """The label, where it is not the number itself."""

    @property
    def label(self) -> int | str:
        """Its id in contexts and citations."""
        return self.cited_as or self.number


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge. ``source`` and ``target`` are entity titles."""

    row: int
    id: str
    number: int
    source: str
    target: str
    description: str
    weight: float
    combined_degree: int
    cited_as: str = ""
    """The label, where it is not the number itself."""

    @property
    def label(self) -> int | str:
        """Its id in contexts and citations."""
        return self.cited_as or self.number


@dataclass(frozen=True, slots=True)
class Report:
    """A community report. ``community`` is the number that citations use."""

    row: int
    id: str
    community: int
    level: int
    title: str
    summary: str
    content: str
    rank: float
    cited_as: str = ""
    """The label, where it is not the number itself."""

    @property
    def label(self) -> int | str:
        """Its id in contexts and citations."""
        return self.cited_as or self.community


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A chunk of a document. ``number`` is its citation id: see ``index-formats`` on ``Sources``."""

    row: int
    id: str
    number: int
    text: str
    document_id: str | None
    cited_as: str = ""
    """The label, where it is not the number itself."""

    @property
    def label(self) -> int | str:
        """Its id in contexts and citations."""
        return self.cited_as or self.number


@dataclass(frozen=True, slots=True)
class Claim:
    """A covariate: something a text unit claims of a subject."""

    row: int
    id: str
    number: int
    subject: str
    object: str
    type: str
    status: str
    description: str
    start_date: str
    end_date: str
    source_text: str
    text_unit_id: str | None
    cited_as: str = ""
    """The label, where it is not the number itself."""

    @property
    def label(self) -> int | str:
        """Its id in contexts and citations."""
        return self.cited_as or self.number


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the input."""

    row: int
    id: str
    number: int
    title: str
    creation_date: str
