"""``index check``, ``index embed`` and ``doctor`` over the sample index and what is left of it."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import run_in_process

REPOSITORY = Path(__file__).parents[2]
ROOT = ("--root", str(REPOSITORY))


@pytest.fixture
def without_vectors(tmp_path: Path) -> Path:
    shutil.copytree(REPOSITORY / "sample_index" / "output", tmp_path / "output")
    shutil.rmtree(tmp_path / "output" / "lancedb")
    return tmp_path / "output"


def checksum(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_sound_index_is_told_in_tables_and_all_is_well() -> None:
    done = run_in_process("index", "check", *ROOT)
    assert (done.status, done.err) == (0, "")
    assert "calls of a global search" in done.out
    assert "stored texts, embedded anew by all-MiniLM-L6-v2, find themselves" in done.out
    assert done.out.splitlines()[-1] == "all is well"


def test_check_as_json_has_levels_vectors_and_findings() -> None:
    document = json.loads(run_in_process("index", "check", *ROOT, "-f", "json").out)
    assert document["schema"] == "graphrag-cli/index-check/1"
    assert [level["level"] for level in document["levels"]] == [0, 1, 2]
    assert all(vector["covered"] == 1 for vector in document["vectors"])
    assert document["check"]["errors"] == 0


def test_missing_vectors_are_errors_with_what_to_do(without_vectors: Path) -> None:
    done = run_in_process("index", "check", *ROOT, "--data", str(without_vectors))
    assert done.status == 4
    assert "[method.local]" in done.out
    assert "graphrag-cli index embed" in done.out


def test_embed_builds_elsewhere_and_goes_on_where_it_was(without_vectors: Path, tmp_path: Path) -> None:
    before = checksum(without_vectors)
    arguments = ("index", "embed", *ROOT, "--data", str(without_vectors), "-o", str(tmp_path / "built"))
    first = run_in_process(*arguments, "--table", "text_unit_text", "-f", "json")
    assert first.status == 0, first.err
    document = json.loads(first.out)
    assert document["schema"] == "graphrag-cli/index-embed/1"
    assert document["tables"][0]["embedded"] == document["tables"][0]["rows"] > 0
    assert "ready before" in run_in_process(*arguments, "--table", "text_unit_text").out
    assert checksum(without_vectors) == before


def test_embed_names_tables_it_does_not_know() -> None:
    done = run_in_process("index", "embed", *ROOT, "--table", "entitys")
    assert done.status == 2
    assert "entity_description" in done.err


def test_doctor_looks_at_everything() -> None:
    done = run_in_process("doctor", *ROOT)
    assert done.status == 0
    areas = {line.split()[1] for line in done.out.splitlines() if not line.startswith(" ")}
    assert {"settings:", "index:", "vectors:", "models:"} <= areas
    assert "--online asks it" in done.out


def test_doctor_files_a_model_that_is_away_once_and_as_a_model() -> None:
    nobody = [
        f"embedding_models.default_embedding_model.{key}"
        for key in (
            "provider=openai",
            "api_key=none",
            "api_base=http://127.0.0.1:1/v1",
            "retry.max_retries=0",
            "dimensions=384",
        )
    ]
    sets = [part for assignment in nobody for part in ("--set", assignment)]
    done = run_in_process("doctor", *ROOT, *sets, "--online", "--format", "json")
    wrong = [one for one in json.loads(done.out)["findings"] if one["severity"] == "error"]
    assert [(one["area"], one["subject"]) for one in wrong] == [
        ("models", "embedding_models.default_embedding_model")
    ]
    assert done.status == 5


def test_doctor_online_asks_the_models() -> None:
    done = run_in_process("doctor", *ROOT, "--online", "--format", "json")
    texts = [finding["text"] for finding in json.loads(done.out)["findings"]]
    assert any("answers with 384 numbers" in text for text in texts)
    assert any("answers (ok)" in text for text in texts)


def test_doctor_goes_on_past_what_is_broken(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(
        "completion_models:\n"
        "  default_completion_model: {model_provider: openai, model: m, api_key: '${NO_SUCH_KEY}'}\n"
        "embedding_models:\n"
        "  default_embedding_model: {provider: minilm, model: all-MiniLM-L6-v2}\n",
        encoding="utf-8",
    )
    done = run_in_process("doctor", "--root", str(tmp_path), "-f", "json")
    document = json.loads(done.out)
    wrong = {finding["area"] for finding in document["findings"] if finding["severity"] == "error"}
    assert done.status == 3
    assert wrong == {"settings", "index", "models"}
    assert all(finding["hint"] for finding in document["findings"] if finding["severity"] == "error")


def test_the_project_folder_is_left_as_it_was(tmp_path: Path) -> None:
    for name in ("settings.yaml", "prompts", "sample_index"):
        source = REPOSITORY / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    before = checksum(tmp_path)
    root = ("--root", str(tmp_path))
    for command in (
        ("index", "info"), ("index", "check"), ("config", "show"), ("config", "check"), ("doctor",),
        ("query", "local", "Who led?"), ("query", "basic", "Who led?"), ("query", "global", "Who led?"),
    ):  # fmt: skip
        assert run_in_process(*command, *root).status == 0
    assert checksum(tmp_path) == before
