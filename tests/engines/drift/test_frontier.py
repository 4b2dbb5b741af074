from __future__ import annotations

import random
from collections import Counter
from typing import Any, cast

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.engines.drift.action import DriftAction, question_key
from graphrag_cli.engines.drift.document import dump_state
from graphrag_cli.engines.drift.state import QueryState, load_state
from graphrag_cli.llm.in_process.scripted import hash_vector
from tests.engines.drift.play import WIDTH, World, begin, go_on, play, policy, resume, take_up, vectors

worlds = st.builds(World, salt=st.integers(0, 10_000), fails=st.sampled_from([0.0, 0.1, 0.5]))
rules = st.builds(
    policy,
    n_depth=st.integers(0, 4),
    places=st.integers(1, 7),
    threshold=st.sampled_from([0.7, 0.9, 1.0]),
    seed=st.integers(0, 3),
)
arrivals = st.integers(0, 1_000_000).map(random.Random)


def nodes(state: QueryState) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", state.serialize()["nodes"])


@given(rules, worlds, arrivals, arrivals)
@settings(max_examples=40, deadline=None)
def test_the_order_of_arrival_changes_nothing(
    rule: Any, world: World, one: random.Random, other: random.Random
) -> None:
    assert play(rule, world, one).json == play(rule, world, other).json


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_no_question_is_asked_twice(rule: Any, world: World, arrival: random.Random) -> None:
    asked = Counter(question_key(query) for query in play(rule, world, arrival).asked)
    assert all(times == 1 for times in asked.values())


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_no_two_asked_questions_are_near_duplicates(rule: Any, world: World, arrival: random.Random) -> None:
    game = play(rule, world, arrival)
    asked = [action for action in game.state.actions if action.level is not None]
    space = game.frontier.space
    rows = [row for action in asked for row in space.add(hash_vector(action.query, WIDTH))]
    cosines = space.between(rows, rows)
    for one in range(len(asked)):
        for other in range(one):
            assert cosines[one, other] < rule.duplicate_threshold


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_the_graph_has_no_cycle_and_depth_grows(rule: Any, world: World, arrival: random.Random) -> None:
    state = play(rule, world, arrival).state
    assert nx.is_directed_acyclic_graph(state.graph)
    assert all(child.depth > parent.depth for parent, child in state.graph.edges())


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_no_level_has_more_actions_than_places(rule: Any, world: World, arrival: random.Random) -> None:
    state = play(rule, world, arrival).state
    levels = Counter(action.level for action in state.actions if action.level)
    assert all(count <= rule.places for count in levels.values())
    assert max(levels, default=0) <= rule.n_depth


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_a_place_stays_free_only_when_nothing_waits(rule: Any, world: World, arrival: random.Random) -> None:
    state = play(rule, world, arrival).state
    levels = Counter(action.level for action in state.actions if action.level)
    reached = len(state.levels)
    for level in range(1, reached):
        if levels[level] < rule.places:
            # Everything raised up to there was asked or merged, so whatever was left out came from later levels.
            left_out = [action for action in state.actions if action.state == "skipped"]
            assert all((state.parents(action)[0].level or 0) >= level for action in left_out)


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_what_was_not_asked_says_why(rule: Any, world: World, arrival: random.Random) -> None:
    for node in nodes(play(rule, world, arrival).state):
        assert node["state"] in {"answered", "empty", "failed", "merged", "skipped"}
        if node["state"] in {"merged", "skipped"}:
            assert node["reason"]
            assert node["level"] is None
        assert (node["merged_into"] is not None) == (node["state"] == "merged")


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_the_whole_state_survives_a_file(rule: Any, world: World, arrival: random.Random) -> None:
    written = dump_state(play(rule, world, arrival).json)
    assert dump_state(load_state(written).serialize()) == written


@given(rules, worlds, arrivals)
@settings(max_examples=40, deadline=None)
def test_resuming_a_finished_run_asks_nothing(rule: Any, world: World, arrival: random.Random) -> None:
    first = play(rule, world, arrival)
    again = resume(load_state(dump_state(first.json)), rule, world, arrival)
    assert again.asked == []
    assert again.json == first.json


@given(rules, worlds, arrivals, arrivals)
@settings(max_examples=40, deadline=None)
def test_resuming_deeper_comes_to_the_same_as_going_deeper_at_once(
    rule: Any, world: World, one: random.Random, other: random.Random
) -> None:
    short = play(rule, world, one)
    deeper = policy(rule.n_depth + 1, rule.places, rule.duplicate_threshold, rule.seed)
    longer = resume(load_state(dump_state(short.json)), deeper, world, other)
    assert longer.json == play(deeper, world, other).json
    assert not set(longer.asked) & set(short.asked)


@given(rules, worlds, arrivals, arrivals)
@settings(max_examples=40, deadline=None)
def test_resuming_wider_asks_only_what_is_new(
    rule: Any, world: World, one: random.Random, other: random.Random
) -> None:
    narrow = play(rule, world, one)
    wider = policy(rule.n_depth, rule.places + 3, rule.duplicate_threshold, rule.seed)
    wide = resume(load_state(dump_state(narrow.json)), wider, world, other)
    assert not {question_key(query) for query in wide.asked} & {question_key(query) for query in narrow.asked}
    levels = Counter(action.level for action in wide.state.actions if action.level)
    assert all(count <= wider.places for count in levels.values())


@given(rules, worlds, arrivals, arrivals, st.integers(0, 12))
@settings(max_examples=40, deadline=None)
def test_a_killed_run_loses_no_answer_and_ends_as_if_it_had_not_been_killed(
    rule: Any, world: World, one: random.Random, other: random.Random, answered: int
) -> None:
    game, first = begin(rule, world)
    go_on(game, first, world, one, most=answered)
    killed = dump_state(game.json)
    before = {action.query for action in game.state.actions if action.is_complete}

    taken = resume(load_state(killed), rule, world, other)
    assert not before & set(taken.asked)
    assert {action.query for action in taken.state.actions if action.is_complete} >= before
    assert taken.json == play(rule, world, other).json


def test_follow_ups_start_while_siblings_are_still_out() -> None:
    game, first = begin(policy(places=4), World(fails=0.0))
    early = first[0]
    early.record_answer("yes", 90, ["sledge food plan", "camp winter map"])
    started = game.frontier.finished(early, vectors(["sledge food plan", "camp winter map"]))
    assert [action.query for action in started] != []
    assert all(action.state == "asked" for action in first[1:])


def test_a_late_first_reply_holds_back_the_follow_ups_of_later_ones_only() -> None:
    game, first = begin(policy(places=4), World(fails=0.0))
    late, early, *_ = first
    early.record_answer("yes", 90, ["sledge food plan"])
    assert game.frontier.finished(early, vectors(["sledge food plan"])) == []
    late.record_answer("", 0, [])
    assert [action.query for action in game.frontier.finished(late, None)] == ["sledge food plan"]


def test_a_weak_answer_leaves_its_share_to_better_ones() -> None:
    game, first = begin(policy(places=3), World(fails=0.0))
    good, weak, better = first
    started: list[DriftAction] = []
    for action, score, queries in (
        (good, 60, ["sledge food", "winter map"]),
        (weak, 10, ["tent pony", "motor ice"]),
        (better, 90, ["fram plan", "camp depot"]),
    ):
        action.record_answer("yes", score, queries)
        started += game.frontier.finished(action, vectors(queries))
    raised = {child.query for child in weak.follow_ups}
    assert len(started) == 3
    assert not raised & {action.query for action in started}


def test_the_question_itself_is_not_asked_again() -> None:
    game, first = begin(policy(), World(fails=0.0))
    first[0].record_answer("yes", 90, ["WHO reached the pole first?"])
    game.frontier.finished(first[0], vectors(["WHO reached the pole first?"]))
    (raised,) = first[0].follow_ups
    assert raised.state == "merged"
    assert raised.merged_into == "a0"


def test_a_question_raised_by_two_has_both_for_parents() -> None:
    game, first = begin(policy(places=4), World(fails=0.0))
    for action in first[:2]:
        action.record_answer("yes", 90, ["sledge food plan"])
        game.frontier.finished(action, vectors(["sledge food plan"]))
    (asked,) = [
        action for action in game.state.actions if action.query == "sledge food plan" and action.level
    ]
    assert game.state.parents(asked) == first[:2]


def test_a_failed_primer_lets_the_question_be_asked_as_a_step() -> None:
    game, _ = begin(policy(), World())
    state = QueryState(game.state.header)
    frontier = type(game.frontier)(state, policy(), game.frontier.space)
    root = DriftAction("who reached the pole first")
    root.record_failure("down")
    root.follow_ups = [DriftAction("who reached the pole first")]
    (asked,) = frontier.start(root, vectors([root.query]))
    assert asked.query == root.query


def test_follow_ups_without_vectors_are_left_out_and_taken_up_when_resumed() -> None:
    game, first = begin(policy(n_depth=2, places=1), World(fails=0.0))
    first[0].record_answer("yes", 90, ["sledge food plan"])
    (other,) = game.frontier.finished(first[0], None)
    other.record_answer("yes", 90, [])
    assert game.frontier.finished(other, None) == []
    game.frontier.close()
    (left_out,) = first[0].follow_ups
    assert left_out.reason == "its words could not be embedded"
    _, asked = take_up(load_state(dump_state(game.json)), policy(n_depth=3, places=9))
    assert "sledge food plan" in {action.query for action in asked}
