"""What every test stands on: no foreign environment, no network beyond this machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Tests count, they do not time: a slow or busy machine must not fail them.
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")

_FOREIGN = (
    "OPENAI_",
    "AZURE_",
    "GRAPHRAG_",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_COLOR",
    "FORCE_COLOR",
)
_KEPT = ("GRAPHRAG_CLI_INDEXES", "GRAPHRAG_CLI_TEST_GGUF")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, proxies and settings of the person who runs the tests must not reach them."""
    for name in list(os.environ):
        if name.upper().startswith(_FOREIGN) and name not in _KEPT:
            monkeypatch.delenv(name)
    # Nor may tests leave anything in that person's cache folder.
    monkeypatch.setenv("GRAPHRAG_CLI_CACHE", "off")


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches out fails at once instead of depending on the world."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = str(address[0]) if self.family in {socket.AF_INET, socket.AF_INET6} else ""
        if host not in {"127.0.0.1", "::1", "localhost", ""}:
            raise AssertionError(f"a test tried to connect to {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def indexes() -> Path:
    """Folder of the real indexes ``dulce-*``; tests that want them are skipped where it is not."""
    named = os.environ.get("GRAPHRAG_CLI_INDEXES")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "indexes"
    if not folder.is_dir():
        pytest.skip("no real indexes: set GRAPHRAG_CLI_INDEXES to the folder that holds dulce-*")
    return folder
