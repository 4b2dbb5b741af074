"""The values that loading takes and gives: where to look, what was found, where it came from, what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from graphrag_cli.config.settings import Settings
from graphrag_cli.errors import SettingsError


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


OriginKind = Literal["default", "file", "dotenv", "environment", "set", "flag"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an effective value came from."""

    kind: OriginKind
    place: str = ""
    """``settings.yaml:12``, the variable's name, or the flag."""

    def __str__(self) -> str:
        match self.kind:
            case "default":
                return "default"
            case "dotenv":
                return f"{self.place} in .env"
            case "environment":
                return f"{self.place} in the environment"
            case "set":
                return f"--set {self.place}"
            case _:
                return self.place


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the settings that is not right, with what to do."""

    severity: Literal["warning", "error"]
    code: str
    key: str
    text: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A key whose value cannot be had: a variable that is not set, a placeholder, an empty key.

    Only an error for a run that needs the key.
    """

    key: str
    text: str
    """What is wrong, with the place."""
    hint: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings as they hold, with their history."""

    settings: Settings
    path: Path
    """The settings file."""
    origins: Mapping[str, Origin]
    """By dotted key, e.g. ``drift_search.n_depth``; keys not listed are defaults."""
    findings: tuple[Finding, ...]
    """Worth telling on every run."""
    unresolved: Mapping[str, Unresolved] = field(default_factory=dict[str, Unresolved])
    """By dotted key: values that are missing, see ``require``. The setting itself holds its default."""
    remarks: tuple[Finding, ...] = ()
    """Worth telling by ``config check`` only: keys that are read and have no effect."""

    def require(self, *keys: str) -> None:
        """Raises ``SettingsError`` when one of ``keys``, or of the keys below it, has no value that can be used.

        To be called with what a run is going to use, e.g. ``completion_models.default_completion_model``.
        """
        for key in keys:
            for dotted, problem in self.unresolved.items():
                if dotted == key or dotted.startswith(f"{key}."):
                    raise SettingsError(problem.text, hint=problem.hint)
