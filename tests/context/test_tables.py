from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.context.tables import heading, write_cell, write_row
from graphrag_cli.context.text import sendable
from tests.kit.tables import read_row, read_tables

NASTY = [
    "a|b",
    "line\nbreak",
    "carriage\rreturn",
    "tab\there",
    "C:\\new\\table",
    "\\frac{a}{b}",
    'she said "no"',
    "trailing\\",
    "\\|",
    "",
    "{context_data}",
    "-----Reports-----",
]


@given(st.lists(st.text(), min_size=1, max_size=6))
def test_a_row_reads_back_exactly(cells: list[str]) -> None:
    assert read_row(write_row(cells)) == tuple(sendable(cell) for cell in cells)


@given(st.lists(st.text(), min_size=1, max_size=6))
def test_a_row_is_one_line(cells: list[str]) -> None:
    assert "\n" not in write_row(cells)
    assert "\r" not in write_row(cells)


def test_nasty_cells_survive_together() -> None:
    assert read_row(write_row(NASTY)) == tuple(NASTY)


def test_control_characters_and_lone_surrogates_do_not_reach_a_prompt() -> None:
    assert write_cell("a\x00b\x1b[31mc\ud800d") == "ab[31mcd"


def test_numbers_are_written_short() -> None:
    assert [write_cell(value) for value in (1.0, 2.5, 7, None)] == ["1", "2.5", "7", ""]


def test_large_whole_numbers_keep_their_digits_and_nan_is_empty() -> None:
    assert [write_cell(value) for value in (1234567.0, float("nan"))] == ["1234567", ""]


def test_tables_are_read_from_the_middle_of_a_prompt() -> None:
    text = "\n".join(
        [
            "Some words.",
            "",
            heading("reports"),
            write_row(["id", "title", "content"]),
            write_row([3, "A | B", "one\ntwo"]),
            "",
            heading("sources"),
            write_row(["id", "text"]),
            write_row([0, "x"]),
            write_row([1, "y"]),
            "",
            "More words | with a bar.",
        ]
    )
    first, second = read_tables(text)
    assert (first.dataset, first.columns, first.rows) == (
        "reports",
        ("id", "title", "content"),
        (("3", "A | B", "one\ntwo"),),
    )
    assert second.rows == (("0", "x"), ("1", "y"))
