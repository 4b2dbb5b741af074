from __future__ import annotations

from graphrag_cli.context.history import Turn, newest_turns
from graphrag_cli.llm.counting.tokens import counter_for

TOKENS = counter_for("gpt-4o")
TALK = [
    Turn("user", "Who led the Fram expedition?"),
    Turn("assistant", "Roald Amundsen."),
    Turn("user", "When did he arrive?"),
    Turn("assistant", "On 14 December 1911."),
]


def test_everything_is_kept_when_it_fits() -> None:
    assert newest_turns(TALK, 5, 1000, TOKENS) == tuple(TALK)


def test_the_oldest_turns_go_first() -> None:
    room = sum(TOKENS.count(turn.content) for turn in TALK[2:])
    assert newest_turns(TALK, 5, room, TOKENS) == tuple(TALK[2:])


def test_the_limit_on_turns_counts_questions() -> None:
    assert newest_turns(TALK, 1, 1000, TOKENS) == tuple(TALK[2:])
    assert newest_turns(TALK, 0, 1000, TOKENS) == ()


def test_no_budget_means_no_history() -> None:
    assert newest_turns(TALK, 5, 0, TOKENS) == ()
