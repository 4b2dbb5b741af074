"""Building vector tables: once each text, whatever interrupts it."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_cli.config.settings import Settings
from graphrag_cli.errors import ModelError, VectorError
from graphrag_cli.index.open import open_folder
from graphrag_cli.index.vectors.embed import BuiltTable, EmbedOptions, EmbedProgress, build_table, self_test
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from graphrag_cli.index.vectors.names import built_folder, model_slug
from graphrag_cli.index.vectors.table import StoredTable
from graphrag_cli.index.vectors.writer import Manifest, read_manifest, write_table
from tests.kit.snapshots import opened, settings_for
from tests.kit.tiny import tables, vector, write_index, write_tables, write_vectors

MODEL = "Test/Model v1"
OPTIONS = EmbedOptions(MODEL, batch_size=2, concurrency=3)


class Embedder:
    """Counts every text; fails on the call numbers that it is told."""

    def __init__(self, fail_at: int | None = None, width: int = 8) -> None:
        self.seen: list[str] = []
        self.calls = 0
        self.running = 0
        self.most = 0
        self._fail_at = fail_at
        self._width = width

    async def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls == self._fail_at:
            raise ModelError("the model went away", hint="try again")
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        self.seen += texts
        return np.stack([vector(text, self._width) for text in texts])


def checksum(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(path.relative_to(folder).as_posix().encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def stored(path: Path) -> dict[str, list[float]]:
    lance: Any = importlib.import_module("lance")
    table = lance.dataset(str(path)).to_table()
    return dict(zip(table.column("id").to_pylist(), table.column("vector").to_pylist(), strict=True))


async def build(index: Path, output: Path, embedder: Embedder, **changes: Any) -> BuiltTable:
    return await build_table(open_folder(index), "entity_description", output, embedder, OPTIONS, **changes)


async def test_a_table_holds_a_vector_for_every_record(tiny: Path, tmp_path: Path) -> None:
    embedder = Embedder()
    seen: list[EmbedProgress] = []
    built = await build(tiny, tmp_path / "out", embedder, on_progress=seen.append)

    entities = tables()["entities"]
    assert (built.rows, built.width, built.embedded, built.skipped) == (6, 8, 6, 0)
    assert stored(built.path).keys() == {row["id"] for row in entities}
    assert sorted(embedder.seen) == sorted(f"{row['title']}:{row['description']}" for row in entities)
    assert embedder.most == 3
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, 6, 6)


async def test_a_second_run_embeds_nothing(tiny: Path, tmp_path: Path) -> None:
    await build(tiny, tmp_path / "out", Embedder())
    before = checksum(tmp_path / "out")
    again = Embedder()
    built = await build(tiny, tmp_path / "out", again)

    assert (again.calls, built.embedded, built.rows) == (0, 0, 6)
    assert checksum(tmp_path / "out") == before


async def test_a_failed_run_goes_on_where_it_was(tiny: Path, tmp_path: Path) -> None:
    first = Embedder(fail_at=3)
    with pytest.raises(ModelError, match="went away"):
        await build(tiny, tmp_path / "out", first)
    assert not (tmp_path / "out" / "entity_description.lance").exists()
    second = Embedder()
    built = await build(tiny, tmp_path / "out", second)

    assert len(first.seen) + len(second.seen) == 6
    assert not set(first.seen) & set(second.seen)
    assert built.embedded == len(second.seen)
    undisturbed = await build(tiny, tmp_path / "other", Embedder())
    assert stored(built.path) == stored(undisturbed.path)
    assert [path.name for path in (tmp_path / "out").iterdir() if path.name.startswith(".")] == []


async def test_runs_killed_at_random_moments_end_with_the_same_vectors(tiny: Path, tmp_path: Path) -> None:
    undisturbed = await build(tiny, tmp_path / "other", Embedder())
    chance = random.Random(7)
    out = tmp_path / "out"
    for _ in range(5):
        task = asyncio.create_task(build(tiny, out, Embedder()))
        for _ in range(chance.randrange(1, 6)):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        log = out / ".entity_description.partial" / "done.log"
        if log.exists() and log.stat().st_size > 8:
            log.write_bytes(log.read_bytes()[: -chance.randrange(1, 4)])
    built = await build(tiny, out, Embedder())

    assert stored(built.path) == stored(undisturbed.path)


@pytest.mark.parametrize("damage", [b"\x00\x00\x00\n", b"2 x\n", b"width\n", b"\xff 3\n"])
async def test_a_damaged_line_of_the_log_costs_only_what_it_stood_for(
    damage: bytes, tiny: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with pytest.raises(ModelError):
        await build(tiny, out, Embedder(fail_at=3))
    log = out / ".entity_description.partial" / "done.log"
    log.write_bytes(log.read_bytes() + damage)
    again = Embedder()
    built = await build(tiny, out, again)

    assert 0 < len(again.seen) < 6
    assert stored(built.path) == stored((await build(tiny, tmp_path / "other", Embedder())).path)


async def test_a_log_that_lost_its_width_is_not_believed(tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ModelError):
        await build(tiny, out, Embedder(fail_at=3))
    log = out / ".entity_description.partial" / "done.log"
    log.write_text("0 4\n", encoding="ascii")
    again = Embedder()
    built = await build(tiny, out, again)

    assert len(again.seen) == 6
    assert stored(built.path) == stored((await build(tiny, tmp_path / "other", Embedder())).path)


async def test_a_run_killed_before_its_table_was_in_place_is_no_foreign_table(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    out = tmp_path / "out"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "rename", killed)
        snapshot = open_folder(tiny)
        ids = snapshot.tables.column("entities", "id").combine_chunks()
        write_table(
            out, "entity_description", ids, np.ones((6, 8), np.float32), Manifest(MODEL, "other", 6, 8)
        )
    assert read_manifest(out, "entity_description") is None
    assert (await build(tiny, out, Embedder())).embedded == 6


async def test_changed_texts_or_another_model_start_afresh(tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ModelError):
        await build(tiny, out, Embedder(fail_at=2))
    data = tables()
    data["entities"][0]["description"] = "Something else."
    write_tables(tiny, data)
    other = Embedder()
    await build(tiny, out, other)
    assert len(other.seen) == 6

    third = Embedder(width=5)
    options = EmbedOptions("another", 4, 1)
    built = await build_table(opened(tiny), "entity_description", out, third, options)
    assert (len(third.seen), built.width) == (6, 5)


async def test_records_without_text_are_left_out(tmp_path: Path) -> None:
    data = tables()
    data["text_units"][1]["text"] = "  "
    write_tables(tmp_path / "index", data)
    built = await build_table(
        opened(tmp_path / "index"), "text_unit_text", tmp_path / "out", Embedder(), OPTIONS
    )

    assert (built.rows, built.skipped) == (2, 1)


async def test_a_report_without_content_is_embedded_by_title_and_summary(tmp_path: Path) -> None:
    data = tables()
    data["community_reports"][1]["full_content"] = None
    write_tables(tmp_path / "index", data)
    embedder = Embedder()
    await build_table(
        opened(tmp_path / "index"), "community_full_content", tmp_path / "out", embedder, OPTIONS
    )

    assert "The light and its keeper\nThe light and its keeper: a summary." in embedder.seen


async def test_a_model_that_changes_its_width_is_refused(tiny: Path, tmp_path: Path) -> None:
    async def fickle(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 3 + ("MIRA" in texts[0])), np.float32)

    with pytest.raises(VectorError, match="shape"):
        await build_table(opened(tiny), "entity_description", tmp_path / "out", fickle, OPTIONS)


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
async def test_vectors_without_direction_are_refused(value: float, tiny: Path, tmp_path: Path) -> None:
    async def empty(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), 4), value, np.float32)

    with pytest.raises(VectorError, match="not finite"):
        await build_table(opened(tiny), "entity_description", tmp_path / "out", empty, OPTIONS)


async def test_a_table_of_someone_else_is_never_replaced(tiny: Path) -> None:
    before = checksum(tiny)
    with pytest.raises(VectorError, match="did not make"):
        await build(tiny, tiny / "lancedb", Embedder())
    assert checksum(tiny) == before


async def test_what_was_built_for_a_model_is_found_before_the_store(tmp_path: Path) -> None:
    index = tmp_path / "output"
    write_tables(index, tables())
    write_vectors(index / "lancedb", tables(), 5)
    settings = settings_for(index)
    embedder = Embedder()
    await build(index, built_folder(settings, MODEL), embedder)

    assert built_folder(settings, MODEL) == tmp_path / "vectors" / "test-model-v1"
    ours = IndexVectors(settings, opened(index), MODEL).open("entity_description")
    assert ours.width == 8
    assert await self_test(opened(index), "entity_description", ours, embedder) == 1.0
    assert IndexVectors(settings, opened(index), "another").open("entity_description").width == 5


async def test_what_was_built_for_other_tables_is_passed_over(tmp_path: Path) -> None:
    index = write_index(tmp_path / "output")
    other = tables()
    for row in other["entities"]:
        row["id"] = f"other {row['id']}"
        row["title"] = f"OTHER {row['title']}"
    write_tables(tmp_path / "other", other)
    await build(tmp_path / "other", built_folder(settings_for(index), MODEL), Embedder())
    table = IndexVectors(settings_for(index), opened(index), MODEL).open("entity_description")

    assert Path(table.place if isinstance(table, StoredTable) else "").name == "lancedb"


def test_each_index_beside_one_settings_file_has_its_own_folder(tmp_path: Path) -> None:
    def folder(tables: str, model: str = MODEL) -> Path:
        return built_folder(
            Settings.model_validate({"root": tmp_path, "output_storage": {"base_dir": tables}}), model
        )

    assert folder(str(tmp_path / "output")) == folder("output") == tmp_path / "vectors" / "test-model-v1"
    places = ("output", "other", "runs/one", "runs/two", "/elsewhere/output", "s3://bucket/output")
    assert len({folder(place) for place in places} | {folder("output", "another model")}) == len(places) + 1


async def test_the_self_test_notices_another_model(tiny: Path) -> None:
    async def other(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([vector(f"other {text}") for text in texts])

    table = IndexVectors(settings_for(tiny), opened(tiny)).open("entity_description")
    assert await self_test(opened(tiny), "entity_description", table, other) < 1.0


async def test_lancedb_opens_what_was_built(tiny: Path, tmp_path: Path) -> None:
    built = await build(tiny, tmp_path / "out", Embedder())
    lancedb: Any = importlib.import_module("lancedb")
    table = lancedb.connect(str(tmp_path / "out")).open_table("entity_description")
    query = stored(built.path)[tables()["entities"][3]["id"]]

    assert table.search(query).limit(1).to_list()[0]["id"] == tables()["entities"][3]["id"]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("text-embedding-3-small", "text-embedding-3-small"),
        ("BAAI/bge m3:latest", "baai-bge-m3-latest"),
        ("../..", "model"),
    ],
)
def test_a_models_folder_is_a_plain_name(name: str, slug: str) -> None:
    assert model_slug(name) == slug


SCRIPT = """
import asyncio, sys
from pathlib import Path
import numpy as np
from graphrag_cli.index.vectors.embed import EmbedOptions, build_table
from graphrag_cli.index.open import open_folder
from tests.kit.tiny import vector

async def embed(texts):
    print(len(texts), flush=True)
    await asyncio.sleep(0.01)
    return np.stack([vector(text) for text in texts])

asyncio.run(build_table(
    open_folder(Path(sys.argv[1])), "entity_description", Path(sys.argv[2]), embed, EmbedOptions("Test/Model v1", 1, 1)
))
"""


def test_processes_killed_outright_lose_at_most_the_batch_they_were_at(tiny: Path, tmp_path: Path) -> None:
    sent = 0
    for calls in (2, 1, 2, 1, 99):
        command = [sys.executable, "-c", SCRIPT, str(tiny), str(tmp_path / "out")]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PYTHONPATH": "."},
        ) as process:
            assert process.stdout is not None
            for _ in range(calls):
                line = process.stdout.readline()
                sent += int(line or 0)
            process.kill() if calls < 99 else process.wait()

    table = stored(tmp_path / "out" / "entity_description.lance")
    assert table == {
        row["id"]: pytest.approx(vector(f"{row['title']}:{row['description']}"))
        for row in tables()["entities"]
    }
    assert sent <= 6 + 4
