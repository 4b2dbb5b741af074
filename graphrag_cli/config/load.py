"""From files, environment and flags to one frozen ``Settings``, with the origin of every value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graphrag_cli.config.settings import Settings


@dataclass(frozen=True, slots=True)
class Where:
    """Where the user said the project is."""

    root: Path | None = None
    """Folder of the project; unset: the working folder, then its parents."""
    config: Path | None = None
    """The settings file itself."""
    data: tuple[str, ...] = ()
    """Folders or URLs of tables (``--data``); moves the vector store that lies in them too."""
    overrides: tuple[str, ...] = ()
    """``key=value`` of ``--set``."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an effective value came from."""

    kind: Literal["default", "file", "dotenv", "environment", "set", "flag"]
    place: str = ""
    """``settings.yaml:12``, the variable's name, or the flag."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the settings that is not right, with what to do."""

    severity: Literal["warning", "error"]
    code: str
    key: str
    text: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings as they hold, with their history."""

    settings: Settings
    path: Path
    """The settings file."""
    origins: Mapping[str, Origin]
    """By dotted key, e.g. ``drift_search.n_depth``; keys not listed are defaults."""
    findings: tuple[Finding, ...]


def load(where: Where) -> Loaded:
    """Reads the settings of the project at ``where``. Raises ``SettingsError``."""
    raise NotImplementedError
