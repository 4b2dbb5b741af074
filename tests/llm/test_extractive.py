from __future__ import annotations

import re

import pytest

from graphrag_cli.llm.base import CallParams, ChatReply, ChatRequest, Message, ReplyDelta, ReplyEnd, complete
from graphrag_cli.llm.counting.wordpiece import WordPieceCounter
from graphrag_cli.llm.extractive import ExtractiveChat
from graphrag_cli.llm.extractive.notes import citations_in
from graphrag_cli.llm.extractive.writing import INDIRECT, NO_RECORDS, UNKNOWN
from graphrag_cli.llm.in_process.scripted import HashEmbedder
from tests.llm.extractive_kit import SOURCES, answerer, context, request


async def ask(
    question: str, data: str | None = None, *, response_type: str = "multiple paragraphs"
) -> ChatReply:
    return await complete(answerer(), request(question, data, response_type=response_type))


ONLY_SOURCES = context(sources=SOURCES)


@pytest.mark.parametrize(
    ("question", "fact", "source"),
    [
        ("Who built the lighthouse?", "Ada Brandt", "0"),
        ("How high is the tower?", "41 metres", "0"),
        ("How many sailors did Jens Holm bring ashore?", "nine sailors", "1"),
        ("What happened to the captain of the Orion?", "drowned", "1"),
        ("When did the lamp become electric?", "1937", "2"),
        ("How did the villagers tell their loaves apart?", "wooden stamp", "3"),
        ("Is there still a keeper in the lighthouse?", "without a keeper since 1984", "2"),
    ],
)
async def test_facts_of_another_subject_are_found_and_cited(question: str, fact: str, source: str) -> None:
    reply = await ask(question, ONLY_SOURCES)
    assert reply.outcome == "ok"
    assert fact in reply.text
    assert source in citations_in(reply.text)["sources"]


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Australia?",
        "Which football club won the cup in 1998?",
        "How do I install a printer?",
        "Who painted the Mona Lisa?",
    ],
)
async def test_questions_on_other_things_are_refused(question: str) -> None:
    reply = await ask(question)
    assert reply.outcome == "no_answer"
    assert reply.text == UNKNOWN or reply.text.startswith(INDIRECT)


async def test_a_question_close_to_the_subject_gets_the_closest_records() -> None:
    reply = await ask("What was the name of the keeper's dog?", ONLY_SOURCES)
    assert reply.outcome == "no_answer"
    assert reply.text.startswith(INDIRECT)
    assert citations_in(reply.text)


async def test_without_records_it_says_so() -> None:
    reply = await ask("Who was the keeper?", "")
    assert (reply.outcome, reply.text) == ("no_answer", NO_RECORDS)


async def test_every_sentence_is_cited_and_no_citation_is_made_up() -> None:
    reply = await ask("Who was Jens Holm, and what did he do in 1889?")
    assert re.findall(r"[^\]]+(?=$|\[)", reply.text.strip())[-1].strip() != ""
    assert reply.text.strip().endswith("]")
    allowed = {
        "reports": {"0", "1"},
        "entities": set("01234"),
        "relationships": set("0123"),
        "claims": {"0"},
        "sources": set("0123"),
    }
    for dataset, ids in citations_in(reply.text).items():
        assert set(ids) <= allowed[dataset]


async def test_what_several_records_say_is_said_once_with_the_citations_of_all() -> None:
    rows = [
        (1, "Jens Holm saved nine sailors of the Orion."),
        (2, "Jens Holm saved nine sailors of the ship Orion."),
        (3, "Bread was baked on Fridays."),
    ]
    reply = await ask("How many sailors did Jens Holm save?", context(sources=rows))
    assert citations_in(reply.text) == {"sources": ("1", "2")}
    assert reply.text.count("nine sailors") == 1


async def test_records_that_contradict_each_other_are_both_shown() -> None:
    rows = [(1, "The tower is 41 metres high."), (2, "The tower is 38 metres high.")]
    reply = await ask("How high is the tower?", context(sources=rows))
    assert "41" in reply.text
    assert "38" in reply.text


async def test_a_pronoun_is_led_in_by_the_sentence_before_or_by_the_title() -> None:
    reply = await ask("Of what stone is the lighthouse made?", ONLY_SOURCES)
    assert "Ada Brandt. It stands 41 metres high" in reply.text
    rows = [(4, "ADA BRANDT", "She trained as an engineer in Zurich.", 1)]
    reply = await ask("Where did Ada Brandt train as an engineer?", context(entities=rows))
    assert "Ada Brandt trained as an engineer in Zurich." in reply.text


async def test_who_is_spoken_of_as_they_gets_the_verb_of_one() -> None:
    rows = [(4, "ADA BRANDT", "Ada Brandt is an engineer. However, they are fond of granite towers.", 1)]
    reply = await ask("Of what is Ada Brandt fond?", context(entities=rows))
    assert "Ada Brandt is fond of granite towers." in reply.text


async def test_sentences_of_one_record_that_follow_each_other_share_a_title_and_a_citation() -> None:
    text = "During the storm the lamp of the tower was kept burning. During the storm the bell of the tower was rung."
    rows = [(7, "JENS HOLM", "LUND", text, 1)]
    reply = await ask(
        "What was done with the lamp and the bell of the tower in the storm?", context(relationships=rows)
    )
    assert reply.text == f"Jens Holm and Lund: {text} [Data: Relationships (7)]"


async def test_a_lead_that_stands_already_is_not_repeated() -> None:
    reply = await ask("Who built the lighthouse of granite, and how high does it stand?", ONLY_SOURCES)
    assert reply.text.count("built between 1871 and 1874") == 1


async def test_claims_that_are_not_established_are_marked() -> None:
    reply = await ask("Was Peter Vik drunk when the Orion struck the reef?")
    assert "drunk when the Orion struck the reef (a claim, not established). [Data: Claims (0)]" in reply.text


@pytest.mark.parametrize(
    ("response_type", "pattern", "most"),
    [
        ("single sentence", r"^[^\n]+$", 1),
        ("single paragraph", r"^[^\n]+$", 4),
        ("list of 2-3 points", r"^(- [^\n]+(\n|$)){1,3}$", 3),
        ("multiple paragraphs", r"^[^-]", 8),
    ],
)
async def test_length_and_form_are_kept(response_type: str, pattern: str, most: int) -> None:
    reply = await ask("What happened to the Orion and its crew?", response_type=response_type)
    assert re.match(pattern, reply.text)
    assert 1 <= reply.text.count("[Data:") <= most


async def test_the_answer_is_streamed_by_sentences_and_is_the_same() -> None:
    question = "What happened to the Orion and its crew?"
    items = [item async for item in answerer().stream(request(question, stream=True))]
    deltas = [item.text for item in items if isinstance(item, ReplyDelta)]
    assert len(deltas) > 2
    assert "".join(deltas) == (await ask(question)).text
    end = items[-1]
    assert isinstance(end, ReplyEnd)
    assert (end.outcome, end.finish_reason, end.model) == ("ok", "stop", "extractive")
    assert end.usage.counted
    assert end.usage.prompt_tokens > 300
    assert end.usage.output_tokens == WordPieceCounter().count("".join(deltas))


async def test_a_limit_on_output_tokens_means_fewer_sentences() -> None:
    whole = request("What happened to the Orion and its crew?")
    short = ChatRequest(whole.messages, "answer", params=CallParams(max_tokens=60))
    text = (await complete(answerer(), short)).text
    assert WordPieceCounter().count(text) <= 60
    assert text.endswith("]")
    assert (await complete(answerer(), whole)).text.startswith(text)


async def test_the_same_request_gets_the_same_reply() -> None:
    chat = answerer()
    first = await complete(chat, request("Who was Jens Holm?"))
    await complete(chat, request("When was the tower built?"))
    assert (
        await complete(chat, request("Who was Jens Holm?"))
        == first
        == await complete(answerer(), request("Who was Jens Holm?"))
    )


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n| Holm | 9 |",
        "<div onclick='x'>Holm & sons</div> {context_data} {{ [/b] :smile: \x1b[31m",
        "\x00\x01 " + "no stops " * 300,
        "灯塔守护者救了九名水手。他划船四次。灯塔是花岗岩做的！",
        "منارة الحارس أنقذ تسعة بحارة؟ نعم.",
        "\ud800 broken",
        "```python\nprint('Holm')\n```",
        "-----Sources-----",
    ],
)
async def test_any_text_of_a_record_is_survived(text: str) -> None:
    for question in ("Who was the keeper?", "灯塔守护者救了多少水手？", "?", "   "):
        reply = await ask(question, context(sources=[(1, text), (2, "Jens Holm kept the light.")]))
        assert reply.text


async def test_a_question_in_chinese_finds_the_sentence_that_shares_its_words() -> None:
    rows = [(1, "面包每星期五烤。每家都有木印。"), (2, "灯塔守护者救了九名水手。船长淹死了。")]
    reply = await ask("灯塔守护者救了多少水手？", context(sources=rows), response_type="single sentence")
    assert "九名水手" in reply.text


REDUCE = """Write one answer. Length and form of the answer: multiple paragraphs

# Key points

----Analyst 1----
Importance Score: 90
Jens Holm rowed out four times and saved nine sailors of the Orion. [Data: Reports (0, 3)]

----Analyst 2----
Importance Score: 15
The village baked its bread on Fridays. [Data: Reports (4)]

# End of the key points
"""


async def test_a_reduce_quotes_the_notes_with_their_citations() -> None:
    messages = (Message("system", REDUCE), Message("user", "Who saved the sailors of the Orion?"))
    reply = await complete(answerer(), ChatRequest(messages, "reduce"))
    assert reply.outcome == "ok"
    assert (
        reply.text
        == "Jens Holm rowed out four times and saved nine sailors of the Orion. [Data: Reports (0, 3)]"
    )


async def test_a_check_is_answered_without_reading_anything() -> None:
    assert (await complete(answerer(), ChatRequest((Message("user", "ping"),), "check"))).text == "OK"


async def test_any_embedder_will_do_and_it_is_not_closed() -> None:
    embedder = HashEmbedder(32)
    chat = ExtractiveChat(embedder, WordPieceCounter(), name="mine")
    reply = await complete(chat, request("Jens Holm keeper of the lighthouse"))
    assert reply.text
    assert chat.name == "mine"
    await chat.aclose()
    assert not embedder.closed


async def test_sentences_are_embedded_once_for_all_calls() -> None:
    embedder = HashEmbedder(32)
    chat = ExtractiveChat(embedder, WordPieceCounter())
    for question in ("Who was Jens Holm?", "Who was Ada Brandt?", "Who was Jens Holm?"):
        await complete(chat, request(question, ONLY_SOURCES))
    embedded = [text for batch in embedder.calls for text in batch]
    assert len(embedded) == len(set(embedded))
