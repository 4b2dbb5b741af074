"""The sample index keeps its promises: sizes, references that resolve, and a build that changes nothing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, cast

import pytest
import yaml

from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder
from sample_index import build
from sample_index._communities import detect
from sample_index._model import Model, load
from sample_index._reports import MAX_IDS
from sample_index._sources import HERE, CommunitySource, SourceError

# pyarrow and lance ship no types.
parquet: Any = import_module("pyarrow.parquet")
lance: Any = import_module("lance")

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

NAMES = (
    "documents",
    "text_units",
    "entities",
    "relationships",
    "communities",
    "community_reports",
    "covariates",
)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return {name: parquet.read_table(HERE / "output" / f"{name}.parquet").to_pylist() for name in NAMES}


@pytest.fixture(scope="module")
def model() -> Model:
    return load()


def ids(rows: Iterable[Row]) -> set[str]:
    return {row["id"] for row in rows}


def test_is_large_enough_to_be_interesting(tables: Tables) -> None:
    smallest = {"documents": 6, "text_units": 24, "entities": 90, "relationships": 160, "covariates": 30}
    assert {name: len(tables[name]) >= count for name, count in smallest.items()} == dict.fromkeys(
        smallest, True
    )


def test_readme_gives_the_real_counts(tables: Tables) -> None:
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    levels = Counter(row["level"] for row in tables["communities"])
    expected = [
        f"| documents | {len(tables['documents'])} |",
        f"| text units (250–400 tokens each, one paragraph) | {len(tables['text_units'])} |",
        f"| entities | {len(tables['entities'])} |",
        f"| relationships | {len(tables['relationships'])} |",
        f"| covariates (claims) | {len(tables['covariates'])} |",
        f"{len(tables['communities'])}: {levels[0]} on level 0, {levels[1]} on level 1, {levels[2]} on level 2 |",
    ]
    assert [line for line in expected if line not in readme] == []


def test_text_units_are_of_250_to_400_tokens(tables: Tables) -> None:
    assert [row["n_tokens"] for row in tables["text_units"] if not 250 <= row["n_tokens"] <= 400] == []


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_human_ids_count_from_zero(tables: Tables, name: str) -> None:
    rows = tables[name]
    assert len(ids(rows)) == len(rows)
    assert [row["human_readable_id"] for row in rows] == list(range(len(rows)))


@pytest.mark.parametrize(
    ("table", "column", "target"),
    [
        ("documents", "text_unit_ids", "text_units"),
        ("text_units", "entity_ids", "entities"),
        ("text_units", "relationship_ids", "relationships"),
        ("text_units", "covariate_ids", "covariates"),
        ("entities", "text_unit_ids", "text_units"),
        ("relationships", "text_unit_ids", "text_units"),
        ("communities", "entity_ids", "entities"),
        ("communities", "relationship_ids", "relationships"),
        ("communities", "text_unit_ids", "text_units"),
    ],
)
def test_every_list_of_ids_resolves(tables: Tables, table: str, column: str, target: str) -> None:
    assert {i for row in tables[table] for i in row[column]} <= ids(tables[target])


@pytest.mark.parametrize("table", ["entities", "relationships", "communities"])
def test_every_graph_record_has_a_text_unit(tables: Tables, table: str) -> None:
    assert [row["human_readable_id"] for row in tables[table] if not row["text_unit_ids"]] == []


def test_single_references_resolve(tables: Tables) -> None:
    titles = {row["title"] for row in tables["entities"]}
    assert {row["document_id"] for row in tables["text_units"]} == ids(tables["documents"])
    assert {row["text_unit_id"] for row in tables["covariates"]} <= ids(tables["text_units"])
    assert {row["subject_id"] for row in tables["covariates"]} <= titles
    assert {row["object_id"] for row in tables["covariates"]} <= titles | {"NONE"}
    assert {row[end] for row in tables["relationships"] for end in ("source", "target")} <= titles


def test_claims_quote_their_text_unit(tables: Tables) -> None:
    text = {row["id"]: row["text"] for row in tables["text_units"]}
    assert [row for row in tables["covariates"] if row["source_text"] not in text[row["text_unit_id"]]] == []
    assert {row["status"] for row in tables["covariates"]} == {"TRUE", "FALSE", "SUSPECTED"}


def test_communities_form_a_tree_of_three_levels(tables: Tables) -> None:
    by_number = {row["community"]: row for row in tables["communities"]}
    levels = Counter(row["level"] for row in by_number.values())
    assert 5 <= levels[0] <= 7
    assert 12 <= levels[1] <= 18
    assert 3 <= levels[2] <= 8
    for number, row in by_number.items():
        assert row["size"] == len(row["entity_ids"]) >= 3
        assert row["children"] == [n for n, other in by_number.items() if other["parent"] == number]
        if row["children"]:
            parts = [by_number[child] for child in row["children"]]
            assert {part["level"] for part in parts} == {row["level"] + 1}
            assert Counter(i for part in parts for i in part["entity_ids"]) == Counter(row["entity_ids"])
    roots = [row for row in by_number.values() if row["parent"] == -1]
    assert {row["level"] for row in roots} == {0}
    assert Counter(i for row in roots for i in row["entity_ids"]) == Counter(ids(tables["entities"]))


def test_every_community_has_a_report_with_findings(tables: Tables) -> None:
    place = ("community", "level", "parent", "children", "size")
    communities = [[row[key] for key in place] for row in tables["communities"]]
    assert [[row[key] for key in place] for row in tables["community_reports"]] == communities
    for row in tables["community_reports"]:
        assert 4 <= len(row["findings"]) <= 6
        assert 0 <= row["rank"] <= 10
        assert row["full_content"].startswith(f"# {row['title']}\n\n{row['summary']}\n\n## ")
        document = json.loads(row["full_content_json"])
        assert document["findings"] == row["findings"]
        assert document["rating_explanation"] == row["rating_explanation"]


def test_reports_cite_records_of_their_own_community(tables: Tables) -> None:
    communities = {row["community"]: row for row in tables["communities"]}
    title_of = {row["id"]: row["title"] for row in tables["entities"]}
    for report in tables["community_reports"]:
        community = communities[report["community"]]
        members = {title_of[i] for i in community["entity_ids"]}
        allowed = {
            "Entities": _numbers(r for r in tables["entities"] if r["title"] in members),
            "Relationships": _numbers(
                r for r in tables["relationships"] if r["id"] in community["relationship_ids"]
            ),
            "Claims": _numbers(r for r in tables["covariates"] if r["subject_id"] in members),
        }
        for finding in report["findings"]:
            cited = _cited(finding["explanation"])
            assert cited, f"no citation: {report['title']}: {finding['summary']}"
            for kind, numbers in cited:
                assert numbers <= allowed[kind]
                assert len(numbers) <= MAX_IDS


def _numbers(rows: Iterable[Row]) -> set[int]:
    return {row["human_readable_id"] for row in rows}


def _cited(text: str) -> list[tuple[str, set[int]]]:
    references = re.findall(r"\[Data: (.*?)\]", text)
    groups = re.findall(r"(\w+) \(([\d, ]+)\)", "; ".join(references))
    return [(kind, {int(number) for number in numbers.split(",")}) for kind, numbers in groups]


def test_committed_tables_are_what_the_sources_give(capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_communities_are_found_the_same_way_twice(model: Model) -> None:
    assert detect(model.entities, model.relationships) == detect(model.entities, model.relationships)


def test_a_report_that_lost_its_community_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def centre_elsewhere(_model: Model, _community: CommunitySource) -> tuple[str, ...]:
        return ("SOMEBODY ELSE",)

    monkeypatch.setattr(Model, "central", centre_elsewhere)
    with pytest.raises(SourceError, match=r"00-the-norwegian-expedition\.yaml: community 0 now has"):
        load()


def test_vectors_are_one_unit_vector_per_record_in_one_small_version(tables: Tables) -> None:
    for name, table in VECTOR_TABLES.items():
        dataset = lance.dataset(str(HERE / "output" / "lancedb" / f"{name}.lance"))
        rows = cast("list[Row]", dataset.to_table().to_pylist())
        assert [row["id"] for row in rows] == [row["id"] for row in tables[table]]
        assert {len(row["vector"]) for row in rows} == {384}
        assert all(abs(sum(x * x for x in row["vector"]) - 1) < 1e-4 for row in rows)
        assert len(dataset.versions()) == len(dataset.get_fragments()) == 1


async def test_vectors_belong_to_the_present_texts(tables: Tables) -> None:
    embedder = MiniLmEmbedder(threads=1)
    for name, table in VECTOR_TABLES.items():
        first = tables[table][0]
        stored = lance.dataset(str(HERE / "output" / "lancedb" / f"{name}.lance")).to_table().to_pylist()[0]
        (vector,) = await embedder.embed([_embedded_text(table, first)])
        assert sum(a * b for a, b in zip(vector.tolist(), stored["vector"], strict=True)) > 0.99
    await embedder.aclose()


VECTOR_TABLES = {
    "entity_description": "entities",
    "community_full_content": "community_reports",
    "text_unit_text": "text_units",
}


def _embedded_text(table: str, row: Row) -> str:
    if table == "entities":
        return f"{row['title']}:{row['description']}"
    return row["full_content"] if table == "community_reports" else row["text"]


def test_questions_name_existing_records_and_strings(tables: Tables) -> None:
    text = (HERE / "expected.yaml").read_text(encoding="utf-8")
    questions = cast("list[Row]", yaml.safe_load(text))
    limits = {
        "Reports": len(tables["communities"]),
        "Entities": len(tables["entities"]),
        "Relationships": len(tables["relationships"]),
        "Claims": len(tables["covariates"]),
        "Sources": len(tables["text_units"]),
    }
    answerable = [q for q in questions if q["expect"] != "no_data"]
    assert Counter(q["method"] for q in answerable) == {"local": 5, "global": 5, "drift": 5, "basic": 5}
    assert len(questions) - len(answerable) == 3
    for question in answerable:
        for dataset, numbers in question["expect"]["records"].items():
            assert all(0 <= number < limits[dataset] for number in numbers)
        assert question["expect"]["any_of_strings"]


def test_basic_answers_stand_in_their_source(tables: Tables) -> None:
    questions = cast("list[Row]", yaml.safe_load((HERE / "expected.yaml").read_text(encoding="utf-8")))
    for question in questions:
        if question["id"].startswith("basic"):
            sources = cast("list[int]", question["expect"]["records"]["Sources"])
            found = " ".join(cast("str", tables["text_units"][row]["text"]) for row in sources)
            assert any(string in found for string in cast("list[str]", question["expect"]["any_of_strings"]))


def test_twenty_questions_one_per_line() -> None:
    lines = (HERE / "questions.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) == 20
