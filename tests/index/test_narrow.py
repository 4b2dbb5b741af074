"""Narrowing by document, date and type of entity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphrag_cli.errors import IndexDataError, UsageError
from tests.kit.snapshots import opened
from tests.kit.tiny import long_uid, tables, write_tables


def units(tiny: Path, documents: list[str], since: str | None = None, until: str | None = None) -> list[int]:
    rows = opened(tiny).text_unit_rows_matching(documents, since, until)
    assert rows is not None
    return rows.tolist()


def test_nothing_named_narrows_nothing(tiny: Path) -> None:
    assert opened(tiny).text_unit_rows_matching([], None, None) is None
    assert opened(tiny).entity_rows_matching([], None) is None


@pytest.mark.parametrize("name", ["storm.txt", "STORM.TXT ", long_uid("document", 0)])
def test_a_document_is_named_by_title_or_id(name: str, tiny: Path) -> None:
    assert units(tiny, [name]) == [0, 1]


def test_several_documents_add_up(tiny: Path) -> None:
    assert units(tiny, ["storm.txt", "inquiry.txt"]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("since", "until", "rows"),
    [
        ("2024-03-05", None, [0, 1, 2]),
        ("2024-03-06", None, [2]),
        (None, "2024-03-05", [0, 1]),
        ("2024-03-05", "2024-03-05", [0, 1]),
        ("2025-01-01", None, []),
    ],
)
def test_dates_are_inclusive_days(since: str | None, until: str | None, rows: list[int], tiny: Path) -> None:
    assert units(tiny, [], since, until) == rows


def test_a_document_without_a_date_is_left_out_by_dates(tmp_path: Path) -> None:
    data = tables()
    data["documents"][0]["creation_date"] = None
    write_tables(tmp_path / "index", data)

    assert units(tmp_path / "index", [], "2000-01-01") == [2]


def test_an_unknown_document_is_an_error_with_the_nearest_titles(tiny: Path) -> None:
    with pytest.raises(IndexDataError) as refused:
        units(tiny, ["strom.txt"])
    assert "'storm.txt'" in (refused.value.hint or "")


def test_what_is_no_date_is_a_usage_error(tiny: Path) -> None:
    with pytest.raises(UsageError, match="yesterday"):
        units(tiny, [], "yesterday")


def test_an_index_without_documents_cannot_be_narrowed_by_them(tiny: Path) -> None:
    (tiny / "documents.parquet").unlink()
    with pytest.raises(IndexDataError, match="no documents table"):
        units(tiny, ["storm.txt"])


def test_entities_are_narrowed_by_type_and_by_where_they_occur(tiny: Path) -> None:
    snapshot = opened(tiny)

    def rows(types: list[str], within: list[int] | None) -> list[int]:
        found = snapshot.entity_rows_matching(types, None if within is None else np.array(within, np.int64))
        assert found is not None
        return found.tolist()

    assert rows(["person"], None) == [0, 3]
    assert rows(["PERSON", "Ship"], None) == [0, 2, 3]
    assert rows([], [2]) == [2, 3, 4]
    assert rows(["PERSON"], [1]) == [0]
    assert rows([], []) == []


def test_an_unknown_type_names_those_there_are(tiny: Path) -> None:
    with pytest.raises(IndexDataError) as refused:
        opened(tiny).entity_rows_matching(["PERSONA"], None)
    assert "PERSON" in (refused.value.hint or "")


def test_relationships_stand_where_they_were_found(tiny: Path) -> None:
    snapshot = opened(tiny)
    assert snapshot.within("relationships", np.arange(7), np.array([2])).nonzero()[0].tolist() == [2, 4]
    assert not snapshot.within("relationships", np.arange(7), np.array([], np.int64)).any()


def test_claims_stand_where_they_are_made(tiny: Path) -> None:
    snapshot = opened(tiny)
    rows = np.arange(2)
    made_in = snapshot.text_unit_rows_by_id([claim.text_unit_id or "" for claim in snapshot.claims(rows)])
    for unit in range(3):
        assert snapshot.within("claims", rows, np.array([unit])).tolist() == (made_in == unit).tolist()


@pytest.mark.parametrize(
    ("units", "kept"), [([0, 1, 2], [True, True, True]), ([0, 2], [False, False, True]), ([0], [False] * 3)]
)
def test_a_report_stands_where_all_of_its_community_was_found(
    units: list[int], kept: list[bool], tiny: Path
) -> None:
    snapshot = opened(tiny)
    rows = snapshot.report_rows_by_community([0, 1, 2])
    assert snapshot.within("reports", rows, np.array(units)).tolist() == kept
