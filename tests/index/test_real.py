"""One story indexed by five releases: the real files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from graphrag_cli.config.settings import Settings, VectorName
from graphrag_cli.errors import VectorError
from graphrag_cli.index.checks.check import check
from graphrag_cli.index.open import open_snapshot
from graphrag_cli.index.tables.schema import VECTORS_SEARCHED
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from tests.index.test_doctored import walk

COUNTS = {
    "dulce-0.3": {
        "entities": 217,
        "relationships": 69,
        "communities": 6,
        "reports": 6,
        "claims": 89,
        "text_units": 12,
    },
    "dulce-0.5": {"entities": 89, "relationships": 373, "communities": 20, "reports": 20, "text_units": 50},
    "dulce-1.2": {"entities": 373, "relationships": 812, "communities": 72, "reports": 72, "documents": 2},
    "dulce-2.7": {
        "entities": 18,
        "relationships": 54,
        "communities": 2,
        "reports": 2,
        "claims": 17,
        "text_units": 5,
    },
    "dulce-3.1": {"entities": 39, "relationships": 107, "communities": 10, "reports": 10, "claims": 41},
}
WIDTHS = {"dulce-2.7": 1536, "dulce-3.1": 3072}
EACH = pytest.mark.parametrize("name", COUNTS)


def settings_of(indexes: Path, name: str) -> Settings:
    return Settings(root=indexes / name)


def checksum(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)}{path.stat().st_mtime_ns}{path.stat().st_size}".encode())
    return digest.hexdigest()


@EACH
def test_it_opens_for_every_method_and_answers_every_look_up(name: str, indexes: Path) -> None:
    before = checksum(indexes / name)
    for method in VECTORS_SEARCHED:
        snapshot = open_snapshot(settings_of(indexes, name), method)
        walk(snapshot)
        assert COUNTS[name].items() <= dict(snapshot.summary.counts).items()
    assert checksum(indexes / name) == before


@EACH
def test_its_tables_are_sound(name: str, indexes: Path) -> None:
    settings = settings_of(indexes, name)
    snapshot = open_snapshot(settings)
    report = check(snapshot, IndexVectors(settings, snapshot), len, 12_000, None)

    assert [
        one for one in report.findings if one.severity == "error" and not one.code.startswith("method")
    ] == []
    assert {one.reports for one in report.levels} != {0}


@EACH
def test_every_relationship_ends_where_its_titles_say(name: str, indexes: Path) -> None:
    snapshot = open_snapshot(settings_of(indexes, name))
    rows = np.arange(snapshot.summary.counts["relationships"])
    sources, targets = snapshot.endpoints(rows)
    titles = [one.title for one in snapshot.entities(np.arange(snapshot.summary.counts["entities"]))]
    for one, source, target in zip(
        snapshot.relationships(rows), sources.tolist(), targets.tolist(), strict=True
    ):
        assert source < 0 or titles[source] == one.source
        assert target < 0 or titles[target] == one.target


@EACH
def test_degrees_are_never_more_than_the_edges(name: str, indexes: Path) -> None:
    """From 2.x on the tables count two edges between the same two entities once."""
    snapshot = open_snapshot(settings_of(indexes, name))
    everyone = np.arange(snapshot.summary.counts["entities"])
    counted = snapshot.links.relationships_of().counts

    assert (snapshot.degrees(everyone) <= counted).all()
    assert (snapshot.degrees(everyone) == counted).mean() > 0.5


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("table", ["entity_description", "community_full_content", "text_unit_text"])
def test_each_stored_vector_finds_its_own_record(name: str, table: VectorName, indexes: Path) -> None:
    settings = settings_of(indexes, name)
    vectors = IndexVectors(settings, open_snapshot(settings)).open(table)
    owners = {
        "entity_description": "entities",
        "community_full_content": "reports",
        "text_unit_text": "text_units",
    }
    ids = open_snapshot(settings).tables.column(owners[table], "id").to_pylist()  # pyright: ignore[reportArgumentType]
    stored, found = vectors.vectors_of([str(key) for key in ids])

    assert vectors.width == WIDTHS[name]
    assert found.all()
    assert [hits.ids[0] for hits in vectors.search(stored, 1)] == ids


@pytest.mark.parametrize("name", ["dulce-0.3", "dulce-0.5"])
def test_vectors_of_entities_lie_in_the_old_tables(name: str, indexes: Path) -> None:
    settings = settings_of(indexes, name)
    vectors = IndexVectors(settings, open_snapshot(settings))

    assert vectors.open("entity_description").width == 1536
    with pytest.raises(VectorError, match="text_unit_text") as refused:
        vectors.open("text_unit_text")
    assert "index embed" in (refused.value.hint or "")
