"""Files that the package ships: default prompts, sample settings, sample index, vocabularies.

In a wheel they lie under ``graphrag_cli/_data``; in a checkout they are the top-level folders themselves.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """Path of ``prompts``, ``settings.yaml`` or ``sample_index`` as shipped."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.exists() else _PACKAGE.parent / name


def vocabulary(name: str) -> Path:
    """Path of a data file under ``graphrag_cli/llm/data``."""
    return _PACKAGE / "llm" / "data" / name
