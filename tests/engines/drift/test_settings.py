"""Every key of ``drift_search``: what it changes in the calls made and in what they are sent."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from graphrag_cli.config.settings import VectorName
from graphrag_cli.context.history import Turn
from graphrag_cli.engines.drift.engine import DriftSearch
from graphrag_cli.errors import VectorError
from graphrag_cli.events import ContextBuilt, ContextRecord, Notice
from graphrag_cli.index.vectors.base import VectorTable, VectorTables
from graphrag_cli.llm.in_process.scripted import HashEmbedder, ScriptedChat
from tests.engines import kit
from tests.engines.drift.scripts import (
    ASKED,
    WIDTH,
    delayed,
    drift,
    nodes_of,
    primer_reply,
    script,
    settings,
    step_reply,
    texts,
    tools_for,
)
from tests.engines.kit import Seen, question


def step_contexts(seen: Seen) -> list[tuple[ContextRecord, ...]]:
    built = [event for event in seen.of(ContextBuilt) if (event.step_id or "").startswith("a")]
    return [event.records for event in built]


@pytest.mark.parametrize("folds", [1, 5])
@pytest.mark.parametrize("k", [3, 5, 20])
@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_the_number_of_calls_is_what_the_settings_say(depth: int, k: int, folds: int) -> None:
    chat = ScriptedChat(script())
    seen = await drift(chat, settings(n_depth=depth, drift_k_followups=k, primer_folds=folds))
    calls = Counter(chat.stages)
    assert calls == {"hyde": 1, "primer": min(folds, k), "step": depth * k, "reduce": 1}
    assert seen.answer.usage.total.llm_calls == 2 + min(folds, k) + depth * k


async def test_the_defaults_make_67_calls() -> None:
    chat = ScriptedChat(script())
    await drift(chat, settings())
    assert len(chat.calls) == 67


@pytest.mark.parametrize("folds", [0, None])
async def test_no_folds_are_one(folds: int | None) -> None:
    chat = ScriptedChat(script())
    await drift(chat, settings(n_depth=0, primer_folds=folds))
    assert chat.stages == ["hyde", "primer", "reduce"]


async def test_depth_0_answers_from_the_primer() -> None:
    seen = await drift(setting=settings(n_depth=0))
    assert {node["state"] for node in nodes_of(seen)} == {"answered", "skipped"}


async def test_k_is_the_number_of_reports_of_the_primer() -> None:
    seen = await drift(setting=settings(n_depth=0, drift_k_followups=7, primer_llm_max_tokens=12_000))
    assert len(seen.answer.context["reports"]) == 7


@pytest.mark.parametrize(("k", "primer", "step"), [(1, "1", "1"), (3, "3", "3"), (20, "8", "5")])
async def test_the_prompts_say_how_many_follow_ups_are_wanted(k: int, primer: str, step: str) -> None:
    chat = ScriptedChat(script())
    await drift(chat, settings(n_depth=1, drift_k_followups=k))
    folds, steps = texts(chat.calls_of("primer")), texts(chat.calls_of("step"))
    assert all(f"`follow_up_queries`: {primer} questions" in text for text in folds)
    assert all(f"up to {step} questions" in text for text in steps)


async def test_more_follow_ups_than_were_asked_for_are_not_taken() -> None:
    seen = await drift(
        script(step=lambda call: step_reply(call, 60)), settings(n_depth=1, drift_k_followups=3)
    )
    assert all(len(node["follow_ups"]) <= 3 for node in nodes_of(seen) if node["level"] == 1)


async def test_a_fold_stays_within_its_tokens() -> None:
    seen = await drift(setting=settings(n_depth=0, primer_folds=2, primer_llm_max_tokens=900))
    folds = [event for event in seen.of(ContextBuilt) if (event.step_id or "").startswith("primer")]
    assert len(folds) == 2
    assert all(0 < event.tokens <= 900 for event in folds)


async def test_a_step_stays_within_its_tokens() -> None:
    seen = await drift(setting=settings(n_depth=1, drift_k_followups=3, local_search_max_data_tokens=777))
    built = [event for event in seen.of(ContextBuilt) if (event.step_id or "").startswith("a")]
    assert len(built) == 3
    assert all(0 < event.tokens <= 777 for event in built)


async def test_shares_divide_a_steps_context() -> None:
    sizes: list[Counter[str]] = []
    for reports, sources in ((0.9, 0.0), (0.1, 0.9)):
        shares = {"local_search_community_prop": reports, "local_search_text_unit_prop": sources}
        seen = await drift(
            setting=settings(n_depth=1, drift_k_followups=2, local_search_max_data_tokens=3000, **shares)
        )
        sizes.append(Counter())
        for records in step_contexts(seen):
            for record in records:
                sizes[-1][record.dataset] += record.tokens
    assert sizes[0]["reports"] > sizes[1]["reports"]
    assert sizes[0]["sources"] < sizes[1]["sources"]


async def test_entities_and_relationships_of_a_step_are_as_many_as_set() -> None:
    limits = {"local_search_top_k_mapped_entities": 3, "local_search_top_k_relationships": 0}
    seen = await drift(
        setting=settings(n_depth=1, drift_k_followups=2, local_search_max_data_tokens=9000, **limits)
    )
    for records in step_contexts(seen):
        assert len([record for record in records if record.dataset == "entities"]) == 3
        kinds = {record.why["kind"] for record in records if record.dataset == "relationships"}
        assert kinds <= {"in-network"}


async def test_parameters_of_steps_are_sent_with_steps_only() -> None:
    chat = ScriptedChat(script())
    await drift(
        chat,
        settings(
            n_depth=1,
            drift_k_followups=2,
            local_search_temperature=0.3,
            local_search_top_p=0.8,
            local_search_n=1,
            local_search_llm_max_gen_tokens=111,
            local_search_llm_max_gen_completion_tokens=222,
        ),
    )
    for call in chat.calls_of("step"):
        sent = call.params
        assert (sent.temperature, sent.top_p, sent.n) == (0.3, 0.8, 1)
        assert (sent.max_tokens, sent.max_completion_tokens) == (111, 222)
    assert chat.calls_of("primer")[0].params.max_tokens is None


async def test_parameters_of_reduce_are_sent_with_reduce_only() -> None:
    chat = ScriptedChat(script())
    await drift(
        chat,
        settings(
            n_depth=1,
            drift_k_followups=2,
            reduce_temperature=0.4,
            reduce_max_tokens=333,
            reduce_max_completion_tokens=444,
        ),
    )
    (reduce,) = chat.calls_of("reduce")
    assert (reduce.params.temperature, reduce.params.max_tokens) == (0.4, 333)
    assert reduce.params.max_completion_tokens == 444
    assert {call.params.max_tokens for call in chat.calls_of("step")} == {None}


async def test_unset_parameters_are_not_sent() -> None:
    chat = ScriptedChat(script())
    await drift(
        chat,
        settings(n_depth=1, drift_k_followups=1, reduce_temperature=None, local_search_temperature=None),
    )
    assert {call.params.temperature for call in chat.calls} == {None}


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_no_more_calls_run_at_a_time_than_set(concurrency: int) -> None:
    chat = ScriptedChat(delayed(script(), lambda: 0.002))
    await drift(chat, settings(n_depth=2, drift_k_followups=6, concurrency=concurrency))
    assert chat.most_running == concurrency


async def test_steps_run_side_by_side() -> None:
    chat = ScriptedChat(delayed(script(), lambda: 0.05))
    await drift(chat, settings(n_depth=1, drift_k_followups=6))
    assert chat.most_running > 3


async def test_reduce_sees_answers_best_first_with_their_scores() -> None:
    chat = ScriptedChat(script())
    await drift(chat, settings(n_depth=1, drift_k_followups=5))
    (prompt,) = texts(chat.calls_of("reduce"))
    scores = [float(score) for score in re.findall(r"-----Answer \d+ \(score ([\d.]+)\)-----", prompt)]
    assert len(scores) == 6
    assert scores == sorted(scores, reverse=True)
    assert f"Question: {ASKED}" in prompt


async def test_answers_under_the_least_score_are_left_out() -> None:
    scores = iter([10, 60, 30, 90])
    chat = ScriptedChat(
        script(
            step=lambda call: {**step_reply(call), "score": next(scores)},
            primer=lambda call: {**primer_reply(call), "score": 5},
        )
    )
    await drift(chat, settings(n_depth=1, drift_k_followups=4, reduce_min_score=30, primer_folds=1))
    (prompt,) = texts(chat.calls_of("reduce"))
    assert re.findall(r"\(score (\d+)\)", prompt) == ["90", "60", "30"]


async def test_reduce_stays_within_its_tokens() -> None:
    setting = settings(n_depth=1, drift_k_followups=10, data_max_tokens=150)
    seen = await drift(setting=setting)
    final = [event for event in seen.of(ContextBuilt) if event.step_id is None]
    assert [0 < event.tokens <= 150 for event in final] == [True]


async def test_near_duplicates_are_merged_at_the_threshold() -> None:
    alike = ["ice ship dog sledge pole", "ice ship dog sledge pole tent"]
    reply: dict[str, Any] = {"intermediate_answer": "So", "score": 50, "follow_up_queries": alike}
    chat = ScriptedChat(script(primer=reply))
    await drift(chat, settings(n_depth=1, primer_folds=1, duplicate_threshold=0.8))
    assert len(chat.calls_of("step")) == 1
    chat = ScriptedChat(script(primer=reply))
    await drift(chat, settings(n_depth=1, primer_folds=1, duplicate_threshold=1.0))
    assert len(chat.calls_of("step")) == 2


class WithoutReports:
    """The sample's vector tables without that of the reports."""

    def __init__(self, tables: VectorTables) -> None:
        self._tables = tables

    def open(self, name: VectorName) -> VectorTable:
        if name == "community_full_content":
            raise VectorError("there is no table of report vectors")
        return self._tables.open(name)


async def without_report_vectors(cap: int) -> tuple[Seen, HashEmbedder]:
    embedder = HashEmbedder(WIDTH)
    tools = tools_for(ScriptedChat(script()), embedder)
    tools = replace(tools, vectors=WithoutReports(tools.vectors))
    engine = DriftSearch(tools, settings(n_depth=0, report_embedding_cap=cap, primer_llm_max_tokens=12_000))
    return await kit.run(engine.stream(question(ASKED))), embedder


async def test_reports_without_a_vector_are_embedded_now() -> None:
    seen, embedder = await without_report_vectors(cap=500)
    assert len(seen.answer.context["reports"]) == 20
    assert max(len(batch) for batch in embedder.calls) == 20
    assert {"reports.no_vectors", "reports.embedded"} <= {notice.code for notice in seen.of(Notice)}


async def test_no_more_reports_are_embedded_now_than_the_cap() -> None:
    seen, embedder = await without_report_vectors(cap=4)
    assert len(seen.answer.context["reports"]) == 4
    assert max(len(batch) for batch in embedder.calls) == 4


async def test_without_any_report_vector_the_question_is_asked_as_a_step() -> None:
    seen, _ = await without_report_vectors(cap=0)
    assert seen.answer.status == "no_data"
    assert seen.answer.context["reports"] == ()


async def test_community_level_chooses_the_reports() -> None:
    levels: list[set[int]] = []
    for level in (0, 2):
        seen = await drift(setting=settings(n_depth=0, primer_llm_max_tokens=12_000), community_level=level)
        levels.append({int(record.why["level"] or 0) for record in seen.answer.context["reports"]})
    assert levels[0] == {0}
    assert max(levels[1]) > 0


async def test_earlier_turns_reach_the_final_call_as_many_as_set() -> None:
    turns = (Turn("user", "Q1"), Turn("assistant", "A1"), Turn("user", "Q2"), Turn("assistant", "A2"))
    chat = ScriptedChat(script(rewrite={"question": ASKED}))
    await drift(chat, settings(n_depth=0, conversation_history_max_turns=1), history=turns)
    (reduce,) = chat.calls_of("reduce")
    assert [message.content for message in reduce.messages[1:]] == ["Q2", "A2", ASKED]


async def test_the_settings_of_the_run_are_in_its_state() -> None:
    seen = await drift(setting=settings(n_depth=1, drift_k_followups=2), seed=5)
    state = json.loads(json.dumps(seen.answer.drift))
    assert state["seed"] == 5
    assert state["settings"]["n_depth"] == 1
    assert state["settings"]["community_level"] == 2
    assert state["models"] == {"chat": "scripted", "embedding": "hash"}
