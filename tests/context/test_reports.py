from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.context.reports import (
    ReportBatch,
    WeighedReport,
    batch_reports,
    split_batch,
    summarise,
    weigh,
)
from graphrag_cli.context.text import CUT_MARK
from graphrag_cli.index.records import Report
from graphrag_cli.llm.counting.tokens import counter_for

TOKENS = counter_for("gpt-4o")


def report(community: int, content: str = "Some words. ", rank: float = 1.0) -> Report:
    return Report(community, f"id{community}", community, 0, f"Report {community}", "", content, rank)


def weighed(*weights: float, rank: float = 1.0) -> list[WeighedReport]:
    return [WeighedReport(report(number, rank=rank), weight) for number, weight in enumerate(weights)]


def ids(batch: ReportBatch) -> list[str]:
    return [record.id for record in batch.bundle.records]


texts = st.text(st.sampled_from("ab |\n\\.é\U0001f427漢"), max_size=120)
many = st.lists(st.tuples(texts, st.floats(0, 1), st.floats(0, 10)), max_size=25).map(
    lambda rows: [WeighedReport(report(n, c * 3, r), w) for n, (c, w, r) in enumerate(rows)]
)


@given(many, st.integers(60, 400), st.integers(0, 5))
@settings(max_examples=120, deadline=None)
def test_no_batch_exceeds_its_budget(reports: list[WeighedReport], budget: int, seed: int) -> None:
    for batch in batch_reports(reports, seed, budget, TOKENS):
        assert batch.bundle.tokens == TOKENS.count(batch.bundle.text) <= budget


@given(many, st.integers(150, 400), st.integers(0, 5))
@settings(max_examples=120, deadline=None)
def test_every_report_is_in_one_batch(reports: list[WeighedReport], budget: int, seed: int) -> None:
    found = Counter(i for batch in batch_reports(reports, seed, budget, TOKENS) for i in ids(batch))
    assert found == Counter(str(one.report.community) for one in reports)


def test_inside_a_batch_weight_comes_before_rank() -> None:
    reports = [
        WeighedReport(report(1, rank=9), 0.2),
        WeighedReport(report(2, rank=1), 0.9),
        WeighedReport(report(3, rank=5), 0.9),
    ]
    (batch,) = batch_reports(reports, 0, 1000, TOKENS)
    assert ids(batch) == ["3", "2", "1"]


def test_the_shuffle_follows_the_seed() -> None:
    reports = weighed(*[0.0] * 30)
    first = [ids(batch) for batch in batch_reports(reports, 1, 120, TOKENS)]
    assert first == [ids(batch) for batch in batch_reports(reports, 1, 120, TOKENS)]
    assert first != [ids(batch) for batch in batch_reports(reports, 2, 120, TOKENS)]


def test_an_oversized_report_is_cut_at_a_sentence_end_and_marked() -> None:
    long = WeighedReport(report(1, "A sentence of a few words. " * 200), 1.0)
    (batch,) = batch_reports([long], 0, 200, TOKENS)
    (record,) = batch.bundle.records
    assert record.cut
    assert f"words.{CUT_MARK}" in batch.bundle.text


def test_a_row_shows_weight_and_rank_and_can_be_cited_by_community() -> None:
    (batch,) = batch_reports([WeighedReport(report(7, "Text.", 4.5), 0.25)], 0, 500, TOKENS)
    assert batch.bundle.text.split("\n") == [
        "-----Reports-----",
        "id|title|occurrence weight|content|rank",
        "7|Report 7|0.25|Text.|4.5",
    ]


def test_no_reports_are_no_batches() -> None:
    assert batch_reports([], 0, 1000, TOKENS) == []
    assert summarise([]) == ()


def test_halves_hold_everything_between_them() -> None:
    (batch,) = batch_reports(weighed(*[0.5] * 7), 0, 5000, TOKENS)
    halves = split_batch(batch, TOKENS)
    assert [len(ids(half)) for half in halves] == [4, 3]
    assert [i for half in halves for i in ids(half)] == ids(batch)


def test_a_single_report_is_halved_by_cutting() -> None:
    (batch,) = batch_reports([WeighedReport(report(1, "A sentence. " * 300), 1.0)], 0, 5000, TOKENS)
    (half,) = split_batch(batch, TOKENS)
    assert half.bundle.tokens <= batch.bundle.tokens // 2
    assert half.bundle.records[0].cut


def test_a_report_too_short_to_cut_is_not_split() -> None:
    (batch,) = batch_reports([WeighedReport(report(1, "Short."), 1.0)], 0, 5000, TOKENS)
    assert split_batch(batch, TOKENS) == []


def test_the_summary_adds_the_batches_up() -> None:
    batches = batch_reports(weighed(*[0.0] * 30), 0, 120, TOKENS)
    (summary,) = summarise(batches)
    assert summary.included == 30
    assert summary.tokens == sum(batch.bundle.tokens for batch in batches)
    assert summary.budget == 120 * len(batches)


def test_weights_are_rounded_for_the_prompt() -> None:
    (one,) = weigh([report(1)], np.array([1 / 3]))
    assert one.weight == 0.3333
