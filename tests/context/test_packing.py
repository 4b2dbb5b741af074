from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.context.packing import Draft, Layout, fit_bundle, pack_section
from graphrag_cli.context.tables import write_row
from graphrag_cli.context.text import CUT_MARK
from graphrag_cli.llm.counting.tokens import counter_for
from tests.kit.tables import read_tables

TOKENS = counter_for("gpt-4o")
LAYOUT = Layout("sources", ("id", "text"))

words = st.text(st.characters(codec="utf-8"), max_size=300)


def drafts(texts: list[str]) -> list[Draft]:
    return [Draft(f"unit-{number}", "", (number, text), 1) for number, text in enumerate(texts)]


@given(st.lists(words, max_size=12), st.integers(0, 400))
@settings(max_examples=200)
def test_a_section_never_exceeds_its_budget(texts: list[str], budget: int) -> None:
    section = pack_section(LAYOUT, drafts(texts), len(texts), budget, TOKENS)
    assert TOKENS.count(section.text) <= budget
    assert section.summary.tokens == TOKENS.count(section.text)
    assert section.summary.included + section.summary.left_out == len(texts)


@given(st.lists(words, max_size=12), st.integers(0, 400))
def test_rows_keep_their_order_and_read_back(texts: list[str], budget: int) -> None:
    section = pack_section(LAYOUT, drafts(texts), len(texts), budget, TOKENS)
    assert [record.id for record in section.records] == [str(n) for n in range(len(section.records))]
    rows = [row for table in read_tables(section.text) for row in table.rows]
    assert [write_row(row) for row in rows] == section.text.split("\n")[2:]


@given(st.lists(st.lists(words, max_size=6), min_size=1, max_size=4), st.integers(0, 600))
def test_a_bundle_never_exceeds_its_budget(groups: list[list[str]], budget: int) -> None:
    sections = [pack_section(LAYOUT, drafts(texts), len(texts), 300, TOKENS) for texts in groups]
    bundle = fit_bundle(sections, budget, TOKENS)
    assert TOKENS.count(bundle.text) == bundle.tokens <= budget
    assert bundle.is_empty == (not bundle.text)


def test_a_row_larger_than_the_budget_is_cut_at_a_sentence_end_and_marked() -> None:
    text = "The Fram left Norway in August 1910. " * 40
    section = pack_section(LAYOUT, drafts([text, "second"]), 2, 100, TOKENS)
    (record,) = section.records
    assert record.cut
    assert section.text.endswith(f"1910.{CUT_MARK}")
    assert section.summary.left_out == 1
    assert TOKENS.count(section.text) <= 100


def test_a_row_that_would_fit_the_whole_budget_is_not_cut_to_fit_the_rest() -> None:
    section = pack_section(LAYOUT, drafts(["one two three. " * 12, "four five six. " * 12]), 2, 80, TOKENS)
    assert [record.cut for record in section.records] == [False]


def test_a_budget_too_small_for_any_row_gives_an_empty_section() -> None:
    section = pack_section(LAYOUT, drafts(["some text"]), 1, 9, TOKENS)
    assert (section.text, section.records, section.summary.left_out) == ("", (), 1)


def test_drafts_are_taken_only_as_far_as_they_fit() -> None:
    taken: list[int] = []

    def endless() -> Iterator[Draft]:
        for number in range(10_000):
            taken.append(number)
            yield Draft(str(number), "", (number, "a few words here"), 1)

    pack_section(LAYOUT, endless(), 10_000, 100, TOKENS)
    assert len(taken) < 20
