from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from graphrag_cli.config.settings import CallArgs, GlobalSearchSettings
from graphrag_cli.context.history import Turn
from graphrag_cli.engines.global_.engine import GlobalSearch
from graphrag_cli.engines.run import NO_DATA
from graphrag_cli.errors import (
    AuthError,
    ContentFilterError,
    ContextLengthError,
    DeadlineError,
    IndexDataError,
    LimitError,
    ModelError,
)
from graphrag_cli.events import ContextBuilt, Notice, StageProgress, StepFinished, StepStarted, TextDelta
from graphrag_cli.llm.around.purse import Limits
from graphrag_cli.llm.base import ChatRequest
from graphrag_cli.llm.in_process.scripted import Matcher, Reply, Scripted, ScriptedChat, as_reply, by_stage
from tests.engines import kit
from tests.engines.kit import Seen, question, toolbox
from tests.kit.snapshots import opened
from tests.kit.tiny import tables, write_tables
from tests.sample import sample_snapshot

ANSWER = "Amundsen did [Data: Reports (0)]."
NOTHING: dict[str, Any] = {"points": []}
SMALL = 1200
"""Tokens of a batch, so that the sample's reports make several."""


def points(*scores: float) -> dict[str, Any]:
    return {
        "points": [
            {"description": f"Point of {score}. [Data: Reports (0)]", "score": score} for score in scores
        ]
    }


def script(**changes: Scripted | Matcher | list[Scripted]) -> Matcher:
    replies: dict[str, Any] = {"map": points(50), "reduce": ANSWER, "rate": {"rating": 3, "reason": ""}}
    return by_stage(**{**replies, **changes})


def settings(**changes: Any) -> GlobalSearchSettings:
    return GlobalSearchSettings.model_validate({"max_context_tokens": SMALL, **changes})


async def ask(
    chat: ScriptedChat | Matcher | None = None, setting: GlobalSearchSettings | None = None, **changes: Any
) -> Seen:
    model = chat if isinstance(chat, ScriptedChat) else ScriptedChat(chat or script())
    return await kit.run(GlobalSearch(toolbox(model), setting or settings(), 25).stream(question(**changes)))


def notices(seen: Seen) -> list[str]:
    return [notice.code for notice in seen.of(Notice)]


def numbers(text: str) -> list[int]:
    """Community numbers of the rows in a map prompt."""
    table = text.split("-----Reports-----")[1].split("\n\n")[0]
    return [int(line.split("|")[0]) for line in table.strip().split("\n")[1:]]


def batches(chat: ScriptedChat) -> list[list[int]]:
    return [numbers(call.messages[0].content) for call in chat.calls_of("map")]


# ---- the way of a run ---------------------------------------------------------------------------------------


async def test_every_report_of_the_level_is_read_once() -> None:
    chat = ScriptedChat(script())
    seen = await ask(chat)
    snapshot = sample_snapshot()
    expected = [report.community for report in snapshot.reports(snapshot.report_rows_at(2))]
    assert sorted(number for batch in batches(chat) for number in batch) == sorted(expected)
    assert {record.id for record in seen.answer.context["reports"]} == set(map(str, expected))
    assert len(batches(chat)) > 3


@pytest.mark.parametrize("level", [0, 1, 2, "deepest"])
async def test_the_level_chooses_the_reports(level: Any) -> None:
    chat = ScriptedChat(script())
    await ask(chat, community_level=level)
    snapshot = sample_snapshot()
    expected = [report.community for report in snapshot.reports(snapshot.report_rows_at(level))]
    assert sorted(number for batch in batches(chat) for number in batch) == sorted(expected)


async def test_map_replies_become_one_streamed_answer() -> None:
    seen = await ask(community_level=0)
    assert seen.answer.status == "answered"
    assert seen.answer.text == ANSWER
    assert "".join(event.text for event in seen.of(TextDelta)) == ANSWER
    assert seen.answer.citations[0].in_context


async def test_progress_counts_batches_and_points() -> None:
    seen = await ask()
    told = [event for event in seen.of(StageProgress) if event.stage == "map"]
    assert (told[0].done, told[0].detail) == (0, "0 points")
    assert told[-1].done == told[-1].total == len(seen.of(StepFinished))
    assert told[-1].detail == f"{told[-1].total} points"


async def test_batches_are_shuffled_by_the_seed() -> None:
    orders: list[list[list[int]]] = []
    for seed in (1, 1, 2):
        chat = ScriptedChat(script())
        await ask(chat, seed=seed)
        orders.append(batches(chat))
    assert orders[0] == orders[1] != orders[2]


async def test_context_only_shows_the_batches_and_calls_nothing() -> None:
    chat = ScriptedChat(script())
    seen = await ask(chat, context_only=True)
    assert chat.calls == []
    shown = seen.of(ContextBuilt)
    assert len(shown) > 3
    assert all("-----Reports-----" in event.prompt for event in shown)
    assert len(seen.answer.context["reports"]) == sum(len(event.records) for event in shown)


async def test_closing_the_run_stops_every_call() -> None:
    chat = ScriptedChat(script(map=Reply('{"points": []}', delay=5)))
    events = GlobalSearch(toolbox(chat), settings(), 25).stream(question())
    async for event in events:
        if isinstance(event, StepStarted):
            break
    await asyncio.sleep(0.01)
    assert chat.running > 1
    await cast("AsyncGenerator[Any]", events).aclose()
    assert chat.running == 0


async def test_random_delays_change_nothing() -> None:
    def late(luck: random.Random) -> Matcher:
        def match(request: ChatRequest) -> Scripted | None:
            count = len(request.messages[0].content)
            reply = script(map=points(count % 97 + 1, count % 89 + 1))(request)
            return None if reply is None else replace(as_reply(reply), delay=luck.random() * 0.02)

        return match

    prompts: set[str] = set()
    for luck in range(4):
        chat = ScriptedChat(late(random.Random(luck)))
        await ask(chat)
        prompts.add(chat.calls_of("reduce")[0].messages[0].content)
    assert len(prompts) == 1


# ---- settings -----------------------------------------------------------------------------------------------


async def test_a_batch_stays_within_its_tokens() -> None:
    seen = await ask(setting=settings(max_context_tokens=800))
    built = [event for event in seen.of(ContextBuilt) if event.step_id]
    assert all(0 < event.tokens <= 800 for event in built)


async def test_key_points_stay_within_their_tokens() -> None:
    seen = await ask(script(map=points(*range(1, 40))), settings(data_max_tokens=100))
    (final,) = [event for event in seen.of(ContextBuilt) if event.step_id is None]
    assert 0 < final.tokens <= 100


async def test_key_points_come_best_first_and_those_of_0_not_at_all() -> None:
    chat = ScriptedChat(script(map=[points(30, 0, 70), points(90), NOTHING]))
    await ask(chat)
    prompt = chat.calls_of("reduce")[0].messages[0].content
    assert re.findall(r"-----Point \d+ \(score (\d+)\)-----", prompt) == ["90", "70", "30"]


async def test_lengths_are_said_in_the_prompts() -> None:
    chat = ScriptedChat(script())
    await ask(chat, settings(map_max_length=123, reduce_max_length=456), response_type="a haiku")
    assert "at most 123 words" in chat.calls_of("map")[0].messages[0].content
    reduce = chat.calls_of("reduce")[0].messages[0].content
    assert "456 words" in reduce
    assert "a haiku" in reduce


async def test_each_stage_has_its_own_call_arguments() -> None:
    chat = ScriptedChat(script())
    setting = settings(
        map_call_args=CallArgs(temperature=0.1, max_tokens=11),
        reduce_call_args=CallArgs(temperature=0.2, max_completion_tokens=22),
        rate_call_args=CallArgs(temperature=0.3, top_p=0.5),
    )
    await ask(chat, setting, dynamic=True)
    sent = {call.stage: call.params for call in chat.calls}
    assert (sent["map"].temperature, sent["map"].max_tokens) == (0.1, 11)
    assert (sent["reduce"].temperature, sent["reduce"].max_completion_tokens) == (0.2, 22)
    assert (sent["rate"].temperature, sent["rate"].top_p) == (0.3, 0.5)


@pytest.mark.parametrize(("concurrency", "root", "most"), [(None, 2, 2), (1, 25, 1)])
async def test_no_more_map_calls_run_at_a_time_than_set(
    concurrency: int | None, root: int, most: int
) -> None:
    chat = ScriptedChat(script(map=Reply('{"points": []}', delay=0.001)))
    engine = GlobalSearch(toolbox(chat), settings(concurrency=concurrency), root)
    await kit.run(engine.stream(question()))
    assert chat.most_running == most


async def test_general_knowledge_is_allowed_when_set() -> None:
    chat = ScriptedChat(script(map=NOTHING))
    seen = await ask(chat, settings(allow_general_knowledge=True))
    prompt = chat.calls_of("reduce")[0].messages[0].content
    assert "General knowledge" in prompt
    assert seen.answer.text == ANSWER


async def test_a_final_call_that_fails_with_nothing_to_show_is_an_error() -> None:
    with pytest.raises(ModelError, match="down"):
        await ask(script(map=NOTHING, reduce=ModelError("down")), settings(allow_general_knowledge=True))


async def test_general_knowledge_is_not_mentioned_otherwise() -> None:
    chat = ScriptedChat(script())
    await ask(chat)
    assert "General knowledge" not in chat.calls_of("reduce")[0].messages[0].content


async def test_earlier_turns_reach_the_final_call_only() -> None:
    turns = (Turn("user", "Q1"), Turn("assistant", "A1"), Turn("user", "Q2"), Turn("assistant", "A2"))
    chat = ScriptedChat(script(rewrite={"question": "And who was first?"}))
    await ask(chat, settings(conversation_history_max_turns=1), history=turns)
    contents = [message.content for message in chat.calls_of("reduce")[0].messages[1:]]
    assert contents == ["Q2", "A2", "And who was first?"]
    assert [message.role for message in chat.calls_of("map")[0].messages] == ["system", "user"]


async def test_a_small_window_makes_smaller_batches() -> None:
    chat = ScriptedChat(script())
    tools = replace(toolbox(chat), window=4000)
    seen = await kit.run(GlobalSearch(tools, settings(max_context_tokens=12_000), 25).stream(question()))
    assert all(event.tokens < 4000 for event in seen.of(ContextBuilt))
    assert len(chat.calls_of("map")) > 1


# ---- outcomes -----------------------------------------------------------------------------------------------


async def test_reports_that_no_entity_leads_to_are_an_error_and_not_no_data(
    tmp_path: Path,
) -> None:
    data = tables()
    for row in data["communities"]:
        row["entity_ids"] = ["of another run"]
    write_tables(tmp_path, data)
    tools = replace(toolbox(ScriptedChat(script())), snapshot=opened(tmp_path))
    with pytest.raises(IndexDataError, match="of a community that has entities"):
        await kit.run(GlobalSearch(tools, settings(), 25).stream(question()))


async def test_no_points_are_no_data_without_a_call() -> None:
    chat = ScriptedChat(script(map=NOTHING))
    seen = await ask(chat)
    assert (seen.answer.status, seen.answer.text) == ("no_data", NO_DATA)
    assert "reduce" not in chat.stages


@pytest.mark.parametrize("error", [ModelError("down"), ContentFilterError("filtered")])
async def test_a_failed_batch_costs_itself_only(error: ModelError) -> None:
    seen = await ask(script(map=[error, points(50)]))
    assert seen.answer.status == "partial"
    assert seen.answer.failed == (f"map batch 1: {error.message}",)
    assert notices(seen) == ["map.failed"]
    assert [event.state for event in seen.of(StepFinished)].count("failed") == 1


async def test_an_unreadable_reply_costs_its_batch_only() -> None:
    chat = ScriptedChat(script(map=["no json", "again no json", points(50)]))
    seen = await ask(chat, settings(concurrency=1))
    assert seen.answer.status == "partial"
    assert "map batch 1" in seen.answer.failed[0]


async def test_when_every_batch_fails_the_first_cause_is_raised() -> None:
    with pytest.raises(AuthError, match="401"):
        await ask(script(map=AuthError("401")))


async def test_failures_beside_nothing_are_not_no_data() -> None:
    seen = await ask(script(map=[ModelError("down"), NOTHING]))
    assert seen.answer.status == "partial"


async def test_a_batch_that_is_too_long_is_split() -> None:
    def match(request: ChatRequest) -> Any:
        if request.stage != "map":
            return ANSWER
        return ContextLengthError("too long") if len(numbers(request.messages[0].content)) > 2 else points(50)

    chat = ScriptedChat(match)
    seen = await ask(chat)
    assert seen.answer.status == "answered"
    assert "map.split" in notices(seen)
    read = [number for batch in batches(chat) if len(batch) <= 2 for number in batch]
    assert sorted(read) == sorted(int(record.id) for record in seen.answer.context["reports"])
    (last, *_) = [event for event in reversed(seen.of(StageProgress)) if event.stage == "map"]
    assert last.done == last.total


async def test_a_report_that_is_too_long_even_alone_fails_its_batch() -> None:
    with pytest.raises(ContextLengthError):
        await ask(script(map=ContextLengthError("too long")))


async def test_a_limit_among_the_batches_answers_from_what_is_there() -> None:
    chat = ScriptedChat(script())
    seen = await ask(chat, settings(concurrency=1), limits=Limits(max_calls=3))
    assert chat.stages == ["map", "map", "reduce"]
    assert seen.answer.status == "partial"
    assert seen.answer.text == ANSWER


@pytest.mark.parametrize(
    "error", [LimitError("cause"), DeadlineError("cause"), ModelError("cause"), ContextLengthError("cause")]
)
async def test_when_the_answer_cannot_be_written_the_points_are_given_as_found(error: Exception) -> None:
    seen = await ask(script(reduce=error))
    assert seen.answer.status == "partial"
    assert seen.answer.failed == ("reduce: cause",)
    assert "because cause" in seen.answer.text
    assert "Point of 50." in seen.answer.text
    assert "".join(event.text for event in seen.of(TextDelta)) == seen.answer.text


async def test_a_reduce_prompt_that_is_too_long_is_tried_again_shorter() -> None:
    chat = ScriptedChat(script(map=points(*range(1, 40)), reduce=[ContextLengthError("too long"), ANSWER]))
    seen = await ask(chat)
    first, second = (len(call.messages[0].content) for call in chat.calls_of("reduce"))
    assert second < first
    assert notices(seen) == ["reduce.shortened"]
    assert seen.answer.text == ANSWER


async def test_a_limit_before_anything_was_read_is_an_error() -> None:
    with pytest.raises(LimitError):
        await ask(limits=Limits(max_calls=0))


# ---- dynamic selection --------------------------------------------------------------------------------------


def rating(table: dict[int, int], default: int = 0) -> Matcher:
    """Rates by community: the title of its report is found in the prompt."""
    snapshot = sample_snapshot()
    contents = {
        community: snapshot.reports(snapshot.report_rows_by_community([community]))[0].content
        for community in table
    }

    def match(request: ChatRequest) -> Scripted:
        prompt = request.messages[0].content
        found = [table[community] for community, content in contents.items() if content in prompt]
        return {"reason": "", "rating": found[0] if found else default}

    return match


async def test_only_what_was_rated_relevant_is_read() -> None:
    snapshot = sample_snapshot()
    root = int(snapshot.root_communities()[0])
    child = int(snapshot.children_of(root)[0])
    chat = ScriptedChat(script(rate=rating({root: 3, child: 4})))
    await ask(chat, dynamic=True)
    assert batches(chat) == [[child]]
    rated = (
        len(snapshot.root_communities()) + len(snapshot.children_of(root)) + len(snapshot.children_of(child))
    )
    assert len(chat.calls_of("rate")) == rated


async def test_a_parent_is_kept_when_set() -> None:
    snapshot = sample_snapshot()
    root = int(snapshot.root_communities()[0])
    child = int(snapshot.children_of(root)[0])
    chat = ScriptedChat(script(rate=rating({root: 3, child: 4})))
    await ask(chat, settings(dynamic_search_keep_parent=True), dynamic=True)
    assert sorted(number for batch in batches(chat) for number in batch) == sorted([root, child])


async def test_the_threshold_is_that_of_the_settings() -> None:
    chat = ScriptedChat(script())
    seen = await ask(chat, settings(dynamic_search_threshold=4), dynamic=True)
    assert seen.answer.status == "no_data"
    assert "map" not in chat.stages


async def test_each_report_is_rated_as_often_as_set() -> None:
    snapshot = sample_snapshot()
    chat = ScriptedChat(script(rate={"rating": 0}))
    await ask(chat, settings(dynamic_search_num_repeats=3, dynamic_search_max_level=0), dynamic=True)
    assert len(chat.calls) == 3 * len(snapshot.root_communities())


async def test_the_summary_is_rated_when_set() -> None:
    snapshot = sample_snapshot()
    (report, *_) = snapshot.reports(snapshot.report_rows_by_community(snapshot.root_communities()))
    for use, shown in ((True, report.summary), (False, report.content)):
        chat = ScriptedChat(script(rate={"rating": 0}))
        setting = settings(
            dynamic_search_use_summary=use, dynamic_search_max_level=0, max_context_tokens=12_000
        )
        await ask(chat, setting, dynamic=True)
        assert any(shown in call.messages[0].content for call in chat.calls)
        assert any(report.content in call.messages[0].content for call in chat.calls) != use


async def test_while_nothing_is_relevant_the_next_levels_are_rated() -> None:
    counts: list[int] = []
    for most in (0, 1, 2):
        chat = ScriptedChat(script(rate={"rating": 0}))
        await ask(chat, settings(dynamic_search_max_level=most), dynamic=True)
        counts.append(len(chat.calls))
    assert counts == sorted(set(counts))


async def test_an_unreadable_rating_is_missing_and_told() -> None:
    chat = ScriptedChat(script(rate=["?", "??", {"rating": 3}]))
    seen = await ask(
        chat, settings(dynamic_search_concurrent_coroutines=1, dynamic_search_max_level=0), dynamic=True
    )
    assert "rate.failed" in notices(seen)
    assert seen.answer.status == "answered"


async def test_when_no_rating_can_be_read_the_whole_level_is_used() -> None:
    chat = ScriptedChat(script(rate="?"))
    seen = await ask(chat, dynamic=True)
    assert "rate.unusable" in notices(seen)
    assert len(seen.answer.context["reports"]) == len(sample_snapshot().report_rows_at(2))


async def test_when_every_rating_is_refused_the_cause_is_raised() -> None:
    with pytest.raises(AuthError):
        await ask(script(rate=AuthError("401")), dynamic=True)


async def test_no_more_ratings_run_at_a_time_than_set() -> None:
    chat = ScriptedChat(script(rate=Reply('{"rating": 0}', delay=0.001)))
    await ask(chat, settings(dynamic_search_concurrent_coroutines=2), dynamic=True)
    assert chat.most_running == 2


async def test_ratings_go_to_their_own_model() -> None:
    chat, rater = ScriptedChat(script()), ScriptedChat(script(), name="small")
    engine = GlobalSearch(replace(toolbox(chat), rater=rater), settings(), 25)
    seen = await kit.run(engine.stream(question(dynamic=True)))
    assert set(rater.stages) == {"rate"}
    assert "rate" not in chat.stages
    assert seen.answer.usage.by_stage["rate"].llm_calls == len(rater.calls)


async def test_children_are_rated_while_their_parents_siblings_still_are() -> None:
    started: list[str] = []
    snapshot = sample_snapshot()
    slow = int(snapshot.root_communities()[-1])
    (last,) = snapshot.reports(snapshot.report_rows_by_community([slow]))

    def rate(request: ChatRequest) -> Scripted:
        started.append(request.messages[0].content)
        late = last.content in request.messages[0].content
        return Reply('{"rating": 5}', delay=0.1 if late else 0)

    chat = ScriptedChat(script(rate=rate))
    seen = await ask(chat, dynamic=True)
    finished = [event.step_id for event in seen.of(StepFinished) if event.stage == "rate"]
    begun = [event.step_id for event in seen.of(StepStarted) if event.stage == "rate"]
    order = [event.step_id for event in seen.events if isinstance(event, StepStarted | StepFinished)]
    assert order.index(begun[len(snapshot.root_communities())]) < (
        len(order) - 1 - order[::-1].index(f"rate/{slow}")
    )
    assert sorted(finished) == sorted(begun)
