"""The tiny index, as a fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.tiny import write_index


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The tiny good index, freshly written."""
    return write_index(tmp_path / "output")
