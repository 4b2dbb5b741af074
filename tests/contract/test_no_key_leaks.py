"""A key is in the header of its requests and nowhere else: not in output, dumps, tracebacks or what is said of settings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.server import FakeServer
from tests.sample import SAMPLE

KEY = "sk-do-not-show-0123456789abcdef"
HEADER = "gateway-secret-value"

SETTINGS = """
completion_models:
  default_completion_model:
    model_provider: openai
    model: fake-model
    api_base: {base}
    api_key: ${{SECRET_KEY}}
    headers: {{X-Gateway: {header}}}
    retry: {{max_retries: 1, base_delay: 0.01}}
embedding_models:
  default_embedding_model: {{provider: minilm, model: all-MiniLM-L6-v2}}
output_storage: {{base_dir: "{data}"}}
"""


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Exit status, and everything that was written anywhere: both streams, and every file in ``folder``."""
    away = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    environment = {name: value for name, value in os.environ.items() if name not in away}
    done = subprocess.run(
        [sys.executable, "-m", "graphrag_cli", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=Path(__file__).parents[2],
        env={**environment, "SECRET_KEY": KEY, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
    )
    files = [
        path.read_bytes().decode("utf-8", "replace")
        for path in folder.rglob("*")
        if path.is_file() and path.name != "settings.yaml"
    ]
    return done.returncode, "\n".join([done.stdout, done.stderr, *files])


@pytest.mark.parametrize(
    ("mode", "status"), [("clean", 0), ("401", 5), ("500", 5), ("html", 5), ("cut_half", 6), ("closed", 5)]
)
def test_a_query_keeps_the_key_to_itself(tmp_path: Path, server: FakeServer, mode: str, status: int) -> None:
    base = "http://127.0.0.1:9/v1" if mode == "closed" else server.base(mode)
    settings = tmp_path / "settings.yaml"
    settings.write_text(
        SETTINGS.format(base=base, data=(SAMPLE / "output").as_posix(), header=HEADER), encoding="utf-8"
    )
    flags = ("--config", str(settings), "--debug", "-v", "--record", str(tmp_path / "run.jsonl"))
    ended, written = run(tmp_path, "query", "local", "Who reached the South Pole first?", *flags)
    assert ended == status, written
    if mode != "closed":
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.requests[0].headers["x-gateway"] == HEADER
    for secret in (KEY, HEADER, "sk-secret-key"):
        assert secret not in written


@pytest.mark.parametrize("command", [("config", "show", "--origin"), ("config", "check")])
def test_what_is_said_of_settings_hides_the_key(tmp_path: Path, command: tuple[str, ...]) -> None:
    settings = tmp_path / "settings.yaml"
    text = SETTINGS.format(base="http://127.0.0.1:9/v1", data=(SAMPLE / "output").as_posix(), header=HEADER)
    settings.write_text(text, encoding="utf-8")
    _, written = run(tmp_path, *command, "--config", str(settings))
    assert KEY not in written
    assert HEADER not in written
