"""The tree of questions of a drift run."""

from __future__ import annotations

from graphrag_cli.cli.render.steps import StepTree
from graphrag_cli.cli.terminal.console import ASCII
from graphrag_cli.events import StepFinished, StepStarted


def tree(*events: StepStarted | StepFinished) -> StepTree:
    made = StepTree()
    for event in events:
        made.take(event)
    return made


def started(step: str, query: str, *parents: str, stage: str = "step") -> StepStarted:
    return StepStarted(step, stage, query, parents=parents)


def test_questions_stand_under_who_raised_them() -> None:
    made = tree(
        started("f1", "Why?", stage="primer"),
        started("f2", "Why?", stage="primer"),
        StepFinished("f1", "primer", "answered", score=50),
        StepFinished("f2", "primer", "failed"),
        started("a1", "Who?", "a0"),
        started("a2", "Where?", "a1"),
        started("a3", "When?", "a0"),
        StepFinished("a1", "step", "answered", "Who?", score=81.6),
        StepFinished("a3", "step", "failed", "When?", error="500"),
    )
    assert made.render(ASCII, rows=10).plain.splitlines() == [
        "+ Why?",
        "  + Who?  score 82",
        "    ... Where?",
        "  x When?",
    ]
    assert made.summary() == "4 questions, 2 answered, 1 failed"


def test_a_small_window_shows_what_runs_and_what_changed_last() -> None:
    events = [started(f"a{number}", f"q{number}") for number in range(20)]
    ends = [StepFinished(f"a{number}", "step", "answered", f"q{number}") for number in range(18)]
    lines = tree(*events, *ends).render(ASCII, rows=5).plain.splitlines()
    assert lines == ["+ q16", "+ q17", "... q18", "... q19", "... 16 more"]


def test_foreign_text_stays_on_its_line() -> None:
    made = tree(started("a", "one\nline\x1b[31m [red]"))
    assert made.render(ASCII, rows=5).plain == "... one line [red]"
