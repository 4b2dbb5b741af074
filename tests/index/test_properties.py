"""Look-ups on random small tables, compared with plain Python over the same rows."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag_cli.index.open import open_folder
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables.adapt import Tables as Canonical
from graphrag_cli.index.tables.schema import SCHEMA
from tests.kit.tiny import Rows, Tables, long_uid, tables, uid, write_tables
from tests.kit.versions import VERSIONS, Version, as_version

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def random_tables(draw: st.DrawFn) -> Tables:
    """A valid index of a few rows: titles and ids distinct, each community inside its parent."""
    entities, units = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    titles = draw(
        st.lists(
            st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1, max_size=8)
            .map(str.strip)
            .filter(lambda title: title not in {"", "nan"}),
            min_size=entities,
            max_size=entities,
            unique_by=str.upper,
        )
    )
    some_units = st.lists(st.integers(0, units - 1), unique=True, min_size=1)
    good = tables()
    made: Tables = {"entities": [], "relationships": [], "communities": [], "community_reports": []}
    for row, title in enumerate(titles):
        made["entities"].append(
            good["entities"][0]
            | {
                "id": uid("entity", row),
                "human_readable_id": row,
                "title": title,
                "description": draw(st.text(st.characters(codec="utf-8"), max_size=12)),
                "text_unit_ids": [long_uid("unit", unit) for unit in draw(some_units)],
            }
        )
    ends = st.tuples(st.integers(0, entities - 1), st.integers(0, entities - 1))
    for row, (source, target) in enumerate(draw(st.lists(ends, min_size=1, max_size=10))):
        made["relationships"].append(
            good["relationships"][0]
            | {
                "id": uid("relationship", row),
                "human_readable_id": row,
                "source": titles[source],
                "target": titles[target],
                "text_unit_ids": [long_uid("unit", unit) for unit in draw(some_units)],
            }
        )
    _grow_communities(draw, made, entities)
    made["text_units"] = [
        good["text_units"][0]
        | {"id": long_uid("unit", row), "human_readable_id": row, "document_id": long_uid("document", 0)}
        for row in range(units)
    ]
    made["documents"] = good["documents"]
    made["covariates"] = [good["covariates"][0] | {"subject_id": draw(st.sampled_from([*titles, "NO ONE"]))}]
    _count_degrees(made)
    return made


def _grow_communities(draw: st.DrawFn, made: Tables, entities: int) -> None:
    """Splits the entities, then the parts, down to three levels; some entities stay outside."""
    pending = [(-1, 0, draw(st.lists(st.integers(0, entities - 1), unique=True)))]
    while pending:
        parent, level, members = pending.pop(0)
        cuts = draw(st.integers(1, 3))
        parts = [part for part in (members[start::cuts] for start in range(cuts)) if part]
        for part in parts:
            number = len(made["communities"])
            made["communities"].append(_community(number, level, parent, part))
            if draw(st.booleans()):
                made["community_reports"].append(_report(number, level, parent))
            if level < 2 and draw(st.booleans()):
                keep = draw(st.integers(0, len(part)))
                pending.append((number, level + 1, part[:keep]))
    for rows in (made["communities"], made["community_reports"]):
        for row in rows:
            row["children"] = [
                one["community"] for one in made["communities"] if one["parent"] == row["community"]
            ]


def _community(number: int, level: int, parent: int, members: list[int]) -> dict[str, Any]:
    return tables()["communities"][0] | {
        "id": uid("community", number),
        "human_readable_id": number,
        "community": number,
        "level": level,
        "parent": parent,
        "entity_ids": [uid("entity", row) for row in members],
        "size": len(members),
    }


def _report(number: int, level: int, parent: int) -> dict[str, Any]:
    return tables()["community_reports"][0] | {
        "id": uid("report", number).replace("-", ""),
        "human_readable_id": number,
        "community": number,
        "level": level,
        "parent": parent,
    }


def _count_degrees(made: Tables) -> None:
    counts: dict[str, int] = defaultdict(int)
    for row in made["relationships"]:
        for end in {row["source"], row["target"]}:
            counts[end] += 1
    for row in made["entities"]:
        row["degree"] = counts[row["title"]]
    for row in made["relationships"]:
        row["combined_degree"] = counts[row["source"]] + counts[row["target"]]


def snapshot_of(data: Tables, folder: str) -> Snapshot:
    write_tables(Path(folder), data)
    return open_folder(Path(folder))


def unit_rows(row: dict[str, Any], data: Tables) -> list[int]:
    places = {one["id"]: place for place, one in enumerate(data["text_units"])}
    return sorted(places[key] for key in row["text_unit_ids"])


@QUICK
@given(random_tables())
def test_the_graph_is_what_the_rows_say(data: Tables) -> None:
    with tempfile.TemporaryDirectory() as folder:
        snapshot = snapshot_of(data, folder)
        for row, entity in enumerate(data["entities"]):
            touching = [
                place
                for place, edge in enumerate(data["relationships"])
                if entity["title"] in {edge["source"], edge["target"]}
            ]
            assert snapshot.relationship_rows_of(np.array([row])).tolist() == touching
            units = snapshot.text_unit_rows_of_entity(row)
            assert units.tolist() == unit_rows(entity, data)
            assert snapshot.relationship_counts(row, units).tolist() == [
                sum(unit in unit_rows(data["relationships"][place], data) for place in touching)
                for unit in units.tolist()
            ]
            assert snapshot.degrees(np.array([row])).tolist() == [len(touching)]


@QUICK
@given(random_tables(), st.sampled_from([0, 1, 2, "deepest"]))
def test_a_level_uses_each_entitys_deepest_community(data: Tables, level: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        snapshot = snapshot_of(data, folder)
        homes = [
            max(
                (
                    (one["level"], -one["community"], one["community"])
                    for one in data["communities"]
                    if entity["id"] in one["entity_ids"] and (level == "deepest" or one["level"] <= level)
                ),
                default=(0, 0, -1),
            )[2]
            for entity in data["entities"]
        ]
        assert snapshot.communities_of(np.arange(len(homes)), level).tolist() == homes
        used = {home for home in homes if home >= 0}
        reported = [row["community"] for row in data["community_reports"]]
        rows = snapshot.report_rows_at(level)
        assert rows.tolist() == [place for place, number in enumerate(reported) if number in used]
        assert snapshot.communities_without_report(level) == len(used - set(reported))


@QUICK
@given(random_tables())
def test_weights_count_distinct_text_units_of_a_communitys_entities(data: Tables) -> None:
    with tempfile.TemporaryDirectory() as folder:
        snapshot = snapshot_of(data, folder)
        entities = {one["id"]: one for one in data["entities"]}
        communities = {one["community"]: one for one in data["communities"]}
        counts = [
            len(
                {
                    unit
                    for key in communities[report["community"]]["entity_ids"]
                    for unit in entities[key]["text_unit_ids"]
                }
            )
            for report in data["community_reports"]
        ]
        weights = snapshot.occurrence_weights(np.arange(len(counts)))
        assert weights.tolist() == pytest.approx([count / max(counts) for count in counts])


@QUICK
@given(random_tables())
def test_keys_find_their_rows(data: Tables) -> None:
    with tempfile.TemporaryDirectory() as folder:
        snapshot = snapshot_of(data, folder)
        ids = [row["id"] for row in data["entities"]]
        titles = [row["title"] for row in data["entities"]]
        everyone = list(range(len(ids)))
        assert snapshot.entity_rows_by_id([*ids, "nothing"]).tolist() == [*everyone, -1]
        assert snapshot.entity_rows_by_id([key.replace("-", "") for key in ids]).tolist() == everyone
        assert snapshot.entity_rows_by_title([*titles, "no such title"]).tolist() == [*everyone, -1]
        assert snapshot.rows_by_label(
            "entities", [str(number) for number in (*everyone[::-1], 99)]
        ).tolist() == [*everyone[::-1], -1]
        assert snapshot.entity_ids(np.array(everyone[::-1])) == ids[::-1]
        numbers = [row["community"] for row in data["community_reports"]]
        assert snapshot.report_rows_by_community([*numbers, -1, 99]).tolist() == [
            *range(len(numbers)),
            -1,
            -1,
        ]


def canonical(tables_read: Canonical, table: Any) -> dict[str, Any]:
    return {name: tables_read.column(table, name).to_pylist() for name in SCHEMA[table]}


FORGOTTEN: dict[str, set[str]] = {
    "communities": {"children", "title", "size"},
    "documents": {"creation_date", "number"},
}
"""Canonical columns that some older release cannot hold."""


@QUICK
@given(random_tables(), st.sampled_from(VERSIONS))
def test_random_tables_round_trip_through_each_release(data: Tables, version: Version) -> None:
    with tempfile.TemporaryDirectory() as folder:
        newest = snapshot_of(data, f"{folder}/newest").tables
        older = snapshot_of(as_version(data, version), f"{folder}/older").tables
        for table in ("entities", "relationships", "reports", "text_units", "claims", "documents"):
            kept = SCHEMA[table].keys() - FORGOTTEN.get(table, set())
            one, other = canonical(newest, table), canonical(older, table)
            assert {name: one[name] for name in kept} == {name: other[name] for name in kept}
        assert community_rows(newest) == community_rows(older)


def community_rows(tables_read: Canonical) -> Rows:
    """Communities that have members, by number: a nodes table knows no others."""
    columns = canonical(tables_read, "communities")
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return sorted(
        (
            {
                "community": row["community"],
                "level": row["level"],
                "parent": row["parent"],
                "entity_ids": sorted(row["entity_ids"]),
            }
            for row in rows
            if row["entity_ids"]
        ),
        key=lambda row: row["community"],
    )
