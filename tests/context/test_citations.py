from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_cli.context.citations import EXCERPT_CHARACTERS, Cited, excerpt, parse_citations

R, E, L, C, S = "reports", "entities", "relationships", "claims", "sources"

SPELLINGS: list[tuple[str, str]] = [
    ("[Data: Reports (2, 7)]", "R2 R7"),
    ("[Data: Reports (2, 7, +more); Entities (5)]", "R2 R7 E5"),
    ("[Data: Reports (2); Sources (5, +more)]", "R2 S5"),
    ("[data: reports (2)]", "R2"),
    ("[DATA: REPORTS (2)]", "R2"),
    ("[Data: Report (2)]", "R2"),
    ("[Data: Source (4)]", "S4"),
    ("[Data: Entity (4)]", "E4"),
    ("[Data: Claim (4); Relationship (9)]", "C4 L9"),
    ("[Data: Sources (1-3)]", "S1 S2 S3"),
    ("[Data: Sources (1–3)]", "S1 S2 S3"),
    ("[Data: Sources (1 — 3)]", "S1 S2 S3"),
    ("[Data: Sources (1 to 3)]", "S1 S2 S3"),
    ("[Data: Sources (1..3)]", "S1 S2 S3"),
    ("[Data: Sources (3-1)]", "S3 S1"),
    ("[Data: Sources (1910-9999)]", "S1910 S9999"),
    ("[Data: Reports (2)] [Data: Sources (5)]", "R2 S5"),
    ("[Data: Reports (2)][Data: Reports (3)]", "R2 R3"),
    ("[Data: Reports (2)], [Data: Reports (2, 3)]", "R2 R3"),
    ("[Data: Sources (1)(2)]", "S1 S2"),
    ("[Data: Sources (1), (2)]", "S1 S2"),
    ("[Data: Sources (1) and (2)]", "S1 S2"),
    ("[Data: Sources [1, 2]]", "S1 S2"),
    ("[Data: Sources {1, 2}]", "S1 S2"),
    ("[Data: Sources 1, 2]", "S1 S2"),
    ("[Data: Sources: 1, 2]", "S1 S2"),
    ("[Data: Sources #1, #2]", "S1 S2"),
    ("[Data: Sources (id 1, id 2)]", "S1 S2"),
    ("[Data: Sources (IDs: 1, 2)]", "S1 S2"),
    ("[Data: Sources (1; 2; 3)]", "S1 S2 S3"),
    ("[Data: Sources (1, 2, +3 more)]", "S1 S2"),
    ("[Data: Sources (1, 2, and more)]", "S1 S2"),
    ("[Data: Sources (1,2,+more)]", "S1 S2"),
    ("[Data: Sources(1)]", "S1"),
    ("[Data:Sources(1)]", "S1"),
    ("[ Data : Sources ( 1 ) ]", "S1"),
    ("[Sources (1)]", "S1"),
    ("[Sources: 1]", "S1"),
    ("[Source 1; Report 2]", "S1 R2"),
    ("[Reports (1), Sources (2)]", "R1 S2"),
    ("[Data: Reports (1), Sources (2)]", "R1 S2"),
    ("[Data: Reports (1) & Sources (2)]", "R1 S2"),
    ("[Data: Reports (1) | Sources (2)]", "R1 S2"),
    ("[Data: Community Reports (1)]", "R1"),
    ("[Data: community_reports (1)]", "R1"),
    ("[Data: Community (1)]", "R1"),
    ("[Data: Text Units (1)]", "S1"),
    ("[Data: text_units (1)]", "S1"),
    ("[Data: **Reports** (1)]", "R1"),
    ("[Data: `Reports` (1)]", "R1"),
    ("**[Data: Reports (1)]**", "R1"),
    ("(Data: Reports (1))", "R1"),
    ("(Data: Reports (1); Sources (2))", "R1 S2"),
    ("［Data：Reports（1，2）］", "R1 R2"),
    ("【Data: Reports (1)】", "R1"),
    ("[Data：Reports（1、2）；Sources（3）]", "R1 R2 S3"),
    ("[Data: Reports (１, ２)]", "R1 R2"),
    ("【数据：报告（2、7）；来源（5）】", "R2 R7 S5"),
    ("[数据: 实体 (1); 关系 (2)]", "E1 L2"),
    ("[データ: レポート (1); ソース (2)]", "R1 S2"),
    ("[데이터: 보고서 (1); 출처 (2)]", "R1 S2"),
    ("[Daten: Berichte (1); Quellen (2, +mehr)]", "R1 S2"),
    ("[Données : Rapports (1) ; Entités (2)]", "R1 E2"),
    ("[Datos: Informes (1); Fuentes (2); Relaciones (3)]", "R1 S2 L3"),
    ("[Dati: Rapporti (1); Fonti (2)]", "R1 S2"),
    ("[Данные: Отчёты (1); Источники (2)]", "R1 S2"),
    ("[^Data: Sources (3)]", "S3"),
    ("[Data: Reports (2, 7); Entities (5, +more]", "R2 R7 E5"),
    ("[Data: Reports (007)]", "R7"),
    ("[Data:\nReports (1,\n2)]", "R1 R2"),
    ("[Data: Reports (1); Sources ()]", "R1"),
]

NOT_CITATIONS = [
    "plain text (1910-1913)",
    "[a link](https://example.org/reports/5)",
    "[1] a footnote",
    "[see 1911 in the reports of the time]",
    "Sources (15)",
    "[Data: ]",
    "[]",
    "reports [12]",
    "[Data: Reports]",
]

SHORT = {"R": R, "E": E, "L": L, "C": C, "S": S}


@pytest.mark.parametrize(("text", "expected"), SPELLINGS)
def test_a_spelling_is_read(text: str, expected: str) -> None:
    found = parse_citations(f"Amundsen was first {text}. Scott was second.")
    assert [(cited.dataset, cited.id) for cited in found] == [
        (SHORT[word[0]], word[1:]) for word in expected.split()
    ]


@pytest.mark.parametrize("text", NOT_CITATIONS)
def test_what_is_no_citation_is_left_alone(text: str) -> None:
    assert parse_citations(text) == ()


def test_ids_of_several_indexes_keep_their_prefix() -> None:
    assert parse_citations("[Data: Sources (polar:5, 7)]") == (
        Cited("sources", "polar:5"),
        Cited("sources", "7"),
    )


@pytest.mark.parametrize("digits", [19, 5000])
def test_a_number_that_no_id_can_be_is_passed_over(digits: int) -> None:
    endless = "9" * digits
    assert parse_citations(f"[Data: Sources (4, {endless}, 1-{endless}, a:{endless}, 5)]") == (
        Cited("sources", "4"),
        Cited("sources", "5"),
    )


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    parse_citations(text)


@given(st.lists(st.integers(0, 99_999), min_size=1, max_size=8, unique=True))
def test_the_prompted_form_round_trips(ids: list[int]) -> None:
    text = f"[Data: Entities ({', '.join(map(str, ids))}, +more)]"
    assert [cited.id for cited in parse_citations(text)] == [str(number) for number in ids]


@given(st.lists(st.sampled_from(["word", "a", " ", "\n\n", " " * 90, "x" * 300]), max_size=60).map("".join))
def test_an_excerpt_is_the_beginning_on_one_line(text: str) -> None:
    whole = " ".join(text.split())
    shown = excerpt(text)
    if len(whole) <= EXCERPT_CHARACTERS:
        assert shown == whole
    else:
        assert shown.endswith(" …")
        assert whole.startswith(shown.removesuffix(" …"))
        assert len(shown) <= EXCERPT_CHARACTERS + 2
