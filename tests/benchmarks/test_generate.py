"""Synthetic indexes are indexes: whole, connected, and the same each time."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.generate import make
from benchmarks.spec import Hub, Spec, sized
from benchmarks.tables import HUB_TITLE
from benchmarks.vectors import embedding
from graphrag_cli.index.checks.check import check
from graphrag_cli.index.snapshot import Snapshot
from tests.kit.snapshots import opened, vectors_of

SMALL = replace(sized(400, width=16), relationships=1200)


def made(spec: Spec, folder: Path) -> Path:
    make(spec, folder)
    return folder / "output"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(SMALL, tmp_path_factory.mktemp("small"))


def test_it_has_the_sizes_asked_for(small: Path) -> None:
    counts = opened(small).summary.counts
    assert (counts["entities"], counts["relationships"]) == (400, 1200)
    assert (counts["text_units"], counts["claims"]) == (80, 20)
    assert opened(small).summary.version == "3.x"


def test_every_method_can_be_asked_of_it_and_nothing_is_dangling(small: Path) -> None:
    snapshot = opened(small)
    vectors = vectors_of(small)
    found = check(snapshot, vectors, lambda text: len(text.split()), 12_000, 16)
    assert [finding.code for finding in found.findings if finding.severity == "error"] == []
    rows = np.arange(400)
    assert (snapshot.communities_of(rows, 2) >= 0).all()
    assert all(len(snapshot.text_unit_rows_of_entity(row)) for row in range(400))
    source, target = snapshot.endpoints(np.arange(1200))
    assert (source >= 0).all()
    assert (target >= 0).all()
    assert (source != target).all()


def sums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.parquet")}


def test_the_same_spec_makes_the_same_tables(small: Path, tmp_path: Path) -> None:
    assert sums(made(SMALL, tmp_path)) == sums(small)
    other = made(replace(SMALL, seed=8), tmp_path / "other")
    assert sums(other)["relationships.parquet"] != sums(small)["relationships.parquet"]


def hub_of(snapshot: Snapshot) -> int:
    return int(snapshot.entity_rows_by_title([HUB_TITLE])[0])


def test_a_hub_has_what_it_is_given_and_is_what_questions_about_it_find(tmp_path: Path) -> None:
    folder = made(replace(SMALL, hub=Hub(relationships=300, text_units=60)), tmp_path)
    snapshot = opened(folder)
    hub = hub_of(snapshot)
    assert len(snapshot.relationship_rows_of(np.array([hub]))) >= 300
    assert len(snapshot.text_unit_rows_of_entity(hub)) >= 60
    question = embedding("What does the hub do?", 16)[None, :]
    hits = vectors_of(folder).open("entity_description").search(question, 1)[0]
    assert hits.ids == tuple(snapshot.entity_ids(np.array([hub])))
