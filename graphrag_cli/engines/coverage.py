"""How far the reports of an index stand for its entities: told before an answer is made of the reports alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.errors import IndexDataError

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Level
    from graphrag_cli.index.snapshot import Snapshot

MANY = 0.2
"""Share of the entities in no community from which on the user is told."""


def no_reports(snapshot: Snapshot, level: Level) -> IndexDataError | None:
    """Why none of the reports can be used at ``level``; None when some can, or when the index has none at all.

    Such an index is broken or asked at a level that it does not have; it cannot say that it holds no answer.
    """
    reports, path = snapshot.summary.counts.get("reports", 0), snapshot.summary.path
    if not reports or len(snapshot.report_rows_at(level)):
        return None
    if len(snapshot.report_rows_at("deepest")):
        levels = ", ".join(map(str, snapshot.levels()))
        return IndexDataError(
            f"there is no report of level {level} or above it in {path!r}",
            hint=f"its levels are {levels}: name one with --community-level",
        )
    return IndexDataError(
        f"none of the {reports} reports in {path!r} is of a community that has entities",
        hint="entities, communities and reports are of different runs or incomplete: graphrag-cli index check "
        "says more; basic search needs none of them",
    )


def homeless(snapshot: Snapshot) -> str | None:
    """A word on entities that no report speaks of, when they are many."""
    entities = snapshot.summary.counts.get("entities", 0)
    outside = int((snapshot.communities_of(np.arange(entities), "deepest") < 0).sum())
    if outside <= MANY * entities:
        return None
    return (
        f"{outside} of {entities} entities are in no community, so no report speaks of them; "
        "local and basic search find them."
    )
