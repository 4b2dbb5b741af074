"""Answers questions over a Microsoft GraphRAG index, from the shell and from Python.

from graphrag_cli import Project

with Project.open("path/to/project") as project:
    print(project.ask_sync("Who led the Fram expedition?", method="local").text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_cli.project import Project

__all__ = ["Project", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # The command line imports this package first: the project, and all it needs, comes only when asked for.
    if name == "Project":
        from graphrag_cli.project import Project

        return Project
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
