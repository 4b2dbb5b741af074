"""The shape of the program, kept: who may import whom, and what must not be loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "graphrag_cli"

RANKS: dict[str, int] = {
    "errors": 0,
    "jsontext": 0,
    "resources": 0,
    "together": 0,
    "events": 1,
    "config": 2,
    "index": 3,
    "llm": 3,
    "context": 4,
    "engines": 5,
    "project": 6,
    "documents": 6,
    "sessions": 6,
    "scaffold": 6,
    "batch": 7,
    "evaluate": 7,
    "cli": 8,
    "__main__": 9,
    "__init__": 9,
}
"""A module imports what has a lower rank, or its own folder."""

INSIDE: dict[str, dict[str, int]] = {
    "cli": {"terminal": 0, "flags": 1, "render": 2, "asking": 3, "upkeep": 3, "commands": 4},
    "index": {"kept": 0, "tables": 1, "vectors": 2, "checks": 3},
    "llm": {"reading": 0, "counting": 0, "endpoints": 1, "around": 2, "in_process": 3, "extractive": 4},
}
"""The same for the folders inside a room; its modules that stand in no folder are the frame around them."""

CONFINED = {
    "openai": ("llm/endpoints/",),
    "lancedb": ("index/vectors/",),
    "lance": ("index/vectors/",),
    "onnxruntime": ("llm/in_process/",),
    "tiktoken": ("llm/counting/",),
    "tokenizers": ("llm/counting/", "llm/in_process/"),
    "xllamacpp": ("llm/in_process/",),
    "networkx": ("engines/drift/",),
    "typer": ("cli/",),
    "click": ("cli/",),
    "rich": ("cli/",),
}
"""Libraries that only these places may import."""

HEAVY = (
    "pandas",
    "lancedb",
    "lance",
    "openai",
    "networkx",
    "pyarrow",
    "numpy",
    "pydantic",
    "onnxruntime",
    "tiktoken",
)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_below(path: Path) -> None:
    own = room(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "graphrag_cli" or len(parts) == 1:
            continue
        other = parts[1]
        if other == own:
            continue
        assert RANKS[other] < RANKS[own], f"{own} must not import {name}"


def modules_inside() -> list[Path]:
    return sorted(path for own in INSIDE for path in (PACKAGE / own).glob("*/**/*.py"))


@pytest.mark.parametrize("path", modules_inside(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_folder_inside_a_room_imports_only_from_below(path: Path) -> None:
    house, own = path.relative_to(PACKAGE).parts[:2]
    ranks = INSIDE[house]
    for name in imports(path):
        other = name.removeprefix(f"graphrag_cli.{house}.").split(".")[0]
        if name.startswith(f"graphrag_cli.{house}.") and other in ranks and other != own:
            assert ranks[other] < ranks[own], f"{house}/{own} must not import {name}"


def test_every_room_has_a_rank() -> None:
    assert {room(path) for path in modules()} <= set(RANKS)
    for house, ranks in INSIDE.items():
        folders = {path.parent.name for path in (PACKAGE / house).glob("*/__init__.py")}
        assert folders == set(ranks)


@pytest.mark.parametrize("library", CONFINED)
def test_a_library_stays_where_it_belongs(library: str) -> None:
    places = CONFINED[library]
    strays = [
        str(path.relative_to(PACKAGE))
        for path in modules()
        if any(name.split(".")[0] == library for name in imports(path))
        and not str(path.relative_to(PACKAGE)).startswith(places)
    ]
    assert strays == []


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    assert not loaded_by("import graphrag_cli.cli.app") & set(HEAVY)


def test_no_module_is_a_heap() -> None:
    long = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules()
    }
    assert {name: lines for name, lines in long.items() if lines > 400} == {}
