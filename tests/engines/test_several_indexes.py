from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphrag_cli.config.load import Where
from graphrag_cli.errors import IndexDataError
from graphrag_cli.events import Answer, Method
from graphrag_cli.project import Project
from tests.sample import ROOT, SAMPLE


@pytest.fixture
def copies(tmp_path: Path) -> tuple[Path, Path]:
    """The sample index twice, under two names."""
    north, south = tmp_path / "north" / "output", tmp_path / "south" / "output"
    for folder in (north, south):
        shutil.copytree(SAMPLE / "output", folder)
    return north, south


async def ask(tmp_path: Path, folders: tuple[Path, ...], method: Method, answer: str) -> Answer:
    replies = tmp_path / "replies.jsonl"
    replies.write_text(f'{{"reply": "{answer}"}}\n', encoding="utf-8")
    script = f'completion_models.default_completion_model={{"provider": "scripted", "model": "told", "path": "{replies}"}}'
    where = Where(root=ROOT, data=tuple(map(str, folders)), overrides=(script,))
    async with Project.open(where) as project:
        return await project.ask("Who led the Fram expedition?", method=method)


@pytest.mark.parametrize("method", ["local", "basic"])
async def test_records_of_both_are_sent_and_citations_lead_to_the_right_one(
    tmp_path: Path, copies: tuple[Path, Path], method: Method
) -> None:
    answer = await ask(tmp_path, copies, method, "Amundsen [Data: Sources (north:3, south:4)].")
    names = {record.id.split(":")[0] for record in answer.context["sources"]}
    assert names == {"north", "south"}
    assert [(cited.id, cited.exists) for cited in answer.citations] == [("north:3", True), ("south:4", True)]
    assert [cited.documents[0].id.split(":")[0] for cited in answer.citations] == ["north", "south"]


async def test_one_that_cannot_be_read_is_left_out_and_named(
    tmp_path: Path, copies: tuple[Path, Path]
) -> None:
    (copies[1] / "text_units.parquet").write_bytes(b"not parquet")
    answer = await ask(tmp_path, copies, "basic", "Amundsen [Data: Sources (north:3)].")
    assert {record.id.split(":")[0] for record in answer.context["sources"]} == {"north"}
    assert [(warning.code, "south" in warning.text) for warning in answer.warnings] == [
        ("index.left_out", True)
    ]


async def test_none_that_can_be_read_is_an_error(tmp_path: Path, copies: tuple[Path, Path]) -> None:
    for folder in copies:
        (folder / "text_units.parquet").write_bytes(b"not parquet")
    with pytest.raises(IndexDataError, match="text_units"):
        await ask(tmp_path, copies, "basic", "unheard")
