"""Damaged indexes through the whole command line: exit status, streams, findings, and a folder that stays as it was."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from graphrag_cli.events import METHODS, Method
from tests.cli.conftest import Outcome, run_in_process
from tests.kit.doctored import DOCTORED, Doctored, overwritten
from tests.kit.tiny import tables, write_index, write_tables, write_vectors
from tests.kit.versions import as_version

ASKED = "What did Mira Voss see of the Heron?"
SETTINGS = """
completion_models:
  default_completion_model: {provider: scripted, model: told, path: replies.yaml}
embedding_models:
  default_embedding_model: EMBEDDER
drift_search: {n_depth: 1, drift_k_followups: 2, primer_folds: 1}
"""
HASH = "{provider: scripted, model: hash-8, dimensions: 8}"
REMOTE = "{model_provider: openai, model: far-8, api_key: sk-nothing, dimensions: 8}"
"""Never called: so wide as the vectors of the kit, whose own model is not to be had."""
REPLIES = """
- {stage: map, reply: {points: [{description: "She saw it [Data: Reports (0)].", score: 80}]}}
- {stage: primer, reply: {intermediate_answer: "So.", score: 60, follow_up_queries: []}}
- {stage: step, reply: {response: "She did.", score: 70, follow_up_queries: []}}
- {reply: "She saw the Heron strike [Data: Sources (0)]."}
"""
BY_NAME = {case.name: case for case in DOCTORED}


def write_project(folder: Path, embedder: str = HASH) -> Path:
    """A project in ``folder`` whose models are scripted; its index is to be put into ``folder/output``."""
    (folder / "settings.yaml").write_text(SETTINGS.replace("EMBEDDER", embedder), encoding="utf-8")
    (folder / "replies.yaml").write_text(REPLIES, encoding="utf-8")
    return folder


def checksum(folder: Path) -> str:
    """Over names, contents and times of change of everything in ``folder``."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)} {path.stat().st_mtime_ns}".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


# -- as a process -------------------------------------------------------------------------------------------------

REFUSALS: list[tuple[str, Method, tuple[str, ...]]] = [
    ("DT4 no entities", "local", ("entities.parquet", "it can answer basic")),
    ("DT4 no relationships", "drift", ("relationships.parquet", "it can answer global, basic")),
    ("DT4 no communities", "global", ("communities.parquet", "it can answer local, basic")),
    ("DT4 no community_reports", "global", ("community_reports.parquet", "it can answer local, basic")),
    ("DT4 no text_units", "basic", ("text_units.parquet", "it can answer global")),
    ("DT5 empty text_units", "basic", ("has no rows", "it can answer global")),
    ("DT13 other width", "local", ("hash-8", "width 5", "graphrag-cli index embed")),
    ("DT13 no store", "basic", ("no LanceDB store", "graphrag-cli index embed")),
    ("DT13 cut off", "local", ("cannot be read", "graphrag-cli index embed")),
    ("DT15 half finished", "drift", ("half finished", "run the indexer to its end")),
]


@pytest.mark.parametrize(("name", "method", "says"), REFUSALS, ids=lambda part: str(part)[:40])
def test_a_refusal_is_status_4_with_a_hint_and_nothing_on_stdout(
    name: str, method: Method, says: tuple[str, ...], tmp_path: Path
) -> None:
    BY_NAME[name].build(write_project(tmp_path) / "output")
    command = [sys.executable, "-m", "graphrag_cli", "query", method, ASKED, "--root", str(tmp_path)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert (done.returncode, done.stdout) == (4, "")
    message, hint = done.stderr.splitlines()[-2:]
    assert message.startswith("error: ")
    assert hint.startswith("hint: ")
    for part in says:
        assert part in f"{message} {hint}"


# -- index check --------------------------------------------------------------------------------------------------

METHOD_CODES = {method: f"method.{method}" for method in METHODS}
CODES: dict[str, set[str]] = {
    "DT4 no documents": {"text_units.documents"},
    "DT5 empty documents": {"text_units.documents"},
    "DT5b hollow documents": {"text_units.documents"},
    "DT6 entities without description": {"entities.empty"},
    "DT6 entities without text_unit_ids": {"entities.sources"},
    "DT6 covariates without text_unit_id": {"claims.units"},
    "DT7 units of entities as null": {"entities.sources"},
    "DT7 members as null": {"communities.empty"},
    "DT8 most entities in no community": {"entities.homeless", "reports.communities"},
    "DT9 dangling ids": {
        "relationships.ends",
        "communities.members",
        "entities.units",
        "text_units.documents",
        "claims.units",
        "communities.reports",
        "reports.communities",
    },
    "DT9 reports of other runs": {"reports.join", "reports.communities"},
    "DT10 duplicates": {"entities.titles", "relationships.numbers"},
    "DT11 nasty text": {"relationships.ends", "claims.subjects"},
    "DT12 empty reports": {"reports.empty"},
    **{key: {"vectors.unusable"} for key in ("DT13 no store", "DT13 empty store", "DT13 empty table")},
    **{key: {"vectors.unusable"} for key in ("DT13 other ids", "DT13 all NaN", "DT13 cut off")},
    **{f"DT13 no {name} table": {"vectors.unusable"} for name in ("entity", "report", "text unit")},
    "DT13 ids that are titles": {"relationships.ends", "claims.subjects"},
    "DT13 other width": {"vectors.width"},
    "DT13 some null": {"vectors.incomplete"},
    "DT14 orphan claim": {"claims.subjects"},
    "DT15 runs": {"index.where"},
    **{case.name: {"tables.damaged"} for case in DOCTORED if case.name.startswith("DT15 cut off")},
}
"""Findings that each damage brings; missing and empty tables bring those of the methods that need them."""
UNREADABLE = {"DT15 no tables", "DT15 half finished"}
USUAL = {"entities.isolated", "entities.homeless"}


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    return {name: json.loads(run_in_process("schema", name).out) for name in ("index-check", "error")}


@pytest.mark.parametrize("case", DOCTORED, ids=lambda case: case.name)
def test_index_check_counts_and_names_the_damage(
    case: Doctored, schemas: dict[str, Any], tmp_path: Path
) -> None:
    case.build(write_project(tmp_path, REMOTE) / "output")
    before = checksum(tmp_path)
    done = run_in_process("index", "check", "--root", str(tmp_path), "--format", "json")
    document = json.loads(done.out)
    assert checksum(tmp_path) == before
    if case.name in UNREADABLE:
        jsonschema.validate(document, schemas["error"])
        assert (done.status, document["error"]["code"]) == (4, "index")
        return
    jsonschema.validate(document, schemas["index-check"])
    findings = document["check"]["findings"]
    severities = {one["code"]: one["severity"] for one in findings if one["severity"] != "ok"}
    refused = {METHOD_CODES[method] for method in METHODS if method not in case.vectors_serve}
    if case.name == "DT13 no report table":
        refused = set[str]()  # DRIFT embeds them on the fly
    assert CODES.get(case.name, set()) | refused <= severities.keys()
    sound = "error" not in severities.values()
    assert done.status == (0 if sound else 4)
    if not refused and case.name not in CODES:
        assert severities.keys() <= USUAL


# -- nothing is written -------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a good index."""
    write_index(write_project(tmp_path / "project", HASH) / "output")
    return tmp_path / "project"


@pytest.fixture(autouse=True)
def project_folder(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()


def query(project: Path, method: Method, *arguments: str) -> Outcome:
    return run_in_process("query", method, ASKED, "--root", str(project), *arguments)


def test_no_command_changes_a_byte_of_the_project(project: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text(f"{ASKED}\nWho was master of the Heron?\n", encoding="utf-8")
    root = ("--root", str(project))
    commands = [
        *(("query", method, ASKED, *root) for method in METHODS),
        *(("batch", str(questions), "--method", method, *root) for method in METHODS),
        ("index", "info", *root),
        ("index", "check", *root),
        ("config", "show", *root),
        ("config", "check", *root),
        ("doctor", *root),
        ("index", "embed", "--output", str(tmp_path / "vectors"), *root),
    ]
    before = checksum(project)
    for command in commands:
        done = run_in_process(*command)
        assert done.status in {0, 4}, done.err
        assert checksum(project) == before, command
    assert (tmp_path / "vectors").is_dir()


@pytest.mark.parametrize("method", METHODS)
def test_an_answer_outlives_a_documents_table_that_is_damaged_inside(method: Method, tmp_path: Path) -> None:
    overwritten("documents")(write_project(tmp_path / "project") / "output")
    done = query(tmp_path / "project", method, "--format", "json")
    assert done.status == 0
    document = json.loads(done.out)
    assert document["status"] == "answered"
    assert [one["code"] for one in document["warnings"]] == ["citations.unresolved"]


# -- several indexes, of different releases -----------------------------------------------------------------------


@pytest.fixture
def releases(tmp_path: Path) -> tuple[Path, Path]:
    """The tiny index as 1.x wrote it and as 3.x does."""
    write_project(tmp_path / "project")
    old, new = tmp_path / "old" / "output", tmp_path / "new" / "output"
    write_tables(old, as_version(tables(), "1.x"))
    write_vectors(old / "lancedb", tables(), prefix="default")
    return old, write_index(new)


def several(project: Path, folders: tuple[Path, ...], method: Method, *arguments: str) -> Outcome:
    data = [part for folder in folders for part in ("--data", str(folder))]
    return query(project, method, *data, "--format", "json", *arguments)


def indexes_of(document: dict[str, Any], dataset: str) -> set[str]:
    return {record["id"].split(":")[0] for record in document["context"][dataset]}


SECTIONS: dict[Method, tuple[str, ...]] = {
    "local": ("entities", "relationships", "sources"),
    "global": ("reports",),
    "drift": ("reports", "entities", "sources"),
    "basic": ("sources",),
}


@pytest.mark.parametrize("method", METHODS)
def test_indexes_of_different_releases_answer_together(
    method: Method, releases: tuple[Path, Path], tmp_path: Path
) -> None:
    done = several(tmp_path / "project", releases, method)
    assert done.status == 0, done.err
    document = json.loads(done.out)
    assert document["status"] == "answered"
    for dataset in SECTIONS[method]:
        assert indexes_of(document, dataset) == {"old", "new"}


@pytest.mark.parametrize("method", METHODS)
def test_a_broken_one_of_several_is_left_out_with_a_notice(
    method: Method, releases: tuple[Path, Path], tmp_path: Path
) -> None:
    for path in releases[0].glob("create_final_*.parquet"):
        path.write_bytes(b"not parquet")
    done = several(tmp_path / "project", releases, method)
    assert done.status == 0, done.err
    document = json.loads(done.out)
    assert "index.left_out" in [one["code"] for one in document["warnings"]]
    for dataset in SECTIONS[method]:
        assert indexes_of(document, dataset) == {"new"}


# -- filters ------------------------------------------------------------------------------------------------------


def titles(document: dict[str, Any], dataset: str) -> set[str]:
    return {record["title"] for record in document["context"][dataset]}


def source_ids(document: dict[str, Any]) -> set[str]:
    return {record["id"] for record in document["context"]["sources"]}


@pytest.mark.parametrize("method", ["local", "drift", "basic"])
@pytest.mark.parametrize(
    ("flags", "sources"),
    [
        (("--document", "inquiry.txt"), {"2"}),
        (("--since", "2024-06-01"), {"2"}),
        (("--until", "2024-05-31"), {"0", "1"}),
        (("--since", "2024-01-01", "--until", "2024-12-31"), {"0", "1", "2"}),
    ],
)
def test_documents_and_dates_narrow_what_is_read(
    method: Method, flags: tuple[str, ...], sources: set[str], project: Path
) -> None:
    done = query(project, method, *flags, "--format", "json")
    assert done.status == 0, done.err
    assert source_ids(json.loads(done.out)) == sources


@pytest.mark.parametrize("method", ["local", "drift"])
def test_a_type_narrows_the_entities(method: Method, project: Path) -> None:
    document = json.loads(query(project, method, "--entity-type", "ship", "--format", "json").out)
    assert titles(document, "entities") == {"THE HERON"}


@pytest.mark.parametrize("method", ["local", "drift", "basic"])
@pytest.mark.parametrize("flags", [("--document", "no such.txt"), ("--entity-type", "DRAGON")])
def test_a_filter_that_names_nothing_is_told(method: Method, flags: tuple[str, str], project: Path) -> None:
    done = query(project, method, *flags)
    if method == "basic" and flags[0] == "--entity-type":
        assert done.status in {0, 2}
        return
    assert (done.status, done.out) == (4, "")
    assert flags[1] in done.err
    assert "hint:" in done.err


@pytest.mark.parametrize("method", ["local", "drift", "basic"])
def test_dates_that_leave_nothing_are_no_data(method: Method, project: Path) -> None:
    done = query(project, method, "--since", "2030-01-01", "--format", "json")
    assert (done.status, json.loads(done.out)["status"]) == (0, "no_data")
