"""The fake endpoint as a child process, and what it remembers of the calls."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from types import TracebackType
from typing import IO, cast

from benchmarks.calls import Call, Latency

# Loopback must not go through a proxy that the environment names.
_OPEN = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


@dataclass(slots=True)
class Served:
    """``with Served(Latency(0.4), width=1536) as endpoint``: runs while the block does."""

    latency: Latency
    width: int
    followups: int = 5
    port: int = 0
    _process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Served:
        """Starts it and waits for its port."""
        latency = self.latency
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "benchmarks.endpoint", "--width", str(self.width)),
                *(
                    "--first",
                    str(latency.first),
                    "--token",
                    str(latency.token),
                    "--jitter",
                    str(latency.jitter),
                ),
                *("--seed", str(latency.seed), "--followups", str(self.followups)),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = int(cast("IO[str]", self._process.stdout).readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            cast("IO[str]", self._process.stdout).close()

    @property
    def base(self) -> str:
        """Address for settings."""
        return f"http://127.0.0.1:{self.port}/v1"

    def reset(self) -> None:
        """Forgets the calls."""
        request = urllib.request.Request(f"{self.base}/reset", data=b"{}", method="POST")
        with _OPEN(request):
            pass

    def calls(self) -> list[Call]:
        """Calls since the last reset, in the order they ended."""
        with _OPEN(f"{self.base}/calls") as response:
            return [Call(**call) for call in json.load(response)]
