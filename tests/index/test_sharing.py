"""One snapshot, many threads; one process, no pandas."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.kit.snapshots import facts, opened

SCRIPT = """
import sys
from pathlib import Path
from graphrag_cli.index.lean import without_pandas
with without_pandas():
    from tests.kit.snapshots import facts, opened, vectors_of
    from tests.kit.tiny import vector
    facts(opened(Path(sys.argv[1])))
    vectors_of(Path(sys.argv[1])).open("entity_description").search(vector("x")[None], 2)
loaded = sorted({"pandas", "lancedb", "networkx", "openai"} & set(sys.modules))
print(loaded)
import pandas
"""


def test_threads_that_ask_at_once_get_the_same(tiny: Path) -> None:
    alone = facts(opened(tiny))
    shared = opened(tiny)
    with ThreadPoolExecutor(8) as pool:
        answers = [task.result() for task in [pool.submit(facts, shared) for _ in range(16)]]

    assert all(answer == alone for answer in answers)


def test_a_query_loads_no_pandas_and_no_lancedb(tiny: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tiny)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONPATH": "."},
    )

    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
