from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.config.settings import Settings
from graphrag_cli.errors import IndexDataError, VectorError
from graphrag_cli.index.snapshot import Narrowed, Snapshot, as_rows
from graphrag_cli.index.union import UnionSnapshot, unite
from graphrag_cli.index.union_part import COMMUNITIES
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from graphrag_cli.index.vectors.union import UnionVectors
from tests.sample import SAMPLE, sample_snapshot

ONE = sample_snapshot()
TWO: UnionSnapshot = unite({"a": ONE, "b": ONE})
ENTITIES = ONE.summary.counts["entities"]
UNITS = ONE.summary.counts["text_units"]

entity_rows = st.lists(st.integers(0, 2 * ENTITIES - 1), max_size=12, unique=True).map(as_rows)


def split(rows: list[int], size: int) -> list[tuple[str, int]]:
    return [("ab"[row // size], row % size) for row in rows]


def test_a_union_answers_every_look_up_of_a_snapshot_itself() -> None:
    look_ups = {name for name in vars(Snapshot) if not name.startswith("_")}
    assert look_ups - vars(UnionSnapshot).keys() == {"tables", "links"}


@given(entity_rows)
def test_records_come_in_the_order_asked_for_and_carry_their_index(rows: np.ndarray) -> None:
    found = TWO.entities(rows)
    for record, row, (name, own) in zip(found, rows.tolist(), split(rows.tolist(), ENTITIES), strict=True):
        (single,) = ONE.entities(as_rows([own]))
        assert (record.row, record.title, record.degree) == (row, single.title, single.degree)
        assert (record.id, record.label) == (f"{name}:{single.id}", f"{name}:{single.number}")


@given(entity_rows)
def test_keys_lead_back_to_their_rows(rows: np.ndarray) -> None:
    labels = [str(record.label) for record in TWO.entities(rows)]
    assert TWO.rows_by_label("entities", labels).tolist() == rows.tolist()
    assert TWO.entity_rows_by_id(TWO.entity_ids(rows)).tolist() == rows.tolist()


@given(entity_rows)
@settings(deadline=None)
def test_the_graph_of_a_union_is_the_graphs_side_by_side(rows: np.ndarray) -> None:
    edges = ONE.summary.counts["relationships"]
    for base, name in ((0, "a"), (1, "b")):
        own = as_rows([row for at, row in split(rows.tolist(), ENTITIES) if at == name])
        expected = ONE.relationship_rows_of(own) + base * edges if len(own) else as_rows([])
        here = TWO.relationship_rows_of(rows)
        assert here[(here // edges) == base].tolist() == expected.tolist()
    source, target = TWO.endpoints(TWO.relationship_rows_of(rows))
    assert (source // ENTITIES == target // ENTITIES).all()


@given(entity_rows, st.integers(0, 3))
def test_communities_are_shifted_and_their_reports_found(rows: np.ndarray, level: int) -> None:
    for row, community in zip(rows.tolist(), TWO.communities_of(rows, level).tolist(), strict=True):
        single = int(ONE.communities_of(as_rows([row % ENTITIES]), level)[0])
        assert community == (-1 if single < 0 else single + row // ENTITIES * COMMUNITIES)
        if community >= 0:
            (report,) = TWO.reports(TWO.report_rows_by_community([community]))
            assert report.community == community
            assert report.label == f"{'ab'[row // ENTITIES]}:{single}"
            assert TWO.parent_of(community) % COMMUNITIES == ONE.parent_of(single) % COMMUNITIES


def test_sizes_levels_and_reports_add_up() -> None:
    assert TWO.summary.counts["reports"] == 2 * ONE.summary.counts["reports"]
    assert TWO.levels() == ONE.levels()
    assert len(TWO.report_rows_at(2)) == 2 * len(ONE.report_rows_at(2))
    assert len(TWO.root_communities()) == 2 * len(ONE.root_communities())


def test_text_units_and_documents_of_the_second_index_are_its_own() -> None:
    entity = ENTITIES + 3
    units = TWO.text_unit_rows_of_entity(entity)
    assert (units >= UNITS).all()
    assert (
        TWO.relationship_counts(entity, units).tolist() == ONE.relationship_counts(3, units - UNITS).tolist()
    )
    owners = TWO.document_rows_of(units)
    assert all(document.id.startswith("b:") for document in TWO.documents(owners))


def test_an_unknown_name_or_number_is_no_row() -> None:
    assert TWO.rows_by_label("entities", ["c:1", "1", "a:99999", "a:x"]).tolist() == [-1] * 4


def test_a_title_alone_means_the_first_index_that_has_it() -> None:
    (own,) = ONE.entity_rows_by_title(["fram"]).tolist()
    assert TWO.entity_rows_by_title(["FRAM", "b:FRAM"]).tolist() == [own, ENTITIES + own]


def test_narrowing_by_a_document_that_none_has_is_an_error() -> None:
    assert TWO.text_unit_rows_matching((), None, None) is None
    with pytest.raises(IndexDataError):
        TWO.text_unit_rows_matching(["nowhere"], None, None)


@pytest.mark.parametrize("dataset", ["reports", "relationships", "claims"])
def test_what_stands_in_some_text_units_is_found_in_each_index(dataset: Narrowed) -> None:
    size = ONE.summary.counts[dataset]
    own_units, units = np.arange(9), np.append(np.arange(9), UNITS)
    inside = TWO.within(dataset, np.arange(2 * size), units)
    assert inside[:size].tolist() == ONE.within(dataset, np.arange(size), own_units).tolist()
    assert inside[size:].tolist() == ONE.within(dataset, np.arange(size), as_rows([0])).tolist()


def vectors() -> UnionVectors:
    settings_ = Settings.model_validate({"root": SAMPLE})
    return UnionVectors({"a": IndexVectors(settings_, ONE), "b": IndexVectors(settings_, ONE)})


def test_a_search_merges_by_similarity() -> None:
    table = vectors().open("entity_description")
    query, _ = table.vectors_of([f"a:{key}" for key in ONE.entity_ids(as_rows([5]))])
    (hits,) = table.search(query, 4)
    assert TWO.entity_rows_by_id(hits.ids).tolist()[:2] == [5, ENTITIES + 5]
    assert list(hits.similarities) == sorted(hits.similarities, reverse=True)
    assert len(hits.ids) == 4


def test_a_search_can_be_narrowed_to_one_index() -> None:
    table = vectors().open("entity_description")
    query, found = table.vectors_of(["a:nothing", *TWO.entity_ids(as_rows([ENTITIES]))])
    assert found.tolist() == [False, True]
    (hits,) = table.search(query[1:], 9, only=TWO.entity_ids(np.arange(ENTITIES, ENTITIES + 3)))
    assert TWO.entity_rows_by_id(hits.ids).tolist()[0] == ENTITIES
    assert len(hits.ids) == 3


class Missing:
    def open(self, name: str) -> None:
        raise VectorError(f"no {name}")


def test_an_index_without_vectors_is_left_out_of_the_search_and_named() -> None:
    settings_ = Settings.model_validate({"root": SAMPLE})
    union = UnionVectors({"a": IndexVectors(settings_, ONE), "b": Missing()})  # pyright: ignore[reportArgumentType]
    assert union.open("text_unit_text").rows == UNITS
    assert list(union.lacking("text_unit_text")) == ["b"]
    with pytest.raises(VectorError):
        UnionVectors({"b": Missing()}).open("text_unit_text")  # pyright: ignore[reportArgumentType]
