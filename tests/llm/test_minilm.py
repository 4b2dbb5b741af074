from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.errors import ModelError
from graphrag_cli.llm.counting.wordpiece import load_tokenizer
from graphrag_cli.llm.in_process.minilm import (
    WIDTH,
    WINDOW,
    MiniLmEmbedder,
    check_weights,
    split_windows,
)

LONG = "The ponies sank to their bellies in the soft snow of the barrier. " * 60


async def test_similar_sentences_are_nearer_than_unrelated_ones() -> None:
    rows = await MiniLmEmbedder().embed(
        [
            "Who was first to reach the South Pole?",
            "Amundsen arrived at the South Pole before anybody else.",
            "The recipe calls for two eggs and a cup of flour.",
        ]
    )
    similar = float(rows[0] @ rows[1])
    assert similar > 0.6
    assert float(rows[0] @ rows[2]) < 0.2


async def test_rows_are_float32_of_unit_length_in_the_order_of_the_texts() -> None:
    texts = ["b", LONG, "", "a sledge"]
    rows = await MiniLmEmbedder().embed(texts)
    assert rows.shape == (4, WIDTH)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        np.testing.assert_allclose((await MiniLmEmbedder().embed([text]))[0], row, atol=1e-6)


async def test_no_text_gives_no_row() -> None:
    assert (await MiniLmEmbedder().embed([])).shape == (0, WIDTH)


@settings(max_examples=10, deadline=None)
@given(
    st.lists(
        st.sampled_from(["dog", "the pole was far", LONG[:900], "漢字", "x" * 300]), min_size=1, max_size=6
    )
)
def test_a_vector_does_not_depend_on_its_companions(texts: list[str]) -> None:
    embedder = MiniLmEmbedder()
    together = embedder.embed_now(texts)
    alone = np.vstack([embedder.embed_now([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)


@pytest.mark.parametrize(
    "text", ["\ud800 half a character", "\x00\x07", "[CLS] [SEP]", "漢字。かな", "🐧" * 500, " \n\t"]
)
def test_any_text_can_be_embedded(text: str) -> None:
    assert np.isfinite(MiniLmEmbedder().embed_now([text])).all()


def test_marks_of_the_tokenizer_in_a_text_are_plain_characters() -> None:
    assert load_tokenizer().encode("[SEP]").tokens == ["[", "sep", "]"]


@given(st.integers(min_value=0, max_value=1200))
def test_windows_hold_every_piece_once_and_none_is_short(count: int) -> None:
    windows = split_windows(list(range(1000, 1000 + count)))
    assert [piece for window in windows for piece in window[1:-1]] == list(range(1000, 1000 + count))
    assert all(len(window) <= WINDOW for window in windows)
    assert max(map(len, windows)) - min(map(len, windows)) <= 1


def test_text_behind_the_first_window_counts() -> None:
    embedder = MiniLmEmbedder()
    plain, other = embedder.embed_now([LONG, LONG + "Penguin eggs were carried home in the dark. " * 60])
    assert float(plain @ other) < 0.95


def test_other_weights_are_refused(tmp_path: Path) -> None:
    fake = tmp_path / "model.onnx"
    fake.write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"is not the embedded embedding model") as caught:
        check_weights(fake)
    assert caught.value.hint
    with pytest.raises(ModelError, match="cannot read"):
        check_weights(tmp_path / "absent")


async def test_closing_twice_is_safe_and_the_embedder_lives_on() -> None:
    embedder = MiniLmEmbedder()
    first = await embedder.embed(["sledge"])
    await embedder.aclose()
    await embedder.aclose()
    np.testing.assert_array_equal(await embedder.embed(["sledge"]), first)
    await embedder.aclose()


def test_embedding_writes_nothing_into_home_or_temp(tmp_path: Path) -> None:
    home, temp = tmp_path / "home", tmp_path / "temp"
    home.mkdir()
    temp.mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    env |= {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "TMPDIR": str(temp),
        "TEMP": str(temp),
        "TMP": str(temp),
    }
    script = "from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder; print(MiniLmEmbedder().embed_now(['dog']).shape)"
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"(1, {WIDTH})"
    assert [path for folder in (home, temp) for path in folder.rglob("*")] == []


def test_importing_the_module_loads_nothing_heavy() -> None:
    script = (
        "import sys; import graphrag_cli.llm.in_process.minilm, graphrag_cli.llm.counting.tokens, graphrag_cli.llm.in_process.scripted; "
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers', 'tiktoken', 'yaml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
