from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.engines.drift.action import ActionMetadata, DriftAction
from graphrag_cli.engines.drift.document import SCHEMA, dump_state, read_document
from graphrag_cli.engines.drift.state import QueryState, RunHeader, load_state
from graphrag_cli.errors import UsageError
from graphrag_cli.events import ModelNames
from tests.engines.drift.play import World, play, policy

HEADER = RunHeader("Who?", 42, ModelNames("chat", "embedding"), {"n_depth": 3})


def small_state() -> QueryState:
    state = QueryState(HEADER)
    root = DriftAction("Who?")
    root.record_answer("Overview", 40, ["When?", "Where?"])
    root.metadata = ActionMetadata(2, 100, 20, 1.23456, {"reports": ("1", "2")})
    state.add_all_follow_ups(root, root.follow_ups)
    when, where = root.follow_ups
    when.record_answer("Then", 80.5, ["Why?"])
    when.metadata = ActionMetadata(1, 50, 10, 0.5)
    where.record_failure("down")
    return state


def test_actions_get_ids_and_depths_as_they_join() -> None:
    assert [(action.id, action.depth) for action in small_state().actions] == [
        ("a0", 0),
        ("a1", 1),
        ("a2", 1),
    ]


def test_adding_an_action_again_changes_nothing() -> None:
    state = small_state()
    state.add_action(state.action("a1"))
    assert len(state.actions) == 3


def test_incomplete_actions_are_those_without_an_ending() -> None:
    state = small_state()
    state.add_all_follow_ups(state.action("a1"), state.action("a1").follow_ups)
    assert [action.query for action in state.find_incomplete_actions()] == ["Why?"]


def test_incomplete_actions_are_ranked_by_the_scorer_or_by_weight() -> None:
    state = QueryState(HEADER)
    root = DriftAction("Who?")
    children = [DriftAction(query) for query in ("bb", "a", "ccc")]
    state.add_all_follow_ups(root, children, 0.5)
    root.record_answer("x", 1, [])
    state.relate_actions(root, children[1], 0.9)
    assert [action.query for action in state.rank_incomplete_actions()] == ["a", "bb", "ccc"]
    by_length = state.rank_incomplete_actions(lambda action: len(action.query))
    assert [action.query for action in by_length] == ["ccc", "bb", "a"]


def test_tokens_are_added_up() -> None:
    total = small_state().action_token_ct()
    assert (total.llm_calls, total.prompt_tokens, total.output_tokens) == (3, 150, 30)


def test_the_state_is_strict_json_with_every_field() -> None:
    data = json.loads(dump_state(small_state().serialize()))
    assert data["schema"] == SCHEMA
    assert data["models"] == {"chat": "chat", "embedding": "embedding"}
    root, when, where = data["nodes"]
    assert root["context"] == {"reports": ["1", "2"]}
    assert root["seconds"] == 1.235
    assert root["follow_ups"] == ["When?", "Where?"]
    assert (when["score"], when["parents"], when["depth"]) == (80.5, ["a0"], 1)
    assert (where["state"], where["error"], where["answer"]) == ("failed", "down", None)
    assert data["edges"] == [
        {"source": "a0", "target": "a1", "weight": 1.0},
        {"source": "a0", "target": "a2", "weight": 1.0},
    ]


def test_a_dump_loads_and_dumps_the_same() -> None:
    text = dump_state(small_state().serialize())
    again = load_state(text)
    assert dump_state(again.serialize()) == text
    assert [child.query for child in again.action("a1").follow_ups] == ["Why?"]
    assert again.action("a0").follow_ups == [again.action("a1"), again.action("a2")]


@given(st.text(st.characters(), max_size=60), st.text(st.characters(), max_size=60), st.floats(0, 100))
@settings(max_examples=100)
def test_any_text_survives_a_file(query: str, answer: str, score: float) -> None:
    state = QueryState(HEADER)
    root = DriftAction("Who?")
    root.record_answer(answer, score, [query])
    state.add_all_follow_ups(root, root.follow_ups)
    text = dump_state(state.serialize())
    assert dump_state(load_state(text.encode("utf-8").decode("utf-8")).serialize()) == text


def broken(**changes: Any) -> dict[str, Any]:
    data = json.loads(dump_state(play(policy(), World(), random.Random(0)).json))
    return {**data, **changes}


def with_node(number: int, **changes: Any) -> dict[str, Any]:
    data = broken()
    data["nodes"][number] = {**data["nodes"][number], **changes}
    return data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "not a DRIFT state"),
        (broken(schema="graphrag-cli/drift-state/9"), "schema"),
        (broken(extra=1), "extra"),
        (with_node(1, score=101), "score"),
        (with_node(1, score=float("nan")), "score"),
        (with_node(1, state="asleep"), "state"),
        (with_node(2, id="a1"), "same id"),
        (with_node(1, depth=0), "deeper"),
        (with_node(1, parents=[]), "raised by none"),
        (with_node(1, parents=["a2"]), "parents"),
        (with_node(1, merged_into="a999"), "merged into"),
        (broken(edges=[{"source": "a0", "target": "zz", "weight": 1.0}]), "lacks a node"),
    ],
)
def test_a_damaged_state_is_refused_with_what_is_wrong(data: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says) as error:
        QueryState.deserialize(data)
    assert error.value.hint


def test_a_file_that_is_not_json_is_refused() -> None:
    with pytest.raises(UsageError, match="not JSON"):
        load_state("{")


def test_the_state_is_found_in_the_json_of_an_answer() -> None:
    state = small_state().serialize()
    assert read_document({"schema": "graphrag-cli/answer/1", "drift": state}).query == "Who?"
