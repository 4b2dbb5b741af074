"""``--dry-run``: what a run would take, with nothing sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import run_in_process

ROOT = ("--root", str(Path(__file__).parents[2]))


@pytest.mark.parametrize("method", ["local", "basic", "global", "drift"])
def test_calls_and_tokens_by_stage(method: str) -> None:
    done = run_in_process("query", method, "Who led?", "--dry-run", *ROOT)
    assert done.status == 0
    assert done.out.startswith("stage")
    assert f"\n{method}: " in done.out
    assert "assumed: " in done.out
    assert done.err == "nothing was sent\n"


def test_as_json() -> None:
    done = run_in_process("query", "local", "Who led?", "--dry-run", "-f", "json", *ROOT)
    document = json.loads(done.out)
    assert document["schema"] == "graphrag-cli/estimate/1"
    assert document["by_stage"]["answer"]["llm_calls"] == document["total"]["llm_calls"] == 1
    assert "answer" in document["exact_stages"]
