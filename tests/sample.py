"""The sample index, opened once for the tests that read it."""

from __future__ import annotations

import functools
from pathlib import Path

from graphrag_cli.index.open import open_folder
from graphrag_cli.index.snapshot import Snapshot

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_index"


@functools.cache
def sample_snapshot() -> Snapshot:
    """The tables of the sample index."""
    return open_folder(SAMPLE / "output")
