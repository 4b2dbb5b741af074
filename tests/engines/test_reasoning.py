"""What a model thinks is told by every engine, with the step it belongs to, and is in no answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphrag_cli.config.settings import BasicSearchSettings, GlobalSearchSettings
from graphrag_cli.context.history import Turn
from graphrag_cli.engines.basic import BasicSearch
from graphrag_cli.engines.global_.engine import GlobalSearch
from graphrag_cli.events import Notice, Reasoning
from graphrag_cli.llm.base import ChatRequest, ReplyNotice
from graphrag_cli.llm.in_process.scripted import Matcher, Reply, Scripted, ScriptedChat, as_reply, by_stage
from tests.engines.drift import scripts
from tests.engines.kit import Seen, question, run, toolbox

POINTS: dict[str, Any] = {"points": [{"description": "A point. [Data: Reports (0)]", "score": 50}]}
TURNS = (Turn("user", "Who led the Norwegians?"), Turn("assistant", "Amundsen."))


def thinking(replies: Matcher) -> ScriptedChat:
    """A model that thinks aloud what its call is for."""

    def match(request: ChatRequest) -> Scripted | None:
        reply = replies(request)
        return None if reply is None else replace(as_reply(reply), reasoning=f"I am to {request.stage}")

    return ScriptedChat(match)


def told(seen: Seen) -> dict[str | None, str]:
    """Reasoning by step."""
    found: dict[str | None, str] = {}
    for event in seen.of(Reasoning):
        found[event.step_id] = found.get(event.step_id, "") + event.text
    assert not any(text in str(seen.answer) for text in found.values())
    return found


async def test_of_the_rewritten_question_and_of_the_answer() -> None:
    chat = thinking(by_stage(rewrite={"question": "When did Amundsen arrive?"}, answer="In December."))
    engine = BasicSearch(toolbox(chat), BasicSearchSettings())
    seen = await run(engine.stream(question("When?", history=TURNS)))
    assert told(seen) == {"rewrite": "I am to rewrite", None: "I am to answer"}
    assert seen.answer.text == "In December."


async def test_of_ratings_and_batches() -> None:
    chat = thinking(by_stage(map=POINTS, reduce="All told.", rate={"rating": 3, "reason": ""}))
    engine = GlobalSearch(toolbox(chat), GlobalSearchSettings(max_context_tokens=1200), 25)
    found = told(await run(engine.stream(question(dynamic=True))))
    assert found[None] == "I am to reduce"
    assert found["map/1"] == "I am to map"
    assert sum(step is not None and step.startswith("rate/") for step in found) == len(chat.calls_of("rate"))


async def test_of_every_step_of_drift() -> None:
    chat = thinking(scripts.script())
    seen = await scripts.drift(chat)
    found = told(seen)
    assert (found["hyde"], found["primer/1"], found[None]) == (
        "I am to hyde",
        "I am to primer",
        "I am to reduce",
    )
    asked = [node["id"] for node in scripts.nodes_of(seen) if found.get(node["id"]) == "I am to step"]
    assert len(asked) == len(chat.calls_of("step"))


async def test_of_a_step_that_failed_and_what_happened_on_the_way() -> None:
    retried = ReplyNotice("model.retry", "waiting")
    unusable = Reply("no JSON", reasoning="hm", notices=(retried,))
    chat = ScriptedChat([unusable, unusable, "Amundsen."])
    engine = BasicSearch(toolbox(chat), BasicSearchSettings())
    seen = await run(engine.stream(question("When?", history=TURNS)))
    assert told(seen) == {"rewrite": "hmhm"}
    assert [notice.code for notice in seen.of(Notice)] == [
        "model.retry", "reply.reask", "model.retry", "rewrite.failed",
    ]  # fmt: skip


async def test_of_both_tries_where_the_first_reply_could_not_be_read() -> None:
    replies = [Reply("no JSON", reasoning="first"), Reply('{"question": "Who?"}', reasoning=", then")]
    chat = ScriptedChat([*replies, "Amundsen."])
    engine = BasicSearch(toolbox(chat), BasicSearchSettings())
    seen = await run(engine.stream(question("When?", history=TURNS)))
    assert told(seen) == {"rewrite": "first, then"}
