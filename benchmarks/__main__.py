"""``python -m benchmarks``: prints wall, CPU and peak memory of whole processes. ``--help`` says the rest."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import latency, rows, table
from benchmarks.calls import Latency
from benchmarks.machine import state
from benchmarks.measure import Figure, by_package, compare, imports, run_once, summary
from benchmarks.project import BASE_VARIABLE
from benchmarks.rows import Row
from benchmarks.served import Served

GROUPS = ("start", "methods", "sizes", "hub", "batch", "latency", "imports")


class Bench:
    """One run of the benchmarks."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._command = rows.tool(args.command)
        self._other: str | None = args.vs
        self._runs: int = args.runs
        self._cache: Path = args.cache
        self._kept: Path = self._cache / "kept"
        """What the tool itself caches: not in the user's own folder."""
        self._json: Path | None = args.json
        self._sizes: list[int] = [int(float(size)) for size in args.sizes.split(",")]
        self._methods: list[str] = args.methods.split(",")

    def run(self, groups: Sequence[str]) -> None:
        """Prints the groups asked for, one after another."""
        print(state(), flush=True)
        does: dict[str, Callable[[], None]] = {
            "start": self._print_start,
            "methods": self._print_methods,
            "sizes": self._print_sizes,
            "hub": self._print_hub,
            "batch": lambda: latency.print_batch(self._command, self._cache),
            "latency": lambda: latency.print_drift(self._command, self._cache),
            "imports": self._print_imports,
        }
        for group in groups:
            print(f"\n{group}", flush=True)
            does[group]()

    def _measured(self, row: Row) -> tuple[Figure, Figure | None]:
        commands = {"own": row.command}
        other = rows.other(self._other, row) if self._other else None
        if other is not None:
            commands["other"] = other
        with Served(Latency(), row.width or 8) as endpoint:
            figures = compare(commands, environment(endpoint, self._kept), self._runs)
        return figures["own"], figures.get("other")

    def _print_first(self, wanted: Sequence[Row]) -> None:
        """The first question ever: nothing is cached yet, and everything that is kept is made."""
        for row in wanted:
            with (
                Served(Latency(), row.width) as endpoint,
                tempfile.TemporaryDirectory(dir=self._cache) as empty,
            ):
                first = summary([run_once(row.command, environment(endpoint, Path(empty)))])
            print(table.rendered(table.cells(f"  first: {row.name}", first, None)), flush=True)

    def _print(self, wanted: Sequence[Row]) -> list[Figure]:
        """Measures and prints; every line as soon as it is known."""
        print(table.rendered(table.HEAD), flush=True)
        figures: list[Figure] = []
        for row in wanted:
            own, other = self._measured(row)
            figures.append(own)
            print(table.rendered(table.cells(row.name, own, other)), flush=True)
            if self._json:
                table.append(self._json, row.name, own, other)
        return figures

    def _print_start(self) -> None:
        self._print(rows.start_rows(self._command))

    def _print_methods(self) -> None:
        self._print(rows.method_rows(self._command, self._cache))

    def _print_hub(self) -> None:
        self._print(rows.hub_rows(self._command, self._cache))

    def _print_sizes(self) -> None:
        for method in self._methods:
            wanted = rows.size_rows(self._command, self._cache, self._sizes, [method])
            figures = self._print(wanted)
            if method == "local":
                self._print_first(wanted)
            if len(figures) > 1 and not any(figure.failed for figure in figures):
                wall = table.exponent(self._sizes, [figure.wall for figure in figures])
                cpu = table.exponent(self._sizes, [figure.cpu for figure in figures])
                peak = table.exponent(self._sizes, [figure.peak for figure in figures])
                print(f"{method}: grows as size^{wall:.2f} (wall), ^{cpu:.2f} (cpu), ^{peak:.2f} (memory)")

    def _print_imports(self) -> None:
        """What each command imports, by package and own seconds."""
        wanted = [*rows.start_rows(self._command)[1:2], *rows.method_rows(self._command, self._cache)]
        for row in wanted:
            with Served(Latency(), row.width or 8) as endpoint:
                variables = {**environment(endpoint, self._kept), "PYTHONPROFILEIMPORTTIME": "1"}
                found = imports(run_once(row.command, variables).errors)
            packages = by_package(found)
            total = sum(spent for _, spent, _ in packages)
            shown = ", ".join(f"{name} {spent:.3f} ({count})" for name, spent, count in packages[:14])
            print(f"{row.name}: {total:.2f} s in {len(found)} modules\n    {shown}", flush=True)


def environment(endpoint: Served, kept: Path) -> dict[str, str]:
    """Variables of a measured process, which keeps its caches in ``kept``."""
    return {
        BASE_VARIABLE: endpoint.base,
        "GRAPHRAG_CLI_CACHE": str(kept),
        "NO_PROXY": "127.0.0.1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def main() -> None:
    """The command line."""
    kept = Path(os.environ.get("TMPDIR") or tempfile.gettempdir()) / "graphrag-cli-bench"
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", default=list(GROUPS), help=f"of: {', '.join(GROUPS)}")
    parser.add_argument(
        "--runs", type=int, default=5, help="runs of each command after one that is not counted"
    )
    parser.add_argument("--cache", type=Path, default=kept, help="folder that keeps generated indexes")
    parser.add_argument("--sizes", default="1e3,1e4,1e5,1e6", help="entities of the synthetic indexes")
    parser.add_argument("--methods", default="local,basic,global,drift", help="methods over the sizes")
    parser.add_argument("--command", help="the command to measure instead of this checkout's")
    parser.add_argument("--vs", metavar="COMMAND", help=f"another tool beside it, such as: {rows.REFERENCE}")
    parser.add_argument("--json", type=Path, help="append every figure to this file, one JSON line each")
    args = parser.parse_args()
    unknown = set(args.groups) - set(GROUPS)
    if unknown:
        parser.error(f"no group {', '.join(sorted(unknown))}; there are: {', '.join(GROUPS)}")
    Bench(args).run(args.groups)


if __name__ == "__main__":
    main()
