"""Against an endpoint that takes its time: how close a run comes to what waiting alone would take."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import rows
from benchmarks.calls import Call, Latency
from benchmarks.indexes import ready
from benchmarks.measure import Sample, run_once
from benchmarks.project import BASE_VARIABLE
from benchmarks.served import Served
from benchmarks.spec import sized

SLOW: Final = Latency(first=0.4, token=0.004, jitter=0.6, seed=3)
EVEN: Final = Latency(first=0.3)
QUESTIONS: Final = 200
CONCURRENCY: Final = 32


def seconds(call: Call) -> float:
    """How long the endpoint held it."""
    return call.ended - call.began


def critical_path(calls: Sequence[Call], nodes: Sequence[dict[str, Any]]) -> float:
    """Seconds of the longest chain of calls that had to wait for one another in a DRIFT run.

    HyDE, the embedding of its text, the slowest primer fold, the dearest path of follow-ups from the root (each
    waits for the embedding of its siblings and itself), and the final answer. ``nodes`` are those of the state; the endpoint's own clock gives the durations.
    """
    ordered = sorted(calls, key=lambda call: call.began)
    plain = [call for call in ordered if call.stage == "answer"]
    embeds = [call for call in ordered if call.stage == "embed"]
    primers = [seconds(call) for call in ordered if call.stage == "primer"]
    steps: dict[str, float] = {}
    for call in ordered:
        if call.stage == "step":
            steps[call.asked] = max(steps.get(call.asked, 0.0), seconds(call))
    ends = [seconds(call) for call in (plain[0], plain[-1], *embeds[:1])]
    embedded = {call.asked: seconds(call) for call in embeds}
    return sum(ends) + max(primers, default=0.0) + _dearest_path(nodes, steps, embedded)


def _dearest_path(
    nodes: Sequence[dict[str, Any]], steps: dict[str, float], embedded: dict[str, float]
) -> float:
    """Nodes come in the order they were raised, so parents come before their children.

    A question waits for its first parent alone; the others raised it again.
    """
    ready: dict[str, float] = {}
    longest = 0.0
    for node in nodes:
        if node["level"] is None:
            continue
        before = max((ready.get(parent, 0.0) for parent in node["parents"][:1]), default=0.0)
        until = before + steps.get(node["query"][:200], 0.0)
        longest = max(longest, until)
        first = "".join(node["follow_ups"][:1])
        ready[node["id"]] = until + embedded.get(first[:200], 0.0)
    return longest


def print_drift(command: Sequence[str], cache: Path) -> None:
    """DRIFT over Dulce (a synthetic index where Dulce is not there): wall time beside the critical path."""
    row = next((row for row in rows.method_rows(command, cache) if row.name == "drift, Dulce"), None)
    project, width = (row.project, row.width) if row else (ready(sized(1000), cache), 1536)
    assert project is not None
    with Served(SLOW, width) as endpoint:
        asked = (*rows.query(command, project, "drift"), "--format", "json")
        sample = _checked(
            run_once(asked, {BASE_VARIABLE: endpoint.base, "GRAPHRAG_CLI_CACHE": str(cache / "kept")})
        )
        calls = endpoint.calls()
    if sample is None:
        return
    chain = critical_path(calls, json.loads(sample.output)["drift"]["nodes"])
    aim = 1.15 * chain + 1
    print(
        f"drift, {len(calls)} calls: {sample.wall:.2f} s; critical path {chain:.2f} s, "
        f"× {sample.wall / chain:.2f} (aim: at most {aim:.2f} s); cpu {sample.cpu:.2f} s"
    )


def print_batch(command: Sequence[str], cache: Path) -> None:
    """Local questions, many at a time: wall time beside what the waits alone take."""
    dulce = next((row for row in rows.method_rows(command, cache) if row.name == "local, Dulce"), None)
    if dulce is not None and dulce.project is not None:
        _print_batch(command, cache, "Dulce", dulce.project, dulce.width)
    _print_batch(command, cache, "100,000 entities", ready(sized(100_000), cache), 1536)


def _print_batch(command: Sequence[str], cache: Path, name: str, project: Path, width: int) -> None:
    questions = cache / "questions.txt"
    lines = [f"What became of case {number}?" for number in range(QUESTIONS)]
    questions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = (*command, "batch", str(questions), "--method", "local", "--root", str(project))
    asked = (*asked, "--concurrency", str(CONCURRENCY), "--quiet")
    with Served(EVEN, width) as endpoint:
        sample = _checked(
            run_once(asked, {BASE_VARIABLE: endpoint.base, "GRAPHRAG_CLI_CACHE": str(cache / "kept")})
        )
        calls = endpoint.calls()
    if sample is None:
        return
    rounds = math.ceil(QUESTIONS / CONCURRENCY)
    ideal = rounds * sum(seconds(call) for call in calls) / QUESTIONS
    asking = max(call.ended for call in calls) - min(call.began for call in calls)
    print(
        f"batch, {QUESTIONS} local questions, {CONCURRENCY} at a time, {name}: {sample.wall:.2f} s; waits alone {ideal:.2f} s "
        f"({100 * ideal / sample.wall:.0f} %; from the first call to the last {100 * ideal / asking:.0f} %); "
        f"cpu {sample.cpu:.2f} s; peak {sample.peak / 2**20:.0f} MiB"
    )


def _checked(sample: Sample) -> Sample | None:
    if sample.status == 0:
        return sample
    print(f"failed: {sample.errors.strip()[-300:]}")
    return None
