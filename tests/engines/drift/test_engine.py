from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, cast

import pytest

from graphrag_cli.context.history import Turn
from graphrag_cli.engines.base import Filters
from graphrag_cli.engines.drift.document import read_document
from graphrag_cli.engines.drift.engine import DriftSearch
from graphrag_cli.errors import AuthError, ContextLengthError, LimitError, ModelError, UsageError
from graphrag_cli.events import (
    ContextBuilt,
    Event,
    Notice,
    StateChanged,
    StepFinished,
    StepStarted,
    TextDelta,
)
from graphrag_cli.index.snapshot import Narrowed, as_rows
from graphrag_cli.llm.around.purse import Limits
from graphrag_cli.llm.in_process.scripted import HashEmbedder, ScriptedChat
from tests.engines.drift.scripts import (
    ASKED,
    WIDTH,
    delayed,
    drift,
    nodes_of,
    script,
    settings,
    step_reply,
    timeless,
    tools_for,
)
from tests.engines.kit import Seen, question, run
from tests.sample import sample_snapshot

EMPTY: dict[str, Any] = {"response": "", "score": 0, "follow_up_queries": []}


def notices(seen: Seen) -> list[str]:
    return [notice.code for notice in seen.of(Notice)]


def states(seen: Seen) -> dict[str, int]:
    counts: dict[str, int] = {}
    for node in nodes_of(seen):
        counts[node["state"]] = counts.get(node["state"], 0) + 1
    return counts


# ---- the way of a run ---------------------------------------------------------------------------------------


async def test_a_run_tells_its_whole_way() -> None:
    seen = await drift(setting=settings(n_depth=1, drift_k_followups=3, primer_folds=2))
    assert seen.kinds[0] == "run_started"
    assert seen.kinds[-1] == "run_finished"
    assert [event.step_id for event in seen.of(StepStarted) if event.stage == "primer"] == [
        "primer/1",
        "primer/2",
    ]
    assert len([event for event in seen.of(StepFinished) if event.stage == "step"]) == 3
    assert "".join(event.text for event in seen.of(TextDelta)) == seen.answer.text
    assert seen.answer.status == "answered"
    assert seen.answer.text.startswith("Amundsen did")


async def test_the_last_state_told_is_the_state_of_the_answer() -> None:
    seen = await drift(setting=settings(n_depth=2, drift_k_followups=3))
    assert seen.of(StateChanged)[-1].state == seen.answer.drift
    read_document(seen.answer.drift)


async def test_every_state_told_can_be_read() -> None:
    seen = await drift(setting=settings(n_depth=2, drift_k_followups=3))
    assert len(seen.of(StateChanged)) > 6
    for event in seen.of(StateChanged):
        read_document(event.state)


async def test_nodes_say_what_they_cost_and_saw() -> None:
    seen = await drift(setting=settings(n_depth=1, drift_k_followups=3))
    root, *steps = [node for node in nodes_of(seen) if node["state"] == "answered"]
    assert root["llm_calls"] == 3
    assert root["context"].keys() == {"reports"}
    for node in steps:
        assert node["llm_calls"] == 1
        assert node["prompt_tokens"] > 0
        assert node["output_tokens"] > 0
        assert node["context"]["entities"]


async def test_citations_resolve_to_what_primer_and_steps_were_sent() -> None:
    seen = await drift(setting=settings(n_depth=1, drift_k_followups=3, local_search_max_data_tokens=8000))
    datasets = {record.dataset for rows in seen.answer.context.values() for record in rows}
    assert {"reports", "entities", "relationships", "sources"} <= datasets
    cited = {(citation.dataset, citation.id): citation for citation in seen.answer.citations}
    assert cited["reports", "0"].in_context == ("0" in {r.id for r in seen.answer.context["reports"]})
    assert cited["sources", "1"].exists


async def test_follow_ups_of_one_reply_are_embedded_in_one_request() -> None:
    embedder = HashEmbedder(WIDTH)
    await drift(setting=settings(n_depth=2, drift_k_followups=3, primer_folds=1), embedder=embedder)
    # question and hypothetical answer; the root's follow-ups; one for each of the three steps that may ask on
    assert [len(batch) for batch in embedder.calls] == [2, 3, 3, 3, 3]


async def test_context_only_stops_before_the_primer() -> None:
    chat = ScriptedChat(script())
    seen = await drift(chat, settings(drift_k_followups=4, primer_folds=2), context_only=True)
    assert chat.stages == ["hyde"]
    assert len(seen.answer.context["reports"]) == 4
    assert [event.step_id for event in seen.of(ContextBuilt)] == ["primer/1", "primer/2"]


async def test_closing_the_run_stops_every_call() -> None:
    chat = ScriptedChat(delayed(script(), lambda: 0.05))
    engine = DriftSearch(tools_for(chat), settings(drift_k_followups=5))
    events = engine.stream(question(ASKED))
    async for event in events:
        if isinstance(event, ContextBuilt) and event.step_id == "a1":
            break
    assert chat.running > 0
    await close(events)
    assert chat.running == 0
    calls = len(chat.calls)
    await asyncio.sleep(0.1)
    assert len(chat.calls) == calls


async def test_two_questions_on_one_engine_share_nothing() -> None:
    chat = ScriptedChat(script())
    engine = DriftSearch(tools_for(chat), settings(n_depth=1, drift_k_followups=3))
    both = await asyncio.gather(*(one_run(engine) for _ in range(2)))
    assert timeless(both[0].answer.drift) == timeless(both[1].answer.drift)


async def close(events: AsyncIterator[Event]) -> None:
    await cast("AsyncGenerator[Event]", events).aclose()


async def one_run(engine: DriftSearch, **changes: Any) -> Seen:
    seen = Seen()
    async for event in engine.stream(question(ASKED, **changes)):
        seen.events.append(event)
    return seen


# ---- the same whatever the order ----------------------------------------------------------------------------


@pytest.mark.parametrize("luck", range(4))
async def test_random_delays_change_nothing(luck: int) -> None:
    setting = settings(n_depth=3, drift_k_followups=4, primer_folds=3)
    plain = await drift(setting=setting)
    delays = random.Random(luck)
    late = await drift(delayed(script(), lambda: delays.random() * 0.02), setting)
    assert timeless(late.answer.drift) == timeless(plain.answer.drift)


async def test_the_seed_draws_the_template() -> None:
    prompts: set[str] = set()
    for seed in range(4):
        chat = ScriptedChat(script())
        await drift(chat, settings(n_depth=0), seed=seed, context_only=True)
        prompts.add(chat.calls[0].messages[0].content)
    assert len(prompts) > 1


# ---- going on -----------------------------------------------------------------------------------------------


async def test_resuming_deeper_asks_only_what_is_new() -> None:
    short = await drift(setting=settings(n_depth=1, drift_k_followups=4))
    chat = ScriptedChat(script())
    deep = settings(n_depth=3, drift_k_followups=4)
    longer = await drift(chat, deep, resume=short.answer.drift)
    assert chat.stages == ["step"] * 8 + ["reduce"]
    at_once = await drift(setting=deep)
    assert timeless(longer.answer.drift) == timeless(at_once.answer.drift)


async def test_resuming_wider_asks_the_places_that_were_added() -> None:
    narrow = await drift(setting=settings(n_depth=1, drift_k_followups=2))
    chat = ScriptedChat(script())
    await drift(chat, settings(n_depth=1, drift_k_followups=5), resume=narrow.answer.drift)
    raised = 4 - 2  # two folds of two questions each, two of them asked
    assert chat.stages == ["step"] * raised + ["reduce"]


async def test_a_resumed_answer_still_resolves_what_was_cited_before() -> None:
    short = await drift(setting=settings(n_depth=1, drift_k_followups=3))
    again = await drift(setting=settings(n_depth=1, drift_k_followups=3), resume=short.answer.drift)
    for dataset, rows in short.answer.context.items():
        assert {row.id for row in again.answer.context[dataset]} == {row.id for row in rows}
    assert [c.in_context for c in again.answer.citations] == [c.in_context for c in short.answer.citations]


@pytest.mark.parametrize("changes", [1, 3, 6, 9])
async def test_a_killed_run_is_taken_up_without_asking_an_answered_question_again(changes: int) -> None:
    setting = settings(n_depth=2, drift_k_followups=4)
    delays = random.Random(changes)
    chat = ScriptedChat(delayed(script(), lambda: delays.random() * 0.02))
    events = DriftSearch(tools_for(chat), setting).stream(question(ASKED))
    state = None
    async for event in events:
        if isinstance(event, StateChanged):
            state = event.state
            changes -= 1
            if changes == 0:
                break
    await close(events)
    assert state is not None
    answered = {node.query for node in read_document(state).nodes if node.state == "answered"}

    again = ScriptedChat(script())
    resumed = await drift(again, setting, resume=state)
    assert not answered & {call.messages[-1].content for call in again.calls_of("step")}
    whole = await drift(setting=setting)
    assert timeless(resumed.answer.drift) == timeless(whole.answer.drift)


async def test_a_state_of_another_question_is_refused() -> None:
    short = await drift(setting=settings(n_depth=0))
    engine = DriftSearch(tools_for(ScriptedChat(script())), settings())
    with pytest.raises(UsageError, match="another question"):
        await anext(engine.stream(question("Something else?", resume=short.answer.drift)))


@pytest.mark.parametrize("put", ["And who came second?", ASKED])
async def test_a_state_of_a_conversation_is_of_the_question_as_it_was_put(put: str) -> None:
    """It may be given again as it was typed, or as it was rewritten: the run goes on with the latter."""
    said = (Turn("user", "Who came first?"), Turn("assistant", "Amundsen."))
    chat = ScriptedChat(script(rewrite={"question": ASKED}))
    engine = DriftSearch(tools_for(chat), settings(n_depth=1, drift_k_followups=2))
    short = await run(engine.stream(question("And who came second?", history=said)))
    state = read_document(short.answer.drift)
    assert (state.query, state.asked) == (ASKED, "And who came second?")

    again = ScriptedChat(script())
    deeper = DriftSearch(tools_for(again), settings(n_depth=2, drift_k_followups=2))
    longer = await run(deeper.stream(question(put, resume=short.answer.drift, history=said)))
    assert "rewrite" not in again.stages
    assert (longer.answer.question, longer.answer.standalone_question) == (put, ASKED)
    assert read_document(longer.answer.drift).asked == "And who came second?"


async def test_a_state_that_is_none_is_refused() -> None:
    engine = DriftSearch(tools_for(ScriptedChat(script())), settings())
    with pytest.raises(UsageError, match="not a DRIFT state"):
        await anext(engine.stream(question(ASKED, resume={"schema": "else"})))


# ---- when something fails -----------------------------------------------------------------------------------


async def test_without_a_hypothetical_answer_the_question_is_searched_by() -> None:
    embedder = HashEmbedder(WIDTH)
    seen = await drift(script(hyde=ModelError("down")), settings(n_depth=0), embedder)
    assert notices(seen) == ["hyde.failed"]
    assert embedder.calls[0] == (ASKED,)
    assert seen.answer.status == "answered"


async def test_an_empty_hypothetical_answer_is_no_failure() -> None:
    embedder = HashEmbedder(WIDTH)
    seen = await drift(script(hyde="  "), settings(n_depth=0), embedder)
    assert embedder.calls[0] == (ASKED,)
    assert notices(seen) == []


async def test_a_refused_key_ends_the_run_at_once() -> None:
    chat = ScriptedChat(script(hyde=AuthError("401")))
    with pytest.raises(AuthError):
        await drift(chat)
    assert chat.stages == ["hyde"]


async def test_a_failed_fold_costs_itself_only() -> None:
    chat = ScriptedChat(
        script(
            primer=[
                ModelError("overloaded"),
                {"intermediate_answer": "So", "score": 40, "follow_up_queries": []},
            ]
        )
    )
    seen = await drift(chat, settings(n_depth=1, primer_folds=3))
    assert seen.answer.status == "partial"
    assert seen.answer.failed == ("primer fold 1: overloaded",)
    assert nodes_of(seen)[0]["score"] == 40
    assert "So" in chat.calls[-1].messages[0].content


async def test_without_a_usable_fold_the_question_itself_is_asked_as_a_step() -> None:
    chat = ScriptedChat(script(primer=ModelError("overloaded")))
    seen = await drift(chat, settings(n_depth=1, primer_folds=2))
    assert [call.messages[-1].content for call in chat.calls_of("step")] == [ASKED]
    assert seen.answer.status == "partial"


async def test_when_no_fold_asks_anything_the_question_itself_is_asked_as_a_step() -> None:
    chat = ScriptedChat(script(primer={"intermediate_answer": "So", "score": 40, "follow_up_queries": []}))
    seen = await drift(chat, settings(n_depth=2, drift_k_followups=2))
    first, *others = [call.messages[-1].content for call in chat.calls_of("step")]
    assert first == ASKED
    assert len(others) == 2
    again = ScriptedChat(script())
    resumed = await drift(again, settings(n_depth=2, drift_k_followups=2), resume=seen.answer.drift)
    assert again.stages == ["reduce"]
    assert timeless(resumed.answer.drift) == timeless(seen.answer.drift)


async def test_empty_folds_are_no_failure() -> None:
    empty: dict[str, Any] = {"intermediate_answer": "", "score": 0, "follow_up_queries": []}
    chat = ScriptedChat(script(primer=empty))
    seen = await drift(chat, settings(n_depth=1, primer_folds=2))
    assert [call.messages[-1].content for call in chat.calls_of("step")] == [ASKED]
    assert seen.answer.status == "answered"


async def test_a_failed_step_costs_itself_only() -> None:
    failing: list[Any] = [ModelError("overloaded"), step_reply]

    def step(request: Any) -> Any:
        return failing.pop(0) if len(failing) > 1 else step_reply(request)

    seen = await drift(script(step=step), settings(n_depth=2, drift_k_followups=3, concurrency=1))
    assert states(seen)["failed"] == 1
    assert seen.answer.status == "partial"
    (failed,) = [node for node in nodes_of(seen) if node["state"] == "failed"]
    assert failed["error"] == "overloaded"
    assert failed["query"] in seen.answer.failed[0]
    assert "step.failed" in notices(seen)


async def test_an_unreadable_step_is_asked_twice_and_then_failed() -> None:
    chat = ScriptedChat(script(step=["no json", "no json either"]))
    seen = await drift(chat, settings(n_depth=1, drift_k_followups=1, primer_folds=1))
    (failed,) = [node for node in nodes_of(seen) if node["state"] == "failed"]
    assert failed["llm_calls"] == 2
    assert seen.answer.status == "partial"


async def test_an_empty_step_is_a_finished_step() -> None:
    seen = await drift(script(step=EMPTY), settings(n_depth=2, drift_k_followups=2))
    assert states(seen)["empty"] == 4
    assert seen.answer.status == "answered"


async def test_when_everything_fails_the_first_cause_is_raised() -> None:
    with pytest.raises(ModelError, match="fold"):
        await drift(script(primer=ModelError("fold"), step=ModelError("step")), settings(n_depth=1))


async def test_a_prompt_that_is_too_long_is_tried_again_shorter() -> None:
    replies: list[Any] = [ContextLengthError("too long"), step_reply]

    def step(request: Any) -> Any:
        return replies.pop(0) if len(replies) > 1 else step_reply(request)

    chat = ScriptedChat(script(step=step))
    seen = await drift(chat, settings(n_depth=1, drift_k_followups=1, primer_folds=1))
    first, second = (len(call.messages[0].content) for call in chat.calls_of("step"))
    assert second < first
    assert notices(seen) == ["step.shortened"]
    assert seen.answer.status == "answered"


async def test_a_fold_that_is_too_long_is_tried_again_shorter() -> None:
    good: dict[str, Any] = {"intermediate_answer": "So", "score": 40, "follow_up_queries": []}
    seen = await drift(
        script(primer=[ContextLengthError("too long"), good]), settings(n_depth=0, primer_folds=1)
    )
    assert notices(seen) == ["primer.shortened"]
    assert seen.answer.status == "answered"


async def test_nothing_above_the_least_score_is_no_data_without_a_call() -> None:
    chat = ScriptedChat(
        script(primer={"intermediate_answer": "Nothing.", "score": 0, "follow_up_queries": []})
    )
    seen = await drift(chat, settings(n_depth=0))
    assert seen.answer.status == "no_data"
    assert "reduce" not in chat.stages


# ---- limits -------------------------------------------------------------------------------------------------


async def test_a_limit_ends_the_asking_and_what_was_found_is_answered() -> None:
    chat = ScriptedChat(script())
    seen = await drift(chat, settings(n_depth=3, drift_k_followups=4), limits=Limits(max_calls=9))
    assert chat.stages[-1] == "reduce"
    assert len(chat.calls) == 9
    assert seen.answer.status == "partial"
    assert seen.answer.text.startswith("Amundsen did")
    assert any("limit" in line for line in seen.answer.failed)


async def test_a_run_that_a_limit_ended_can_go_on() -> None:
    setting = settings(n_depth=2, drift_k_followups=4)
    cut = await drift(setting=setting, limits=Limits(max_calls=8))
    whole = await drift(setting=setting)
    resumed = await drift(setting=setting, resume=cut.answer.drift)
    assert timeless(resumed.answer.drift) == timeless(whole.answer.drift)


async def test_a_limit_before_anything_was_found_is_an_error() -> None:
    with pytest.raises(LimitError):
        await drift(limits=Limits(max_calls=0))


# ---- filters ------------------------------------------------------------------------------------------------


async def test_an_entity_type_narrows_reports_and_steps() -> None:
    setting = settings(n_depth=1, drift_k_followups=20)
    everything = await drift(setting=setting)
    ships = await drift(setting=setting, filters=Filters(entity_types=("SHIP",)))
    snapshot = sample_snapshot()
    rows = snapshot.entity_rows_by_title([record.title for record in ships.answer.context["entities"]])
    assert {entity.type for entity in snapshot.entities(rows)} == {"SHIP"}
    assert 0 < len(ships.answer.context["reports"]) < len(everything.answer.context["reports"])


async def test_a_document_narrows_what_the_primer_and_the_steps_read() -> None:
    snapshot = sample_snapshot()
    (document,) = snapshot.documents(as_rows([4]))
    units = snapshot.text_unit_rows_matching([document.title], None, None)
    assert units is not None
    seen = await drift(
        setting=settings(n_depth=1, drift_k_followups=3), filters=Filters(documents=(document.title,))
    )
    assert seen.answer.status == "answered"
    narrowed: tuple[Narrowed, ...] = ("reports", "relationships", "claims")
    for dataset in narrowed:
        sent = [record.id for record in seen.answer.context[dataset]]
        assert snapshot.within(dataset, snapshot.rows_by_label(dataset, sent), units).all()


async def test_an_entity_asked_for_is_in_every_step() -> None:
    seen = await drift(setting=settings(n_depth=1, drift_k_followups=3), include_entities=("TERRA NOVA",))
    assert all(
        "TERRA NOVA" in {record.title for record in event.records if record.dataset == "entities"}
        for event in seen.of(ContextBuilt)
        if event.step_id is not None and event.step_id.startswith("a")
    )


async def test_time_spent_side_by_side_counts_once() -> None:
    chat = ScriptedChat(delayed(script(), lambda: 0.02))
    seen = await drift(chat, settings(n_depth=1, drift_k_followups=8))
    assert all(seconds <= seen.answer.timing["total"] for seconds in seen.answer.timing.values())


async def test_a_run_resumed_with_other_settings_says_so_and_keeps_its_seed() -> None:
    short = await drift(setting=settings(n_depth=1, drift_k_followups=3), seed=7)
    deeper = settings(n_depth=2, drift_k_followups=3)
    longer = await drift(
        setting=deeper,
        seed=8,
        resume=short.answer.drift,
        community_level=1,
        filters=Filters(entity_types=("SHIP",)),
    )
    (notice,) = [notice for notice in longer.of(Notice) if notice.code == "resume.differs"]
    assert "community_level: 2, now 1" in notice.text
    assert "entity_types: none, now SHIP" in notice.text
    assert read_document(longer.answer.drift).seed == 7


async def test_more_depth_is_no_other_setting() -> None:
    short = await drift(setting=settings(n_depth=1, drift_k_followups=3))
    longer = await drift(setting=settings(n_depth=2, drift_k_followups=4), resume=short.answer.drift)
    assert notices(longer) == []


@pytest.mark.parametrize(
    "raised", [["WHO REACHED the south pole first?!"], ["Reached who the South Pole first?"]]
)
async def test_a_primer_that_only_repeats_the_question_lets_it_be_asked_as_a_step(raised: list[str]) -> None:
    primer = {"intermediate_answer": "So", "score": 40, "follow_up_queries": raised}
    chat = ScriptedChat(script(primer=primer))
    seen = await drift(chat, settings(n_depth=2, drift_k_followups=2))
    first, *others = [call.messages[-1].content for call in chat.calls_of("step")]
    assert first == ASKED
    assert len(others) == 2
    assert seen.answer.context["sources"]
    again = ScriptedChat(script())
    resumed = await drift(again, settings(n_depth=2, drift_k_followups=2), resume=seen.answer.drift)
    assert again.stages == ["reduce"]
    assert timeless(resumed.answer.drift) == timeless(seen.answer.drift)
