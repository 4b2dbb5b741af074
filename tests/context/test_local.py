from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_cli.context.bundle import ContextBundle
from graphrag_cli.context.local import (
    LocalShares,
    Matches,
    build_local_context,
    rank_relationships,
    rank_text_units,
)
from graphrag_cli.index.records import Relationship
from graphrag_cli.index.snapshot import Rows, Snapshot, as_rows
from graphrag_cli.llm.counting.tokens import counter_for
from tests.kit.tables import read_tables
from tests.sample import sample_snapshot

TOKENS = counter_for("gpt-4o")
CHOSEN = ("ROALD AMUNDSEN", "ROBERT FALCON SCOTT", "FRAM")


def entity_count() -> int:
    return sample_snapshot().summary.counts["entities"]


def chosen(snapshot: Snapshot) -> Matches:
    rows = snapshot.entity_rows_by_title(CHOSEN)
    assert (rows >= 0).all()
    return Matches(rows, (0.9, 0.8, None))


def build(max_tokens: int = 12_000, **shares: float) -> ContextBundle:
    snapshot = sample_snapshot()
    divided = LocalShares(
        max_tokens,
        shares.get("community_prop", 0.15),
        shares.get("text_unit_prop", 0.5),
        int(shares.get("top_k", 10)),
    )
    return build_local_context(snapshot, chosen(snapshot), 2, divided, TOKENS)


def test_sections_stand_in_their_order() -> None:
    assert [table.dataset for table in read_tables(build().text)] == [
        "reports",
        "entities",
        "relationships",
        "claims",
        "sources",
    ]


def test_entities_keep_the_order_of_the_match_and_say_why() -> None:
    entities = [record for record in build().records if record.dataset == "entities"]
    assert [record.title for record in entities] == list(CHOSEN)
    assert [record.why["similarity"] for record in entities] == [0.9, 0.8, None]


@given(
    st.lists(st.integers(0, 89), min_size=0, max_size=15, unique=True),
    st.integers(1, 4000),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 12),
)
@settings(max_examples=60, deadline=None)
def test_a_context_never_exceeds_its_budget(
    rows: list[int], budget: int, community_prop: float, share: float, top_k: int
) -> None:
    shares = LocalShares(budget, community_prop, (1 - community_prop) * share, top_k)
    matches = Matches(as_rows(rows), (0.5,) * len(rows))
    bundle = build_local_context(sample_snapshot(), matches, 2, shares, TOKENS)
    assert TOKENS.count(bundle.text) == bundle.tokens <= budget
    seen = [(record.dataset, record.id) for record in bundle.records]
    assert len(seen) == len(set(seen))


def test_what_a_share_leaves_unused_goes_to_the_next() -> None:
    starved = {part.dataset: part for part in build(3000, community_prop=0.0, text_unit_prop=1.0).summaries}
    assert starved["entities"].included == starved["relationships"].included == 0
    shared = {part.dataset: part for part in build(3000, community_prop=0.4, text_unit_prop=0.2).summaries}
    unused = int(3000 * 0.4) - shared["reports"].tokens
    assert shared["entities"].budget == 3000 - int(3000 * 0.4) - int(3000 * 0.2) + unused
    assert shared["sources"].tokens > 3000 * 0.2 - 300


def test_a_share_too_small_for_any_report_leaves_the_section_out() -> None:
    assert "-----Reports-----" not in build(1000, community_prop=0.01).text


def test_nothing_chosen_gives_an_empty_context() -> None:
    shares = LocalShares(12_000, 0.15, 0.5, 10)
    assert build_local_context(sample_snapshot(), Matches(as_rows([]), ()), 2, shares, TOKENS).is_empty


@given(st.lists(st.integers(0, 89), min_size=1, max_size=12, unique=True), st.integers(0, 10))
@settings(max_examples=50, deadline=None)
def test_relationships_rank_as_a_plain_reading_of_the_rule(rows: list[int], top_k: int) -> None:
    snapshot = sample_snapshot()
    ranked, reasons = rank_relationships(snapshot, Matches(as_rows(rows), (0.5,) * len(rows)), top_k)

    every = snapshot.relationships(np.arange(snapshot.summary.counts["relationships"]))
    titles = {entity.title for entity in snapshot.entities(as_rows(rows))}
    inner = [edge for edge in every if edge.source in titles and edge.target in titles]
    outer = [edge for edge in every if (edge.source in titles) != (edge.target in titles)]

    def outside(edge_source: str, edge_target: str) -> str:
        return edge_target if edge_source in titles else edge_source

    links: dict[str, set[str]] = {}
    for edge in outer:
        neighbour = outside(edge.source, edge.target)
        own = edge.source if neighbour == edge.target else edge.target
        links.setdefault(neighbour, set()).add(own)
    inner.sort(key=lambda edge: (-edge.combined_degree, edge.row))
    outer.sort(
        key=lambda edge: (-len(links[outside(edge.source, edge.target)]), -edge.combined_degree, edge.row)
    )
    expected = [edge.row for edge in inner] + [edge.row for edge in outer[: top_k * len(rows)]]
    assert ranked.tolist() == expected
    assert [kind for kind, _ in reasons].count("in-network") == len(inner)


def test_text_units_come_by_entity_then_by_relationships_there_each_once() -> None:
    snapshot = sample_snapshot()
    ordered = rank_text_units(snapshot, chosen(snapshot).rows)
    assert len({row for row, _, _ in ordered}) == len(ordered)
    assert [rank for _, rank, _ in ordered] == sorted(rank for _, rank, _ in ordered)
    for entity in (1, 2, 3):
        counts = [count for _, rank, count in ordered if rank == entity]
        assert counts == sorted(counts, reverse=True)


def test_records_are_made_only_for_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = sample_snapshot()
    made: list[int] = []
    original = type(snapshot).relationships

    def counting(self: Snapshot, rows: Rows) -> list[Relationship]:
        made.append(len(rows))
        return original(self, rows)

    monkeypatch.setattr(type(snapshot), "relationships", counting)
    everyone = Matches(np.arange(entity_count()), (0.5,) * entity_count())
    build_local_context(snapshot, everyone, 2, LocalShares(1500, 0.1, 0.3, 10), TOKENS)
    assert sum(made) <= 64
