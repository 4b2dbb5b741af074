from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import cast

import pytest

from graphrag_cli.config.settings import BasicSearchSettings
from graphrag_cli.context.history import Turn
from graphrag_cli.engines.base import Filters
from graphrag_cli.engines.basic import BasicSearch
from graphrag_cli.errors import (
    AuthError,
    ContentFilterError,
    ContextLengthError,
    LimitError,
    UnusableReplyError,
    VectorError,
)
from graphrag_cli.events import ContextBuilt, Event, Notice, TextDelta
from graphrag_cli.llm.around.purse import Limits
from graphrag_cli.llm.in_process.scripted import HashEmbedder, Reply, ScriptedChat
from graphrag_cli.llm.replies import RewriteReply
from tests.engines.kit import question, run, scripted, toolbox

ANSWER = "Roald Amundsen's party was first [Data: Sources (0, 1)]."


async def test_one_question_one_call_and_events_in_order() -> None:
    chat = scripted([ANSWER])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))
    assert seen.kinds == [
        "run_started",
        "stage_progress",
        "context_built",
        "stage_progress",
        "text_delta",
        "run_finished",
    ]
    assert "".join(delta.text for delta in seen.of(TextDelta)) == ANSWER
    assert len(seen.of(TextDelta)) > 1
    assert (seen.answer.status, seen.answer.text) == ("answered", ANSWER)
    assert len(chat.calls) == 1


async def test_not_streaming_gives_the_same_answer() -> None:
    chat = scripted([ANSWER])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question(stream=False)))
    assert not chat.calls[0].stream
    assert seen.answer.text == ANSWER


async def test_the_nearest_text_units_are_sent_most_similar_first() -> None:
    chat = scripted([ANSWER])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings(k=4)).stream(question()))
    sources = seen.answer.context["sources"]
    similarities = [float(str(record.why["similarity"])) for record in sources]
    assert len(sources) == 4
    assert similarities == sorted(similarities, reverse=True)
    assert all(str(record.values["text"])[:40] in chat.calls[0].messages[0].content for record in sources)
    assert set(seen.answer.context) == {"reports", "entities", "relationships", "claims", "sources"}


async def test_citations_are_checked_against_what_was_sent_and_what_exists() -> None:
    chat = scripted(["x [Data: Sources (999)]. y [Data: Entities (0)]. z"])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings(k=2)).stream(question()))
    fabricated, unsent = seen.answer.citations
    assert (fabricated.exists, fabricated.in_context) == (False, False)
    assert (unsent.exists, unsent.in_context) == (True, False)
    assert unsent.documents


async def test_call_arguments_of_the_settings_are_sent() -> None:
    chat = scripted([ANSWER])
    settings = BasicSearchSettings.model_validate({"call_args": {"temperature": 0.3, "max_tokens": 77}})
    await run(BasicSearch(toolbox(chat), settings).stream(question()))
    assert (chat.calls[0].params.temperature, chat.calls[0].params.max_tokens) == (0.3, 77)
    assert chat.calls[0].params.top_p is None


async def test_nothing_near_enough_is_no_data_and_no_call() -> None:
    chat = scripted([])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings(min_similarity=1)).stream(question()))
    assert (seen.answer.status, chat.calls) == ("no_data", [])
    assert "".join(delta.text for delta in seen.of(TextDelta)) == seen.answer.text != ""


async def test_context_only_retrieves_and_stops() -> None:
    chat = scripted([])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question(context_only=True)))
    assert (seen.answer.status, seen.answer.text, chat.calls) == ("answered", "", [])
    assert seen.answer.context["sources"]


async def test_another_width_is_refused_before_any_call() -> None:
    chat = scripted([])
    tools = toolbox(chat, HashEmbedder(8))
    with pytest.raises(VectorError, match=r"width 8.*width 384"):
        await run(BasicSearch(tools, BasicSearchSettings()).stream(question()))
    assert chat.calls == []


async def test_an_empty_answer_is_an_error_with_the_finish_reason() -> None:
    chat = scripted([Reply("", finish_reason="over_capacity")])
    with pytest.raises(UnusableReplyError, match="over_capacity"):
        await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))


async def test_a_filtered_answer_is_an_error() -> None:
    chat = scripted([Reply("", outcome="filtered")])
    with pytest.raises(ContentFilterError):
        await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))


async def test_an_answer_cut_short_is_partial_and_says_so() -> None:
    chat = scripted([Reply("Amundsen was", outcome="cut", finish_reason="length")])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))
    assert (seen.answer.status, seen.answer.text) == ("partial", "Amundsen was")
    assert [notice.code for notice in seen.of(Notice)] == ["answer.cut"]
    assert seen.answer.failed


async def test_a_model_that_says_the_context_holds_no_answer_is_believed() -> None:
    chat = scripted([Reply("I do not know.", outcome="no_answer")])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))
    assert seen.answer.status == "no_data"


async def test_a_prompt_too_long_for_the_model_is_shortened_with_a_notice() -> None:
    chat = scripted([ContextLengthError("too long"), ContextLengthError("too long"), ANSWER])
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))
    sizes = [built.tokens for built in seen.of(ContextBuilt)]
    assert len(sizes) == 3
    assert sizes[2] < sizes[0]
    assert [notice.code for notice in seen.of(Notice)] == ["context.shortened"] * 2
    assert seen.answer.status == "answered"


async def test_a_prompt_that_never_fits_is_an_error() -> None:
    chat = scripted([ContextLengthError("too long")] * 9)
    with pytest.raises(ContextLengthError):
        await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))
    assert len(chat.calls) == 5


async def test_a_wrong_key_is_an_error_and_never_an_answer() -> None:
    chat = scripted([AuthError("401")])
    with pytest.raises(AuthError):
        await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question()))


async def test_a_limit_of_no_calls_ends_the_run() -> None:
    chat = scripted([ANSWER])
    with pytest.raises(LimitError):
        await run(
            BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question(limits=Limits(max_calls=0)))
        )
    assert chat.calls == []


async def test_a_follow_up_is_rewritten_and_the_conversation_is_sent() -> None:
    chat = scripted([RewriteReply(question="When did Roald Amundsen reach the South Pole?"), ANSWER])
    history = (Turn("user", "Who led the Fram expedition?"), Turn("assistant", "Roald Amundsen."))
    asked = question("When did he get there?", history=history)
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(asked))
    assert seen.answer.standalone_question == "When did Roald Amundsen reach the South Pole?"
    assert [message.role for message in chat.calls[1].messages] == ["system", "user", "assistant", "user"]
    assert chat.calls[1].messages[-1].content == seen.answer.standalone_question
    assert seen.answer.usage.by_stage["rewrite"].llm_calls == 1


async def test_a_failed_rewrite_leaves_the_question_as_it_is() -> None:
    chat = scripted(["not json", "still not json", ANSWER])
    asked = question("When did he get there?", history=(Turn("user", "Hello"), Turn("assistant", "Hello.")))
    seen = await run(BasicSearch(toolbox(chat), BasicSearchSettings()).stream(asked))
    assert seen.answer.standalone_question is None
    assert [notice.code for notice in seen.of(Notice)] == ["reply.reask", "rewrite.failed"]
    assert seen.answer.status == "answered"


async def test_a_document_filter_narrows_the_sources() -> None:
    tools = toolbox(scripted([ANSWER, ANSWER]))
    everything = await run(BasicSearch(tools, BasicSearchSettings()).stream(question()))
    first = everything.answer.context["sources"][0]
    owner = tools.snapshot.document_rows_of(tools.snapshot.text_unit_rows_by_id([first.record_id]))
    title = tools.snapshot.documents(owner)[0].title
    narrowed = await run(
        BasicSearch(tools, BasicSearchSettings()).stream(question(filters=Filters(documents=(title,))))
    )
    rows = tools.snapshot.text_unit_rows_by_id(
        [record.record_id for record in narrowed.answer.context["sources"]]
    )
    assert set(tools.snapshot.document_rows_of(rows).tolist()) == set(owner.tolist())


async def test_a_filter_that_leaves_nothing_is_no_data_and_embeds_nothing() -> None:
    filters = Filters(until="1800-01-01")
    seen = await run(
        BasicSearch(toolbox(scripted([])), BasicSearchSettings()).stream(question(filters=filters))
    )
    assert seen.answer.status == "no_data"
    assert seen.answer.usage.total.embedding_calls == 0


async def test_the_engine_keeps_nothing_between_questions() -> None:
    chat = scripted([ANSWER, ANSWER])
    search = BasicSearch(toolbox(chat), BasicSearchSettings())
    first = await run(search.stream(question()))
    second = await run(search.stream(question()))
    assert first.answer.usage == second.answer.usage
    assert first.answer.context == second.answer.context


async def test_closing_the_run_stops_the_call() -> None:
    chat = ScriptedChat([Reply("one two three four", pause=0.05)])
    events = BasicSearch(toolbox(chat), BasicSearchSettings()).stream(question())
    async for event in events:
        if isinstance(event, TextDelta):
            break
    assert chat.running == 1
    await cast("AsyncGenerator[Event]", events).aclose()
    assert chat.running == 0
