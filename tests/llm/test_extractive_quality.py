"""How good the embedded answers are: on the sample index that the thresholds were tuned on.

``test_extractive.py`` asks about another subject, which they were not tuned on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
import yaml

from graphrag_cli.engines.base import Engine
from graphrag_cli.engines.basic import BasicSearch
from graphrag_cli.engines.drift.engine import DriftSearch
from graphrag_cli.engines.global_.engine import GlobalSearch
from graphrag_cli.engines.local import LocalSearch
from graphrag_cli.events import Answer, Dataset
from graphrag_cli.llm.counting.tokens import counter_for
from graphrag_cli.llm.extractive import ExtractiveChat
from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder
from tests.engines import kit
from tests.sample import SAMPLE

UNANSWERABLE = (
    "What is the capital of Australia?",
    "When did Neil Armstrong land on the Moon?",
    "How many camels did Scott take?",
    "What was the name of Scott's cat?",
    "Which football club did Tom Crean play for?",
    "What is the chemical formula of sulphuric acid?",
    "how do i install python on windows",
    "What role did submarines play in the war?",
    "What stories of love and betrayal run through Shakespeare's plays?",
    "Why did the Roman Empire fall?",
    "How did the stock market react to the crash of 1929?",
)


@dataclass(frozen=True, slots=True)
class Expected:
    """A question and what a right answer cites; nothing when the index cannot answer it."""

    question: str
    records: frozenset[tuple[str, str]]


def expectations() -> list[Expected]:
    entries = cast(
        "list[dict[str, Any]]", yaml.safe_load((SAMPLE / "expected.yaml").read_text(encoding="utf-8"))
    )
    return [Expected(entry["question"], records_of(entry["expect"])) for entry in entries]


def records_of(expect: Any) -> frozenset[tuple[str, str]]:
    if expect == "no_data":
        return frozenset()
    records = cast("dict[str, list[int]]", expect["records"])
    return frozenset(
        (dataset.lower(), str(number)) for dataset, numbers in records.items() for number in numbers
    )


@functools.cache
def chat() -> ExtractiveChat:
    return ExtractiveChat(MiniLmEmbedder(), counter_for("extractive"))


def local() -> Engine:
    return engine(lambda tools, settings: LocalSearch(tools, settings.local_search))


def basic() -> Engine:
    return engine(lambda tools, settings: BasicSearch(tools, settings.basic_search))


def global_search() -> Engine:
    return engine(lambda tools, settings: GlobalSearch(tools, settings.global_search, 4))


def drift() -> Engine:
    few = {"drift_k_followups": 6, "n_depth": 2}
    return engine(lambda tools, settings: DriftSearch(tools, settings.drift_search.model_copy(update=few)))


def engine(make: Callable[[Any, Any], Engine]) -> Engine:
    tools = replace(kit.toolbox(kit.scripted([])), chat=chat(), tokens=counter_for("extractive"))
    return make(tools, kit.sample_settings())


async def ask(engine: Engine, question: str) -> Answer:
    return (await kit.run(engine.stream(kit.question(question)))).answer


async def hits(engine: Engine, questions: list[Expected]) -> int:
    count = 0
    for expected in questions:
        answer = await ask(engine, expected.question)
        assert answer.citations
        assert all(citation.in_context and citation.exists for citation in answer.citations)
        count += answer.status == "answered" and any(
            (citation.dataset, citation.id) in expected.records for citation in answer.citations
        )
    return count


def answerable(datasets: set[Dataset]) -> list[Expected]:
    """Questions for which a context with those data sets can hold an expected record."""
    return [
        expected for expected in expectations() if any(dataset in datasets for dataset, _ in expected.records)
    ]


async def test_local_answers_cite_an_expected_record() -> None:
    questions = answerable({"reports", "entities", "relationships", "claims", "sources"})
    assert len(questions) == 20
    assert await hits(local(), questions) >= 18


async def test_basic_answers_cite_an_expected_record() -> None:
    questions = answerable({"sources"})
    assert len(questions) == 20
    assert await hits(basic(), questions) >= 18


async def test_global_answers_cite_an_expected_record() -> None:
    questions = answerable({"reports"})
    assert len(questions) == 15
    assert await hits(global_search(), questions) >= 14


async def test_drift_answers_cite_an_expected_record() -> None:
    questions = answerable({"reports", "entities", "relationships", "claims", "sources"})
    assert await hits(drift(), questions) >= 18


async def test_a_step_of_drift_scores_low_where_it_leads_away_from_the_question() -> None:
    asked = "How did the Norwegians spend the winter at Framheim?"
    answer = await ask(drift(), asked)
    nodes = cast("list[dict[str, Any]]", cast("dict[str, Any]", answer.drift)["nodes"])
    scores = {node["query"]: node["score"] for node in nodes if node["level"] == 1}
    others = [node["score"] for node in nodes if node["level"] == 2]
    assert scores[asked] >= 50
    assert others
    assert all(score < scores[asked] for score in others)


@pytest.mark.parametrize("make", [local, basic, global_search, drift])
async def test_what_the_index_does_not_hold_is_not_answered(make: Callable[[], Engine]) -> None:
    questions = [expected.question for expected in expectations() if not expected.records]
    for question in (*questions, *UNANSWERABLE):
        assert (await ask(make(), question)).status == "no_data", question
