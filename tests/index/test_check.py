"""What ``index check`` says of whole and damaged indexes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_cli.index.checks.check import IndexReport, check
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from tests.kit.doctored import DOCTORED, Doctored
from tests.kit.snapshots import opened, settings_for
from tests.kit.tiny import WIDTH, Tables, tables, uid, write_index


def words(text: str) -> int:
    return len(text.split())


def checked(folder: Path, width: int | None = WIDTH) -> IndexReport:
    snapshot = opened(folder)
    return check(snapshot, IndexVectors(settings_for(folder), snapshot), words, 20, width)


def codes(report: IndexReport) -> set[str]:
    return {finding.code for finding in report.findings}


def test_a_sound_index_has_no_warning(tiny: Path) -> None:
    report = checked(tiny)

    assert report.sound
    assert {finding.severity for finding in report.findings} == {"info"}
    assert codes(report) == {"entities.homeless", "entities.isolated"}
    assert all(method.servable for method in report.methods)
    assert {table.file for table in report.tables} >= {"entities.parquet", "text_units.parquet"}


def test_levels_tell_reports_tokens_and_calls(tiny: Path) -> None:
    report = checked(tiny)

    contents = [row["full_content"] for row in tables()["community_reports"]]
    top, deep = words(contents[0]), words(contents[1]) + words(contents[2])
    assert [(one.level, one.reports, one.tokens) for one in report.levels] == [(0, 1, top), (1, 2, deep)]
    assert [one.calls for one in report.levels] == [2, 1 + -(-deep // 20)]


def test_vector_tables_tell_width_rows_and_coverage(tiny: Path) -> None:
    entity = next(one for one in checked(tiny).vectors if one.name == "entity_description")

    assert (entity.rows, entity.width, entity.overlap, entity.covered) == (6, WIDTH, 1.0, 1.0)


def test_another_width_than_the_embedders_is_an_error_that_names_the_command(tiny: Path) -> None:
    report = checked(tiny, width=384)

    assert not report.sound
    finding = next(one for one in report.findings if one.code == "vectors.width")
    assert "8 numbers" in finding.meaning
    assert "384" in finding.meaning
    assert "index embed" in finding.what_to_do
    assert [one.method for one in report.methods if one.servable] == ["global"]


def strangers(data: Tables) -> None:
    for row in data["entities"]:
        row["id"] = "f" + row["id"][1:]


def number_all_alike(data: Tables) -> None:
    for row in data["entities"]:
        row["human_readable_id"] = 7


DEFECTS: list[tuple[Callable[[Tables], object], str, str]] = [
    (lambda data: data["relationships"][0].update(source="NO ONE"), "relationships.ends", "warning"),
    (lambda data: data["entities"][0]["text_unit_ids"].append("gone"), "entities.units", "warning"),
    (lambda data: data["communities"][0]["entity_ids"].append(uid("entity", 99)), "communities.members", "warning"),
    (strangers, "tables.foreign", "error"),
    (lambda data: [row.update(community=70) for row in data["community_reports"]], "reports.join", "error"),
    (lambda data: data["community_reports"].pop(), "communities.reports", "warning"),
    (lambda data: data["community_reports"][0].update(community=50), "reports.communities", "warning"),
    (lambda data: data["community_reports"][0].update(full_content=" "), "reports.empty", "warning"),
    (lambda data: data["text_units"][0].update(text=None), "text_units.empty", "warning"),
    (lambda data: data["text_units"][0].update(document_id="gone"), "text_units.documents", "info"),
    (lambda data: data["covariates"][0].update(subject_id="NO ONE"), "claims.subjects", "info"),
    (lambda data: data["covariates"][0].update(text_unit_id="gone"), "claims.units", "warning"),
    (lambda data: data["entities"][0].update(title="OLE BRANDT"), "entities.titles", "warning"),
    (number_all_alike, "entities.numbers", "warning"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "code", "severity"), DEFECTS)
def test_each_defect_has_its_finding(
    change: Callable[[Tables], object], code: str, severity: str, tmp_path: Path
) -> None:
    data = tables()
    change(data)
    report = checked(write_index(tmp_path / "output", data))

    found = [one for one in report.findings if one.code == code]
    assert [one.severity for one in found] == [severity]
    assert found[0].meaning
    assert found[0].what_to_do


def test_few_homes_are_a_warning(tmp_path: Path) -> None:
    case = next(one for one in DOCTORED if one.name.startswith("DT8"))
    case.build(tmp_path / "output")

    found = next(one for one in checked(tmp_path / "output").findings if one.code == "entities.homeless")
    assert found.severity == "warning"
    assert "115 of 120" in found.meaning


@pytest.mark.parametrize("case", [one for one in DOCTORED if one.tables_serve], ids=lambda case: case.name)
def test_every_damaged_index_that_opens_can_be_checked(case: Doctored, tmp_path: Path) -> None:
    case.build(tmp_path / "output")
    report = checked(tmp_path / "output")

    assert {one.method for one in report.methods if one.servable} <= set(case.tables_serve)
    assert set(case.vectors_serve) >= {one.method for one in report.methods if one.servable} - {"drift"}
