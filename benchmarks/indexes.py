"""Where generated indexes are kept, and having one made by another process when it is not there yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.project import write_settings
from benchmarks.spec import Spec


def ready(spec: Spec, cache: Path) -> Path:
    """The project folder of a sized or hub index, with settings.

    Made by a child process: what the measuring process has in memory would count as that of its children.
    """
    project = cache / spec.slug
    if not (project / "output").is_dir():
        flags = ("--hub",) if spec.hub else ("--entities", str(spec.entities))
        subprocess.run(
            [
                sys.executable,
                "-m",
                "benchmarks.generate",
                *flags,
                "--width",
                str(spec.width),
                "--to",
                str(cache),
            ],
            stdout=subprocess.DEVNULL,
            check=True,
        )
    write_settings(project, project / "output", spec.width)
    return project
