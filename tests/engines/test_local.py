from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import cast

import numpy as np
import pytest

from graphrag_cli.config.settings import LocalSearchSettings
from graphrag_cli.engines.base import Filters
from graphrag_cli.engines.local import LocalSearch, choose_entities
from graphrag_cli.errors import IndexDataError
from graphrag_cli.events import Event, Notice, TextDelta
from graphrag_cli.index.snapshot import Narrowed, as_rows
from graphrag_cli.index.vectors.base import Hits
from graphrag_cli.llm.in_process.scripted import Reply, ScriptedChat
from tests.engines.kit import Seen, question, run, scripted, toolbox
from tests.sample import sample_snapshot

ANSWER = "Roald Amundsen led the Fram expedition [Data: Entities (0); Sources (1)]."
ASKED = "How did Amundsen and his men travel to the South Pole?"


async def ask(settings: LocalSearchSettings | None = None, **changes: object) -> Seen:
    tools = toolbox(scripted([ANSWER]))
    return await run(LocalSearch(tools, settings or LocalSearchSettings()).stream(question(ASKED, **changes)))


def titles(seen: Seen) -> list[str]:
    return [record.title for record in seen.answer.context["entities"]]


async def test_the_neighbourhood_of_the_nearest_entities_is_sent_in_one_call() -> None:
    seen = await ask()
    assert len(seen.answer.context["entities"]) == 10
    assert all(seen.answer.context[dataset] for dataset in ("reports", "relationships", "claims", "sources"))
    assert seen.answer.usage.total.llm_calls == 1
    assert seen.answer.usage.total.embedding_calls == 1
    assert "ROALD AMUNDSEN" in titles(seen)


async def test_the_prompt_stays_within_the_budget() -> None:
    seen = await ask(LocalSearchSettings(max_context_tokens=1500))
    assert sum(section.tokens for section in seen.answer.sections) <= 1500


async def test_entities_asked_for_come_first_and_excluded_ones_never() -> None:
    snapshot = sample_snapshot()
    everything = titles(await ask())
    barred = snapshot.entities(snapshot.entity_rows_by_title([everything[0]]))[0]
    seen = await ask(include_entities=("terra nova",), exclude_entities=(barred.id.replace("-", ""),))
    assert titles(seen)[0] == "TERRA NOVA"
    assert barred.title not in titles(seen)
    assert len(titles(seen)) == 11


async def test_an_entity_that_is_both_asked_for_and_excluded_is_excluded() -> None:
    seen = await ask(include_entities=("TERRA NOVA",), exclude_entities=("TERRA NOVA",))
    assert "TERRA NOVA" not in titles(seen)


async def test_a_name_that_is_no_entity_is_told() -> None:
    seen = await ask(include_entities=("CAPTAIN NEMO",))
    assert ["CAPTAIN NEMO" in notice.text for notice in seen.of(Notice)] == [True]
    assert seen.answer.status == "answered"


async def test_an_entity_type_narrows_the_match() -> None:
    seen = await ask(filters=Filters(entity_types=("SHIP",)))
    rows = sample_snapshot().entity_rows_by_title(titles(seen))
    assert {entity.type for entity in sample_snapshot().entities(rows)} == {"SHIP"}


async def test_a_document_narrows_everything_that_is_sent() -> None:
    snapshot = sample_snapshot()
    (document,) = snapshot.documents(as_rows([4]))
    units = snapshot.text_unit_rows_matching([document.title], None, None)
    assert units is not None
    seen = await ask(filters=Filters(documents=(document.title,)))
    sent = seen.answer.context
    assert all(sent[dataset] for dataset in ("entities", "relationships", "sources"))
    narrowed: tuple[Narrowed, ...] = ("reports", "relationships", "claims")
    for dataset in narrowed:
        rows = snapshot.rows_by_label(dataset, [record.id for record in sent[dataset]])
        assert snapshot.within(dataset, rows, units).all()
    assert set(snapshot.rows_by_label("sources", [record.id for record in sent["sources"]])) <= set(units)


async def test_a_type_that_no_entity_has_is_an_error() -> None:
    with pytest.raises(IndexDataError, match="SUBMARINE"):
        await ask(filters=Filters(entity_types=("SUBMARINE",)))


async def test_a_document_that_is_not_there_is_an_error() -> None:
    with pytest.raises(IndexDataError, match="nowhere"):
        await ask(filters=Filters(documents=("nowhere.txt",)))


async def test_a_similarity_floor_above_everything_is_no_data() -> None:
    seen = await ask(LocalSearchSettings(min_similarity=1.0))
    assert seen.answer.status == "no_data"


async def test_the_level_decides_which_reports_are_sent() -> None:
    coarse = await ask(community_level=0)
    fine = await ask(community_level="deepest")
    snapshot = sample_snapshot()
    coarse_rows = snapshot.report_rows_by_community(
        [int(record.id) for record in coarse.answer.context["reports"]]
    )
    assert {report.level for report in snapshot.reports(coarse_rows)} == {0}
    assert {record.id for record in fine.answer.context["reports"]} != {
        record.id for record in coarse.answer.context["reports"]
    }


def test_choosing_skips_what_is_excluded_and_still_gives_enough() -> None:
    snapshot = sample_snapshot()
    ids = tuple(snapshot.entity_ids(np.arange(6)))
    hits = Hits(ids, (0.9, 0.8, 0.7, 0.6, 0.5, 0.4))
    chosen = choose_entities(snapshot, hits, as_rows([5, -1]), as_rows([0, 2]), 2, -1.0)
    assert chosen.rows.tolist() == [5, 1, 3]
    assert chosen.similarities == (None, 0.8, 0.6)


def test_ids_that_the_tables_do_not_have_are_skipped() -> None:
    snapshot = sample_snapshot()
    hits = Hits(("gone", *snapshot.entity_ids(as_rows([3]))), (0.9, 0.8))
    assert choose_entities(snapshot, hits, as_rows([]), as_rows([]), 5, -1.0).rows.tolist() == [3]


async def test_closing_the_run_stops_the_call() -> None:
    chat = ScriptedChat([Reply("one two three four", pause=0.05)])
    events = LocalSearch(toolbox(chat), LocalSearchSettings()).stream(question())
    async for event in events:
        if isinstance(event, TextDelta):
            break
    assert chat.running == 1
    await cast("AsyncGenerator[Event]", events).aclose()
    assert chat.running == 0
