"""Makes a synthetic index once and keeps it: ``python -m benchmarks.generate --entities 10000 --to DIR``."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from benchmarks import vectors
from benchmarks.graph import make_communities, make_graph
from benchmarks.spec import Spec, hub, sized
from benchmarks.tables import Writer


def make(spec: Spec, project: Path) -> None:
    """The tables and vectors, made beside their place and moved there when whole."""
    began = time.perf_counter()
    _say(f"making {asdict(spec)} …")
    unfinished = project / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    (unfinished / "lancedb").mkdir(parents=True)
    graph = make_graph(spec, np.random.default_rng(spec.seed))
    writer = Writer(unfinished, spec, graph, make_communities(spec.entities))
    writer.write()
    stores = {
        "entity_description": writer.entity_ids,
        "community_full_content": writer.report_ids,
        "text_unit_text": writer.unit_ids,
    }
    for seed, (name, ids) in enumerate(stores.items(), start=spec.seed + 10):
        first = name == "entity_description"
        vectors.write_table(
            unfinished / "lancedb" / f"{name}.lance",
            ids.slice(0, spec.vectors),
            spec.width,
            seed,
            hub=first and spec.hub is not None,
            ann=first and spec.ann,
        )
    unfinished.rename(project / "output")
    _say(f"made in {time.perf_counter() - began:.0f} s: {project}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=10_000)
    parser.add_argument("--hub", action="store_true", help="the hub preset instead of a size")
    parser.add_argument("--width", type=int, default=1536)
    parser.add_argument("--vectors", type=int, default=200_000, help="at most so many rows per vector table")
    parser.add_argument("--ann", action="store_true", help="give the entity vectors an approximate index")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--to", type=Path, required=True, help="folder that holds generated indexes")
    args = parser.parse_args()
    base = hub(args.width) if args.hub else sized(args.entities, args.width)
    spec = replace(base, vectors=args.vectors, ann=args.ann, seed=args.seed)
    project = args.to / spec.slug
    if not (project / "output").is_dir():
        make(spec, project)
    print(project)


if __name__ == "__main__":
    main()
