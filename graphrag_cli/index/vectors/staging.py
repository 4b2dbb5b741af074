"""Vectors on their way to a table: written as they arrive, so that a run that was killed goes on where it was.

A folder with three files. ``plan.json`` says what is being embedded; ``vectors.f32`` holds the vectors at their
places; ``done.log`` gets a line ``start end`` once the vectors of that range are written. A line that was cut short
or damaged is ignored, and only what it stood for is embedded again.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from graphrag_cli.errors import VectorError
from graphrag_cli.index.graph import Rows
from graphrag_cli.index.vectors.similarity import Matrix, usable

_LOG_LINE = re.compile(r"^(width|\d{1,18}) (\d{1,18})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is embedded: by which model, which texts (their fingerprint), how many."""

    model: str
    fingerprint: str
    rows: int


class Staging:
    """The vectors of one table while it is being built."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        if _read_plan(folder / "plan.json") != plan:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / "plan.json").write_text(json.dumps(asdict(plan)), encoding="utf-8")
        self._width, self._done = _read_log(folder / "done.log", plan.rows)

    @property
    def width(self) -> int | None:
        """Length of the vectors, once the first ones are there."""
        return self._width

    @property
    def done(self) -> int:
        """How many vectors are written."""
        return int(self._done.sum())

    def missing(self) -> Rows:
        """Places that are not written yet, ascending."""
        return np.flatnonzero(~self._done)

    def put(self, places: Rows, vectors: Matrix) -> None:
        """Writes vectors at ``places`` and logs them. Raises ``VectorError`` when they are not of one width and finite."""
        self._check(places, vectors)
        data = np.ascontiguousarray(vectors, np.float32)
        path = self._folder / "vectors.f32"
        with path.open("r+b" if path.exists() else "w+b") as file:
            for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) != 1) + 1):
                file.seek(int(places[run[0]]) * data.shape[1] * 4)
                file.write(data[run].tobytes())
        lines = "".join(f"{run[0]} {run[-1] + 1}\n" for run in _runs(places))
        with (self._folder / "done.log").open("a", encoding="ascii") as log:
            log.write(f"width {data.shape[1]}\n{lines}" if self._width is None else lines)
        self._width = data.shape[1]
        self._done[places] = True

    def _check(self, places: Rows, vectors: Matrix) -> None:
        wanted = (len(places), self._width or (vectors.shape[1] if vectors.ndim == 2 else 0))
        if vectors.shape != wanted:
            raise VectorError(
                f"the embedding model {self._plan.model!r} sent vectors of shape {vectors.shape} where {wanted} was due",
                hint="check that one and the same model serves every request",
            )
        if not usable(vectors).all():
            raise VectorError(
                f"the embedding model {self._plan.model!r} sent a vector that is zero or not finite",
                hint="try again; if it stays so, another model or server version is needed",
            )

    def vectors(self) -> Matrix:
        """All vectors, mapped from the file."""
        width = self._width or 0
        if not self._plan.rows or not width:
            return np.empty((0, width), np.float32)
        return np.memmap(self._folder / "vectors.f32", np.float32, "r", shape=(self._plan.rows, width))

    def remove(self) -> None:
        """Deletes the folder, when its table is written."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _runs(places: Rows) -> list[Rows]:
    return np.split(places, np.flatnonzero(np.diff(places) != 1) + 1)


def _read_plan(path: Path) -> Plan | None:
    try:
        return Plan(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _read_log(path: Path, rows: int) -> tuple[int | None, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    width: int | None = None
    done = np.zeros(rows, np.bool_)
    text = path.read_text(encoding="ascii", errors="replace") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    for first, second in _LOG_LINE.findall(whole):
        if first == "width":
            width = int(second)
        elif width is not None:  # without it, nobody knows where the vectors of the range lie
            done[int(first) : int(second)] = True
    if text != whole:
        path.write_text(whole.encode("ascii", "replace").decode(), encoding="ascii")
    return width, done
