"""Questions from files of every form, and what is wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.batch.questions import Form, LineOptions, form_of, read_questions
from graphrag_cli.engines.base import Question
from graphrag_cli.errors import UsageError


def test_plain_lines_skip_blanks_and_comments() -> None:
    found = read_questions("\ufeffWho led?\r\n\n# later\n  What then?  ", "txt", "local")
    assert [(question.line, question.id, question.text) for question in found] == [
        (1, "1", "Who led?"),
        (4, "4", "What then?"),
    ]


def test_a_json_line_may_set_id_method_and_options() -> None:
    text = '{"id": "a", "question": "Who?", "method": "drift", "seed": 7, "documents": ["d"], "community_level": "deepest"}\n"What?"'
    first, second = read_questions(text, "jsonl", "basic")
    assert (first.id, first.method) == ("a", "drift")
    assert first.options == LineOptions(seed=7, documents=("d",), community_level="deepest")
    assert (second.id, second.method, second.options) == ("2", "basic", LineOptions())


def test_csv_reads_quotes_commas_and_lists() -> None:
    text = 'id,question,method,include_entities,dynamic\nx,"Who, then?",global,A; B,yes\n,"Two\nlines",,,\n'
    first, second = read_questions(text, "csv", "local")
    assert (first.id, first.text, first.method) == ("x", "Who, then?", "global")
    assert first.options == LineOptions(include_entities=("A", "B"), dynamic=True)
    assert (second.text, second.method, second.options) == ("Two\nlines", "local", LineOptions())


@pytest.mark.parametrize(
    ("form", "text", "told"),
    [
        ("txt", "# only a comment\n\n", "no question in the input"),
        ("jsonl", '{"question": "a"}\n{oops', "line 2 is not JSON"),
        ("jsonl", "[1]", "line 1 is no JSON object"),
        ("jsonl", '{"id": 1}', "line 1 has no question"),
        ("jsonl", '{"question": " "}', "line 1 has no question"),
        ("jsonl", '{"question": "a", "method": "vector"}', "no method 'vector'"),
        ("jsonl", '{"question": "a", "sed": 1}', "no option 'sed'"),
        ("jsonl", '{"question": "a", "seed": "x"}', "seed cannot be 'x'"),
        ("jsonl", '{"question": "a", "seed": true}', "seed cannot be True"),
        ("jsonl", '{"question": "a", "documents": [1]}', "documents cannot be"),
        ("jsonl", '{"question": "a", "id": 2}\n"b"', "lines 1 and 2 have the same id '2'"),
        ("csv", "text\nWho?", "no column 'question'"),
        ("csv", "question\na,b", "more cells than the header"),
        ("csv", 'question\n"a', "is not CSV"),
    ],
)
def test_what_cannot_be_read_is_named_by_line(form: Form, text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        read_questions(text, form, "local")
    assert caught.value.hint


@given(st.lists(st.text(alphabet="ab?é中 ", min_size=1).filter(lambda text: text.strip()), min_size=1))
def test_every_plain_question_is_read_in_order(texts: list[str]) -> None:
    found = read_questions("\n".join(texts), "txt", "local")
    assert [question.text for question in found] == [text.strip() for text in texts]


def test_options_of_a_line_go_over_those_of_the_command() -> None:
    question = Question("q", "long", 1, 2, stream=False)
    changed = LineOptions(seed=9, documents=("d",), dynamic=True).applied(question)
    assert (changed.seed, changed.response_type, changed.dynamic) == (9, "long", True)
    assert changed.filters.documents == ("d",)
    assert LineOptions().applied(question) == question


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.txt", "txt"), ("a.JSONL", "jsonl"), ("a.ndjson", "jsonl"), ("a.csv", "csv"), ("-", "txt")],
)
def test_the_name_tells_the_form(name: str, form: Form) -> None:
    assert form_of(name) == form
