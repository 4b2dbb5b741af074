"""The same story indexed by five releases × four methods: their own vectors behind a fake endpoint, and embedded anew.

Vectors that an index does not have are built first, as a user would: ``index embed``, into a folder of the test's.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_cli.config.load import Where
from graphrag_cli.events import METHODS, Answer, Method
from graphrag_cli.project import Project
from tests.kit.server import FakeServer

WIDTHS = {"0.3": 1536, "0.5": 1536, "1.2": 1536, "2.7": 1536, "3.1": 3072}
ASKED = "Who is Agent Alex Mercer, and what is his part in Operation: Dulce?"
KEY = "sk-real-index-key"


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in WIDTHS]
)
def version(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def server(version: str) -> Iterator[FakeServer]:
    with FakeServer(width=WIDTHS[version]) as running:
        yield running


def write_project(folder: Path, tables: Path, completion: str, embedding: str) -> Path:
    (folder / "settings.yaml").write_text(
        f"completion_models:\n  default_completion_model: {completion}\n"
        f"embedding_models:\n  default_embedding_model: {embedding}\n"
        f"output_storage: {{base_dir: '{tables}'}}\n"
        "drift_search: {n_depth: 1, drift_k_followups: 3, primer_folds: 2}\n",
        encoding="utf-8",
    )
    return folder


@pytest.fixture(scope="module")
def own(version: str, indexes: Path, server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose models are behind the fake endpoint; only vectors that are lacking are built."""
    base = server.base("clean")
    folder = tmp_path_factory.mktemp(f"own-{version}")
    model = f"{{model_provider: openai, model: NAME, api_key: {KEY}, api_base: '{base}'}}"
    project = write_project(
        folder,
        indexes / f"dulce-{version}" / "output",
        model.replace("NAME", "gpt-4o"),
        model.replace("NAME", "text-embedding-3-large" if version == "3.1" else "text-embedding-3-small"),
    )
    if version in {"0.3", "0.5"}:
        embed(project, "text_unit_text")
    if version == "1.2":
        embed(project)
    return project


@pytest.fixture(scope="module")
def anew(version: str, indexes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the embedded models and vectors built by the embedded embedder."""
    folder = tmp_path_factory.mktemp(f"anew-{version}")
    project = write_project(
        folder,
        indexes / f"dulce-{version}" / "output",
        "{provider: extractive, model: extractive}",
        "{provider: minilm, model: all-MiniLM-L6-v2}",
    )
    embed(project)
    return project


def embed(project: Path, *tables: str) -> None:
    flags = [part for table in tables for part in ("--table", table)]
    command = [
        sys.executable,
        "-m",
        "graphrag_cli",
        "index",
        "embed",
        "--quiet",
        "--root",
        str(project),
        *flags,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def checksum(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


async def ask(project: Path, method: Method) -> Answer:
    async with Project.open(Where(root=project)) as opened:
        return await opened.ask(ASKED, method)


@pytest.mark.parametrize("method", METHODS)
async def test_with_its_own_vectors(version: str, own: Path, indexes: Path, method: Method) -> None:
    tables = indexes / f"dulce-{version}" / "output"
    before = checksum(tables)
    answer = await ask(own, method)
    assert answer.status == "answered"
    assert any(answer.context.values())
    assert checksum(tables) == before


@pytest.mark.parametrize("method", METHODS)
async def test_embedded_anew_offline(version: str, anew: Path, method: Method) -> None:
    answer = await ask(anew, method)
    assert answer.status == "answered"
    assert answer.citations
    assert all(cited.exists for cited in answer.citations)


async def test_the_entity_asked_for_is_found_whatever_the_release(version: str, anew: Path) -> None:
    answer = await ask(anew, "local")
    titles = [record.title.upper() for record in answer.context["entities"]]
    assert any("MERCER" in title for title in titles[:3])
