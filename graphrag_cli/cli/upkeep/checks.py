"""The looks that ``index check`` and ``doctor`` take: settings, index, vectors, models. Each gives findings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_cli.cli.upkeep.findings import Found
from graphrag_cli.config.check import check as check_settings
from graphrag_cli.engines.models import Models, RunOptions
from graphrag_cli.errors import CliError, IndexDataError, ModelError
from graphrag_cli.index.checks.check import IndexReport, VectorReport
from graphrag_cli.index.checks.check import check as check_index
from graphrag_cli.index.open import open_snapshot
from graphrag_cli.index.vectors.embed import self_test
from graphrag_cli.index.vectors.index_vectors import IndexVectors

if TYPE_CHECKING:
    from graphrag_cli.config.load import Loaded
    from graphrag_cli.config.settings import Settings
    from graphrag_cli.index.snapshot import Snapshot
    from graphrag_cli.index.vectors.similarity import Matrix

_PING = "Reply with the word: ready"


def settings_found(loaded: Loaded, prompt_dir: Path | None) -> list[Found]:
    """What is wrong with settings and prompts."""
    return [
        Found(finding.severity, "settings", finding.code, finding.key, finding.text, finding.hint)
        for finding in check_settings(loaded, prompt_dir)
    ]


class IndexCheck:
    """One index under examination."""

    def __init__(self, loaded: Loaded, settings: Settings) -> None:
        """``settings`` are those of this index. Raises ``IndexDataError`` when it cannot be opened at all."""
        self._loaded = loaded
        self._models = Models(loaded, RunOptions())
        self._embedding_id = settings.local_search.embedding_model_id
        entry = settings.embedding_models.get(self._embedding_id)
        self._model = None if entry is None else entry.model
        self._local = entry is not None and self._models.embeds_here(self._embedding_id)
        self._width = None if entry is None else entry.dimensions
        self._settings = settings
        self._snapshot: Snapshot = open_snapshot(settings)
        self._vectors = IndexVectors(settings, self._snapshot, self._model)

    async def report(self) -> IndexReport:
        """What the index holds and how sound it is."""
        search = self._settings.global_search
        if self._local:
            self._width = self._models.embedder(self._embedding_id).width
        tokens = self._models.tokens(search.completion_model_id)
        return check_index(
            self._snapshot, self._vectors, tokens.count, search.max_context_tokens, self._width
        )

    async def self_tests(self, report: IndexReport, *, online: bool) -> AsyncIterator[Found]:
        """Whether stored texts, embedded anew, find themselves: model and vectors belong together.

        Ends at a model that does not answer: it would not for the next table either.
        """
        usable = [vector for vector in report.vectors if vector.problem is None]
        if not usable or not (online or self._local):
            return
        for vector in usable:
            if self._width in {None, vector.width}:
                found = await self._self_test(vector)
                yield found
                if found.area == "models":
                    return

    async def aclose(self) -> None:
        """Closes models."""
        await self._models.aclose()

    async def _self_test(self, vector: VectorReport) -> Found:
        try:
            embed: Callable[[Sequence[str]], Awaitable[Matrix]] = self._models.embedder(
                self._embedding_id
            ).embed
            share = await self_test(self._snapshot, vector.name, self._vectors.open(vector.name), embed)
        except ModelError as error:
            return model_failed(f"embedding_models.{self._embedding_id}", error)
        except CliError as error:
            return Found("error", "vectors", error.code, vector.name, error.message, error.hint)
        if share >= 1:
            text = f"{vector.name}: stored texts, embedded anew by {self._model}, find themselves"
            return Found("ok", "vectors", "vectors.self_test", vector.name, text)
        return Found(
            "error",
            "vectors",
            "vectors.self_test",
            vector.name,
            f"{vector.name}: only {share:.0%} of a few stored texts find themselves when {self._model} embeds them anew",
            "the vectors are of another model: name that one in the settings, or run graphrag-cli index embed",
        )


def report_found(report: IndexReport) -> Iterator[Found]:
    """The findings of an index's report."""
    if report.sound:
        served = ", ".join(method.method for method in report.methods if method.servable)
        rows = sum(table.rows for table in report.tables)
        yield Found(
            "ok",
            "index",
            "index",
            report.path,
            f"{report.path}: GraphRAG {report.version}, {rows} rows, serves {served}",
        )
    for finding in report.findings:
        area = "vectors" if finding.code.startswith("vectors") else "index"
        yield Found(finding.severity, area, finding.code, report.path, finding.meaning, finding.what_to_do)


async def models_found(loaded: Loaded, *, online: bool) -> list[Found]:
    """Whether the models that methods use are set up, and with ``online`` whether they answer."""
    models = Models(loaded, RunOptions())
    settings = loaded.settings
    searches = (settings.local_search, settings.global_search, settings.drift_search, settings.basic_search)
    chats = dict.fromkeys(search.completion_model_id for search in searches)
    embedders = dict.fromkeys(
        search.embedding_model_id
        for search in (settings.local_search, settings.drift_search, settings.basic_search)
    )
    try:
        return [
            *[
                await _model(f"completion_models.{name}", lambda name=name: _chat(models, name, online))
                for name in chats
            ],
            *[
                await _model(f"embedding_models.{name}", lambda name=name: _embedder(models, name, online))
                for name in embedders
            ],
        ]
    finally:
        await models.aclose()


async def _model(key: str, look: Callable[[], Awaitable[str]]) -> Found:
    try:
        return Found("ok", "models", "model", key, f"{key}: {await look()}")
    except CliError as error:
        return model_failed(key, error)


def model_failed(key: str, error: CliError) -> Found:
    """The finding that the model under ``key`` of the settings cannot be used."""
    return Found("error", "models", error.code, key, f"{key}: {error.message}", error.hint)


async def _chat(models: Models, model_id: str, online: bool) -> str:
    from graphrag_cli.llm.base import ChatRequest, Message, complete

    chat = models.chat(model_id)
    if not online:
        return f"{chat.name}, not asked (--online asks it)"
    reply = await complete(chat, ChatRequest((Message("user", _PING),), "check"))
    return f"{chat.name} answers ({reply.outcome})"


async def _embedder(models: Models, model_id: str, online: bool) -> str:
    embedder = models.embedder(model_id)
    if not online:
        return f"{embedder.name}, not asked (--online asks it)"
    vectors = await embedder.embed(["ready"])
    return f"{embedder.name} answers with {vectors.shape[1]} numbers"


def exit_status(found: Sequence[Found]) -> int:
    """0, or the status of the area that an error is in: settings 3, index 4, models 5."""
    from graphrag_cli.errors import SettingsError

    statuses = {
        "settings": SettingsError.exit_code,
        "index": IndexDataError.exit_code,
        "vectors": IndexDataError.exit_code,
        "models": ModelError.exit_code,
    }
    wrong = [statuses[finding.area] for finding in found if finding.severity == "error"]
    return min(wrong, default=0)
