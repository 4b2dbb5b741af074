"""Which documents, text units and entities a filter leaves. Pure functions over columns."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from graphrag_cli.errors import IndexDataError, UsageError
from graphrag_cli.index import graph
from graphrag_cli.index.arrow import Chunked, pa, pc
from graphrag_cli.index.graph import Csr, Rows
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.adapt import Tables


@dataclass(frozen=True, slots=True)
class Dates:
    """A span of ISO dates, both ends included; None is open."""

    since: str | None
    until: str | None

    @property
    def active(self) -> bool:
        """Whether it narrows anything."""
        return self.since is not None or self.until is not None

    def checked(self) -> Dates:
        """The same with each end a whole date. Raises ``UsageError`` when one is no ISO date."""
        return Dates(_date(self.since), _date(self.until))


def _date(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value.strip()[:10]).isoformat()
    except ValueError as error:
        raise UsageError(f"{value!r} is no date", hint="write dates as YYYY-MM-DD") from error


def documents_matching(tables: Tables, names: Sequence[str], dates: Dates) -> Rows:
    """Rows of the documents named by title or id (all when none is) that were created within ``dates``."""
    if not tables.has("documents"):
        raise IndexDataError(
            "documents and dates cannot be filtered by: the index has no documents table",
            hint="ask without --document, --since and --until",
        )
    kept = np.ones(tables.rows("documents"), np.bool_)
    if names:
        kept &= np.isin(np.arange(len(kept)), _named(tables, names))
    if dates.active:
        kept &= _within(tables.column("documents", "creation_date"), dates.checked())
    return np.flatnonzero(kept)


def _named(tables: Tables, names: Sequence[str]) -> Rows:
    titles, ids = tables.column("documents", "title"), tables.column("documents", "id")
    folded = graph.folded(titles)
    rows: list[Rows] = []
    for name in names:
        by_id = graph.find([name], ids)
        same = pc.equal(folded, name.strip().upper()).to_numpy()
        found = np.flatnonzero(same) if same.any() else by_id[by_id >= 0]
        if not len(found):
            raise _no_document(name, titles)
        rows.append(found)
    return np.concatenate(rows)


def _no_document(name: str, titles: Chunked) -> IndexDataError:
    known = convert.strings(titles.slice(0, 20_000).combine_chunks())
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known[:3]
    return IndexDataError(
        f"no document has the title or id {name!r}",
        hint=f"documents there are, for example: {', '.join(repr(title) for title in near)}",
    )


def _within(column: Chunked, dates: Dates) -> NDArray[np.bool_]:
    """Dates compare as text once they are cut to ``YYYY-MM-DD``; a document without a date is left out."""
    days = pc.utf8_slice_codeunits(column, 0, 10)
    kept = pc.match_substring_regex(days, r"^\d{4}-\d{2}-\d{2}$")
    if dates.since is not None:
        kept = pc.and_(kept, pc.greater_equal(days, dates.since))
    if dates.until is not None:
        kept = pc.and_(kept, pc.less_equal(days, dates.until))
    return kept.to_numpy()


def of_types(column: Chunked, types: Sequence[str]) -> NDArray[np.bool_]:
    """Rows whose type is one of ``types``, ignoring case. Raises ``IndexDataError`` for a type that no entity has."""
    folded = graph.folded(column)
    wanted = [name.strip().upper() for name in types]
    known: list[str] = sorted(convert.strings(pc.unique(folded)))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        named = [name for name in known if name]
        near = difflib.get_close_matches(unknown[0], named, n=3)
        shown = near or named[:12]
        raise IndexDataError(
            f"no entity is of type {unknown[0]!r}",
            hint=f"types there are{', for example' if len(shown) < len(named) else ''}: {', '.join(shown)}",
        )
    return pc.is_in(folded, value_set=pa.array(wanted)).to_numpy()


def linked_to(links: Csr, targets: Rows) -> NDArray[np.bool_]:
    """Rows that link to at least one of ``targets``."""
    inside = np.zeros(int(links.targets.max(initial=-1)) + 1, np.bool_)
    inside[targets[targets < len(inside)]] = True
    hits = np.append(0, np.cumsum(inside[links.targets]))
    return hits[links.offsets[1:]] > hits[links.offsets[:-1]]
