"""The context of basic search: the text units nearest to the question, most similar first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_cli.context.bundle import ContextBundle
from graphrag_cli.context.packing import Draft, Layout, fit_bundle, pack_section

if TYPE_CHECKING:
    from graphrag_cli.index.snapshot import Rows, Snapshot
    from graphrag_cli.llm.base import TokenCounter

SOURCES = Layout("sources", ("id", "text"))


def build_basic_context(
    snapshot: Snapshot, text_unit_rows: Rows, similarities: Sequence[float], budget: int, tokens: TokenCounter
) -> ContextBundle:
    """The text units at ``text_unit_rows`` (most similar first) that fit ``budget`` tokens."""
    drafts = (
        Draft(unit.id, "", (unit.label, unit.text), 1, {"rank": rank, "similarity": round(similarity, 4)})
        for rank, (unit, similarity) in enumerate(
            zip(snapshot.text_units(text_unit_rows), similarities, strict=True), start=1
        )
    )
    section = pack_section(SOURCES, drafts, len(text_unit_rows), budget, tokens)
    return fit_bundle([section], budget, tokens)
