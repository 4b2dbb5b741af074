from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.context.drift import build_fold, split_folds
from graphrag_cli.index.records import Report
from graphrag_cli.llm.counting.tokens import counter_for


@given(st.integers(0, 60), st.one_of(st.none(), st.integers(0, 80)))
def test_folds_hold_everything_once_and_none_is_empty(count: int, folds: int | None) -> None:
    parts = split_folds(count, folds)
    assert [at for part in parts for at in part] == list(range(count))
    assert all(len(part) > 0 for part in parts)
    assert len(parts) <= max(1, folds or 1)
    assert max(map(len, parts), default=0) - min(map(len, parts), default=0) <= 1


@given(st.integers(1, 60), st.integers(1, 80))
def test_there_are_as_many_folds_as_set_while_there_are_reports(count: int, folds: int) -> None:
    assert len(split_folds(count, folds)) == min(count, folds)


def test_a_fold_keeps_its_budget_and_says_why_each_report_is_in_it() -> None:
    reports = [Report(n, f"id{n}", n, 1, f"Report {n}", "", "Words of it. " * 30, 1.0) for n in range(9)]
    tokens = counter_for("gpt-4o")
    bundle = build_fold(reports, [0.9 - n / 10 for n in range(9)], 300, tokens)
    assert 0 < bundle.tokens <= 300
    assert bundle.records[0].why == {"similarity": 0.9, "level": 1}
    assert bundle.summaries[0].left_out == 9 - len(bundle.records) > 0
