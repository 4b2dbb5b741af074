"""Real indexes, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit.tiny import write_index


@pytest.fixture(scope="session")
def indexes() -> Path:
    """Folder of the real indexes ``dulce-*``; tests that want them are skipped where it is not."""
    named = os.environ.get("GRAPHRAG_CLI_INDEXES")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "indexes"
    if not folder.is_dir():
        pytest.skip("no real indexes: set GRAPHRAG_CLI_INDEXES to the folder that holds dulce-*")
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The tiny good index, freshly written."""
    return write_index(tmp_path / "output")
