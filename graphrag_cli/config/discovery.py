"""Finds the settings file of a project."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from graphrag_cli.config.loaded import Finding, Where
from graphrag_cli.errors import SettingsError

NAMES = ("settings.yaml", "settings.yml", "settings.json")
INSIDE = frozenset({"input", "output", "prompts", "cache", "logs", "update_output", "lancedb", "artifacts"})
"""Folders of a project that people name in its place."""
HOW_TO_GO_ON = "name the project's folder with --root DIR, or make a project to try things on: graphrag-cli init DIR --sample"


@dataclass(frozen=True, slots=True)
class Found:
    """The settings file, absolute, and what is to be told about how it was found."""

    path: Path
    findings: tuple[Finding, ...] = ()


def expanded(place: Path) -> Path:
    """``place`` with the home that its ``~`` stands for; as it is where nobody has that home."""
    return Path(os.path.expanduser(place))  # noqa: PTH111 - that of Path raises instead


def find_settings(where: Where) -> Found:
    """The settings file of the project at ``where``. Raises ``SettingsError`` when there is none."""
    if where.config is not None:
        return Found(_named(where.config))
    if where.root is None:
        return _from_working_folder(Path.cwd())
    root = expanded(where.root).absolute()
    if root.is_file():
        return Found(root)
    if not root.is_dir():
        raise SettingsError(f"--root {where.root}: no such folder", hint=HOW_TO_GO_ON)
    if path := _in(root):
        return Found(path)
    return _around(root)


def _named(config: Path) -> Path:
    path = expanded(config).absolute()
    if path.is_dir():
        raise SettingsError(
            f"--config {config} is a folder", hint="name the file itself, or give the folder with --root"
        )
    if not path.exists():
        raise SettingsError(f"--config {config}: no such file", hint=HOW_TO_GO_ON)
    return path


def _in(folder: Path) -> Path | None:
    return next((path for name in NAMES if (path := folder / name).is_file()), None)


def _from_working_folder(start: Path) -> Found:
    for folder in (start, *start.parents):
        if path := _in(folder):
            return Found(path)
    raise SettingsError(
        f"there is no GraphRAG project here: no {NAMES[0]} (or {NAMES[1]}, {NAMES[2]}) in {start} or a folder above it",
        hint=HOW_TO_GO_ON,
    )


def _around(root: Path) -> Found:
    """``root`` holds no settings: takes the project that it is a part of, or says where one is nearby."""
    for folder in root.parents:
        if path := _in(folder):
            inside = root.relative_to(folder).parts[0]
            if inside in INSIDE:
                text = f"--root {root} is the project's {inside} folder; {folder} was used"
                return Found(
                    path, (Finding("warning", "settings.root", "root", text, f"give --root {folder}"),)
                )
            raise _no_settings(root, f"there is a project above it: --root {folder}")
    near = sorted(child for child in root.iterdir() if child.is_dir() and _in(child))
    raise _no_settings(root, f"there is a project in it: --root {near[0]}" if near else HOW_TO_GO_ON)


def _no_settings(root: Path, hint: str) -> SettingsError:
    return SettingsError(f"--root {root}: no {NAMES[0]} (or {NAMES[1]}, {NAMES[2]}) there", hint=hint)
