"""What a snapshot says, as plain values that two snapshots can be compared by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from graphrag_cli.config.settings import Settings, VectorStoreSettings
from graphrag_cli.events import Method
from graphrag_cli.index.open import open_folder
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.vectors.index_vectors import IndexVectors


def opened(folder: Path, method: Method | None = None) -> Snapshot:
    """The snapshot of ``folder``."""
    return open_folder(folder, method)


def settings_for(folder: Path, **store: Any) -> Settings:
    """Settings of a project whose tables are ``folder``."""
    return Settings.model_validate(
        {
            "root": folder.parent,
            "output_storage": {"base_dir": folder.name},
            "vector_store": VectorStoreSettings.model_validate(store),
        }
    )


def vectors_of(folder: Path, model: str | None = None, **store: Any) -> IndexVectors:
    """The vector tables of ``folder``."""
    return IndexVectors(settings_for(folder, **store), opened(folder), model)


def facts(snapshot: Snapshot) -> dict[str, Any]:
    """Everything the look-ups of a snapshot say that does not depend on ids or on the release."""
    counts = snapshot.summary.counts
    everyone = np.arange(counts["entities"])
    titles = [one.title for one in snapshot.entities(everyone)]
    reports = snapshot.reports(np.arange(counts.get("reports", 0)))
    report_titles: list[str] = [one.title for one in reports]
    return {
        "entities": [
            (one.title, one.type, one.description, one.number, one.degree)
            for one in snapshot.entities(everyone)
        ],
        "relationships": {
            (one.source, one.target, one.description, one.weight, one.combined_degree)
            for one in snapshot.relationships(np.arange(counts["relationships"]))
        },
        "adjacency": {
            title: snapshot.relationship_rows_of(np.array([row])).tolist() for row, title in enumerate(titles)
        },
        "units": {title: snapshot.text_unit_rows_of_entity(row).tolist() for row, title in enumerate(titles)},
        "texts": [one.text for one in snapshot.text_units(np.arange(counts["text_units"]))],
        "levels": snapshot.levels(),
        "homes": {level: snapshot.communities_of(everyone, level).tolist() for level in (0, 1, 2, "deepest")},
        "tree": {
            number: (snapshot.parent_of(number), snapshot.children_of(number).tolist())
            for number in sorted(one.community for one in reports)
        },
        "reports": {
            level: [report_titles[row] for row in snapshot.report_rows_at(level).tolist()]
            for level in (0, 1, "deepest")
        },
        "weights": snapshot.occurrence_weights(np.arange(len(reports))).tolist(),
        "claims": {
            title: [one.type for one in snapshot.claims(snapshot.claim_rows_of(np.array([row])))]
            for row, title in enumerate(titles)
        },
    }
