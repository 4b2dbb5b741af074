"""Measures whole processes: wall, CPU and peak memory, as medians after a warm-up."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

DEADLINE = 900.0
"""Seconds after which a run is ended."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One process from start to exit: ``cpu`` is user and system seconds, ``peak`` the largest resident bytes."""

    wall: float
    cpu: float
    peak: float
    status: int
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class Figure:
    """Medians over the runs of one command; ``best`` is the quickest wall time."""

    wall: float
    cpu: float
    peak: float
    best: float
    runs: int
    failed: str = ""
    """The end of stderr, when the command failed."""


def run_once(command: Sequence[str], environment: Mapping[str, str]) -> Sample:
    """Runs ``command`` to its end in a fresh process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=_as_installed(environment)
        )
        timer = threading.Timer(DEADLINE, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        texts: list[str] = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    peak = usage.ru_maxrss * 1024
    return Sample(wall, usage.ru_utime + usage.ru_stime, peak, process.returncode, texts[0], texts[1])


def _as_installed(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment, in which modules are compiled once, as those of an installed tool are."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, **environment}


def summary(samples: Sequence[Sample]) -> Figure:
    """The figure that ``samples`` of one command make."""
    bad = next((sample for sample in samples if sample.status != 0), None)
    return Figure(
        wall=statistics.median(sample.wall for sample in samples),
        cpu=statistics.median(sample.cpu for sample in samples),
        peak=statistics.median(sample.peak for sample in samples),
        best=min(sample.wall for sample in samples),
        runs=len(samples),
        failed=(bad.errors.strip() or f"status {bad.status}")[-400:] if bad else "",
    )


def compare(
    commands: Mapping[str, Sequence[str]],
    environment: Mapping[str, str],
    runs: int,
    before: Callable[[], None] = lambda: None,
) -> dict[str, Figure]:
    """Figures of several commands, run in turns so that the machine's moods fall on all alike.

    Each is run once unmeasured first; a command that fails then is not run again. ``before`` is called before
    every run.
    """
    samples: dict[str, list[Sample]] = {}
    for name, command in commands.items():
        before()
        samples[name] = [run_once(command, environment)]
    whole = [name for name, first in samples.items() if first[0].status == 0]
    for name in whole:
        samples[name].clear()
    for _ in range(runs):
        for name in whole:
            before()
            samples[name].append(run_once(commands[name], environment))
    return {name: summary(made) for name, made in samples.items()}


@dataclass(frozen=True, slots=True)
class Import:
    """One module of ``-X importtime``; seconds, with and without what it imported."""

    module: str
    own: float
    total: float


_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|(\s+)(\S+)")


def imports(errors: str) -> list[Import]:
    """The modules in the output of ``-X importtime``, the dearest first."""
    found = [Import(match[4], int(match[1]) / 1e6, int(match[2]) / 1e6) for match in _IMPORT.finditer(errors)]
    return sorted(found, key=lambda one: -one.total)


def by_package(found: Sequence[Import]) -> list[tuple[str, float, int]]:
    """Own seconds and number of modules of each top-level package, the dearest first."""
    seconds: dict[str, float] = {}
    counts: dict[str, int] = {}
    for one in found:
        package = one.module.split(".", 1)[0]
        seconds[package] = seconds.get(package, 0.0) + one.own
        counts[package] = counts.get(package, 0) + 1
    return sorted(((name, spent, counts[name]) for name, spent in seconds.items()), key=lambda one: -one[1])
