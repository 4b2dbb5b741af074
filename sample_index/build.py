"""Builds the sample index: `python -m sample_index.build`.

Without options it writes `output/*.parquet`, `output/lancedb/`, `expected.yaml` and `questions.txt` from the
sources. All but the vectors are the same bytes every time, on one pyarrow version at least.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from sample_index import _communities, _expected, _sources, _tables
from sample_index._model import Model, load, sha512
from sample_index._sources import GRAPH, HERE, SourceError

OUTPUT = HERE / "output"
EXPECTED = HERE / "expected.yaml"
QUESTIONS = HERE / "questions.txt"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the return value is the exit status."""
    options = _parser().parse_args(arguments)
    try:
        if options.count_tokens:
            count_tokens()
        elif options.regroup:
            regroup()
        elif options.check:
            return _report_differences(differences())
        else:
            build(vectors=not options.no_vectors)
    except SourceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def build(*, vectors: bool) -> None:
    """Write everything; `vectors=False` leaves the LanceDB folder alone."""
    parquet: Any = import_module("pyarrow.parquet")
    model = load()
    OUTPUT.mkdir(exist_ok=True)
    for name, table in _tables.tables(model).items():
        parquet.write_table(table, OUTPUT / f"{name}.parquet", compression="zstd")
        print(f"{name:18} {table.num_rows:4} rows")
    for path, text in _texts(model).items():
        path.write_text(text, encoding="utf-8")
    if vectors:
        # Imported late, so that a check of the tables loads no model.
        from sample_index import _vectors

        _vectors.write(OUTPUT / "lancedb", _tables.rows(model))


def differences() -> list[str]:
    """Names of the outputs that a fresh build would change (vectors are not compared)."""
    parquet: Any = import_module("pyarrow.parquet")
    model = load()
    changed = [
        f"output/{name}.parquet"
        for name, table in _tables.tables(model).items()
        if not _same(OUTPUT / f"{name}.parquet", table, parquet)
    ]
    texts = _texts(model).items()
    return changed + [p.name for p, text in texts if not p.exists() or p.read_text(encoding="utf-8") != text]


def regroup() -> None:
    """Find the communities again, after entities or relationships have changed, and keep them."""
    found = _communities.detect(_sources.read_entities(), _sources.read_relationships())
    lines = ["# Found by `python -m sample_index.build --regroup`; do not edit.\n"]
    for c in found:
        members = "".join(f"    - {json.dumps(title, ensure_ascii=False)}\n" for title in c.members)
        lines.append(
            f"- community: {c.number}\n  level: {c.level}\n  parent: {c.parent}\n  members:\n{members}"
        )
    (GRAPH / "communities.yaml").write_text("\n".join(lines), encoding="utf-8")


def count_tokens() -> None:
    """Count the tokens of each text unit again; tiktoken fetches its vocabulary if it is not cached."""
    tiktoken: Any = import_module("tiktoken")
    encoding = tiktoken.get_encoding("cl100k_base")
    texts = [text for document in _sources.read_documents() for text in document.paragraphs]
    lines = ["text_unit\ttokens", *(f"{sha512(text)[:16]}\t{len(encoding.encode(text))}" for text in texts)]
    (GRAPH / "token_counts.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _texts(model: Model) -> dict[Path, str]:
    return {EXPECTED: _expected.render(model), QUESTIONS: _expected.question_lines()}


def _same(path: Any, table: Any, parquet: Any) -> bool:
    return path.exists() and parquet.read_table(path).equals(table)


def _report_differences(changed: list[str]) -> int:
    for name in changed:
        print(f"out of date: {name}", file=sys.stderr)
    return 1 if changed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sample_index.build", description="Build the sample index."
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--check", action="store_true", help="write nothing; fail if the tables are out of date"
    )
    group.add_argument(
        "--no-vectors", action="store_true", help="write the tables, leave output/lancedb alone"
    )
    group.add_argument("--regroup", action="store_true", help="find the communities again")
    group.add_argument("--count-tokens", action="store_true", help="count the tokens of the text units again")
    return parser


if __name__ == "__main__":
    sys.exit(main())
