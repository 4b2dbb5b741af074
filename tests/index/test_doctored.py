"""Damaged indexes: served as far as their data go, refused with the right words where not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphrag_cli.errors import IndexDataError, VectorError
from graphrag_cli.events import METHODS
from graphrag_cli.index.open import open_folder
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables.schema import VECTORS_SEARCHED
from tests.kit.doctored import DOCTORED, Doctored
from tests.kit.snapshots import vectors_of
from tests.kit.tiny import vector

CASES = pytest.mark.parametrize("case", DOCTORED, ids=lambda case: case.name)


def walk(snapshot: Snapshot) -> None:
    """Asks for everything that engines ask for."""
    counts = snapshot.summary.counts
    everyone = np.arange(counts.get("entities", 0))
    snapshot.entities(everyone)
    edges = snapshot.relationship_rows_of(everyone)
    snapshot.relationships(edges)
    snapshot.endpoints(edges)
    snapshot.claims(snapshot.claim_rows_of(everyone))
    for row in everyone[:10].tolist():
        units = snapshot.text_unit_rows_of_entity(row)
        assert len(snapshot.relationship_counts(row, units)) == len(units)
    for row in range(len(edges[:10])):
        snapshot.text_unit_rows_of_relationship(row)
    units = np.arange(counts.get("text_units", 0))
    snapshot.text_units(units)
    documents = snapshot.document_rows_of(units)
    snapshot.documents(documents[documents >= 0])
    for level in (0, 2, "deepest"):
        rows = snapshot.report_rows_at(level)
        snapshot.reports(rows)
        weights = snapshot.occurrence_weights(rows)
        assert ((weights >= 0) & (weights <= 1)).all()
        snapshot.communities_without_report(level)
        snapshot.communities_of(everyone, level)
    for number in snapshot.root_communities().tolist():
        snapshot.children_of(number)
        snapshot.entity_rows_of_community(number)
        snapshot.text_unit_rows_of_community(number)


@CASES
def test_tables_are_served_or_refused_up_front(case: Doctored, tmp_path: Path) -> None:
    case.build(tmp_path / "output")
    for method in METHODS:
        if method in case.tables_serve:
            walk(open_folder(tmp_path / "output", method))
            continue
        with pytest.raises(IndexDataError) as refused:
            open_folder(tmp_path / "output", method)
        assert str(tmp_path / "output") in refused.value.message
        assert refused.value.hint


@CASES
def test_vectors_are_found_or_refused_before_a_model_is_called(case: Doctored, tmp_path: Path) -> None:
    case.build(tmp_path / "output")
    for method in case.tables_serve:
        names = VECTORS_SEARCHED[method]
        if method in case.vectors_serve:
            for name in names:
                table = vectors_of(tmp_path / "output").open(name)
                hits = table.search(vector("anything")[None], 3)[0]
                assert hits.ids
        elif "width" not in case.name:
            with pytest.raises(VectorError) as refused:
                for name in names:
                    vectors_of(tmp_path / "output").open(name).search(vector("anything")[None], 3)
            assert refused.value.hint
