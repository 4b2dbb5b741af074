"""What a question costs, counted instead of timed: it must follow what the question touches, not the index."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.generate import make
from benchmarks.spec import sized
from graphrag_cli.config.settings import Settings
from graphrag_cli.engines.base import Question, Toolbox
from graphrag_cli.engines.basic import BasicSearch
from graphrag_cli.engines.collect import collect
from graphrag_cli.engines.local import LocalSearch
from graphrag_cli.events import Method
from graphrag_cli.index.arrow import Array
from graphrag_cli.index.kept import cache
from graphrag_cli.index.kept import files as kept
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.index.tables import source
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from graphrag_cli.llm.counting.tokens import counter_for
from graphrag_cli.llm.in_process.scripted import HashEmbedder, ScriptedChat
from tests.engines.kit import toolbox
from tests.kit.snapshots import opened, settings_for

SMALL, LARGE = 500, 5000
RECORDS = ("entities", "relationships", "reports", "text_units", "claims", "documents")


@dataclass(slots=True)
class CountingTokens:
    """Counts with words, and how much it was asked to count."""

    calls: int = 0
    characters: int = 0
    name: str = "words"

    def count(self, text: str) -> int:
        self.calls += 1
        self.characters += len(text)
        return len(text.split())

    def truncate(self, text: str, limit: int) -> str:
        return " ".join(text.split()[:limit])


@dataclass(slots=True)
class Cost:
    """What one question took."""

    columns: dict[str, set[str]]
    rows: Counter[str]
    tokens: CountingTokens = field(default_factory=CountingTokens)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Two indexes, one ten times the other."""
    made: dict[int, Path] = {}
    for entities in (SMALL, LARGE):
        folder = tmp_path_factory.mktemp(f"index{entities}")
        make(replace(sized(entities, width=16), relationships=entities * 3), folder)
        made[entities] = folder / "output"
    return made


def counted(monkeypatch: pytest.MonkeyPatch, rows: Counter[str]) -> None:
    """Counts the rows of which records are made."""
    for name in RECORDS:
        real: Callable[..., list[Any]] = getattr(Snapshot, name)

        def counting(self: Snapshot, wanted: Any, real: Any = real, name: str = name) -> list[Any]:
            rows[name] += len(wanted)
            return real(self, wanted)

        monkeypatch.setattr(Snapshot, name, counting)


async def asked(folder: Path, method: Method, monkeypatch: pytest.MonkeyPatch) -> Cost:
    """One question by ``method``."""
    cost = Cost({}, Counter())
    counted(monkeypatch, cost.rows)
    snapshot, settings = opened(folder, method), settings_for(folder)
    tools = replace(
        toolbox(ScriptedChat(lambda _request: "An answer.")),
        snapshot=snapshot,
        vectors=IndexVectors(settings, snapshot),
        embedder=HashEmbedder(16),
        tokens=cost.tokens,
    )
    await collect(engine(method, tools, settings).stream(Question("Who paid?", "short", 1, 2)))
    cost.columns = {table: set(source.columns_read()) for table, source in snapshot.tables.sources.items()}
    return cost


def engine(method: Method, tools: Toolbox, settings: Settings) -> LocalSearch | BasicSearch:
    if method == "local":
        return LocalSearch(tools, settings.local_search)
    return BasicSearch(tools, settings.basic_search)


@pytest.mark.parametrize("method", ["local", "basic"])
async def test_an_index_ten_times_as_large_costs_a_question_no_more(
    folders: dict[int, Path], monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    small = await asked(folders[SMALL], method, monkeypatch)
    large = await asked(folders[LARGE], method, monkeypatch)
    assert large.columns == small.columns
    assert large.rows.total() < 1.5 * small.rows.total() + 100
    assert large.tokens.calls < 1.5 * small.tokens.calls + 50
    assert large.tokens.characters < 1.5 * small.tokens.characters + 20_000


async def test_local_reads_the_columns_it_needs_and_no_others(
    folders: dict[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = await asked(folders[LARGE], "local", monkeypatch)
    assert cost.columns["communities"] <= {"community", "level", "parent", "entity_ids"}
    assert cost.columns["documents"] <= {"id", "title", "human_readable_id", "creation_date"}
    assert not cost.columns["text_units"] & {"entity_ids", "relationship_ids", "covariate_ids"}
    assert not cost.columns["community_reports" if "community_reports" in cost.columns else "reports"] & {
        "full_content_json",
        "findings",
        "rating_explanation",
    }
    assert cost.rows.total() < 2000


async def test_basic_reads_text_units_alone(
    folders: dict[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = await asked(folders[LARGE], "basic", monkeypatch)
    assert cost.columns["text_units"] <= {"id", "text", "document_id"}
    assert not any(cost.columns[table] for table in ("entities", "relationships", "communities", "reports"))
    assert set(cost.rows) <= {"text_units", "documents"}


async def test_a_text_is_counted_four_times_at_most(
    folders: dict[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row once, its section once, the context once, and the prompt once where the server does not say."""
    cost = await asked(folders[LARGE], "local", monkeypatch)
    budget = 12_000 * 8  # characters of a context of 12,000 words, generously
    assert cost.tokens.characters < 4.5 * budget


# -- what is held --------------------------------------------------------------------------------------------------


@pytest.fixture
def kept_large(folders: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The larger index, kept as if it were a large one."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(cache, "WORTH", 0)
    return folders[LARGE]


def test_a_column_that_is_kept_is_never_held_whole(kept_large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    real = kept.write_column

    def counting(path: Path, pieces: Iterable[Array]) -> None:
        def counted() -> Iterator[Array]:
            for piece in pieces:
                sizes.append(piece.nbytes)
                yield piece

        real(path, counted())

    monkeypatch.setattr(kept, "write_column", counting)
    monkeypatch.setattr(source, "_BATCH_BYTES", 100_000)
    mapped = opened(kept_large).tables.column("relationships", "description")
    assert len(sizes) > 8
    assert max(sizes) < sum(sizes) / 4
    monkeypatch.setattr(cache, "WORTH", 1 << 60)
    assert mapped.to_pylist() == opened(kept_large).tables.column("relationships", "description").to_pylist()


def test_what_was_read_of_a_mapped_column_is_given_back(
    kept_large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released: list[object] = []
    monkeypatch.setattr(kept, "release", released.append)
    tables = opened(kept_large).tables
    for start in range(0, 10 * kept.RELEASED_ROWS, 32):
        tables.take("relationships", "description", np.arange(start, start + 32))
    assert len(released) == 10


# -- what is loaded ------------------------------------------------------------------------------------------------

NEVER = {"pandas", "lancedb", "lance_namespace", "matplotlib", "scipy"}
LOADED = """
import json, os, sys
def leave(status):
    print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})), file=sys.stderr)
    sys.stderr.flush()
    real(status)
real, os._exit = os._exit, leave
from graphrag_cli.__main__ import main
main()
"""
SETTINGS = """
completion_models:
  default_completion_model:
    provider: scripted
    model: gpt-4o
    responses:
    - '{"points": [], "intermediate_answer": "All did.", "response": "All did.", "score": 60, "follow_up_queries": ["Who else paid?"]}'
embedding_models:
  default_embedding_model: {provider: scripted, model: hash, dimensions: 16}
"""


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Top-level packages that a command has loaded when it ends well."""
    (folder.parent / "settings.yaml").write_text(SETTINGS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments, "--root", str(folder.parent), "--quiet"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-600:]
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    ("method", "not_needed"),
    [
        ("local", {"networkx", "tiktoken", "openai", "onnxruntime"}),
        ("basic", {"networkx", "tiktoken", "openai", "onnxruntime"}),
        ("global", {"networkx", "tiktoken", "openai", "onnxruntime", "lance"}),
        ("drift", {"networkx", "tiktoken", "openai", "onnxruntime"}),
    ],
)
def test_a_method_loads_what_it_needs(folders: dict[int, Path], method: str, not_needed: set[str]) -> None:
    packages = loaded(folders[SMALL], "query", method, "Who paid?")
    assert not packages & (NEVER | not_needed)


@pytest.mark.parametrize("method", ["local", "basic", "drift"])
def test_the_second_question_to_a_small_store_needs_no_lance(
    folders: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setenv("GRAPHRAG_CLI_CACHE", str(tmp_path))
    assert "lance" in loaded(folders[SMALL], "query", method, "Who paid?")
    assert "lance" not in loaded(folders[SMALL], "query", method, "Who else paid?")


def test_counting_a_context_does_not_load_the_large_tokenizer() -> None:
    counter = counter_for("gpt-4o")
    assert counter.count("Who paid for the repairs — and why?") == 9
    code = "import sys; from graphrag_cli.llm.counting.tokens import counter_for; counter_for('gpt-4o').count('a b'); print('tiktoken' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
