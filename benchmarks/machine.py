"""The state of the machine, without which a figure says nothing."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

LIBRARIES = ("lancedb", "pylance", "openai", "pyarrow", "numpy", "pydantic", "tiktoken")


def state() -> str:
    """Processor, load, memory, Python and libraries, in a few lines."""
    load = "/".join(f"{value:.1f}" for value in os.getloadavg())
    versions = ", ".join(f"{name} {_version(name)}" for name in LIBRARIES)
    return (
        f"{_processor()}, {os.cpu_count()} cores, {_memory()} GiB free; load {load}; "
        f"Python {platform.python_version()}, {platform.system()} {platform.release()}\n{versions}"
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "–"


def _processor() -> str:
    return _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()


def _memory() -> str:
    free = _field("/proc/meminfo", "MemAvailable")
    return f"{int(free.split()[0]) / 2**20:.0f}" if free else "?"


def _field(path: str, name: str) -> str:
    if not Path(path).exists():
        return ""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
