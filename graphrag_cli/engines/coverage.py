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


def unjoined(snapshot: Snapshot, level: Level) -> IndexDataError | None:
    """Why no report can be used though there are some: none is of a community with entities. None when all is well."""
    reports = snapshot.summary.counts.get("reports", 0)
    if not reports or len(snapshot.report_rows_at(level)) or len(snapshot.report_rows_at("deepest")):
        return None
    return IndexDataError(
        f"none of the {reports} reports in {snapshot.summary.path!r} is of a community that has entities",
        hint="the tables are of different runs, or the communities lost their members: graphrag-cli index check "
        "says more; basic search needs neither",
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
