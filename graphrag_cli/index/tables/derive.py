"""Columns that older releases do not have, worked out from what they do have. Pure functions, no Python loop over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.index import arrow, graph
from graphrag_cli.index.arrow import Array, Chunked, pa, pc
from graphrag_cli.index.tables import convert
from graphrag_cli.index.tables.convert import Ints

if TYPE_CHECKING:
    from graphrag_cli.index.tables.source import SourceTable


def numbers_or_places(column: Chunked) -> Chunked:
    """``human_readable_id`` with the position in the table where it is missing."""
    numbers = convert.numbers(column)
    lacking = numbers < 0
    if not lacking.any():
        return column
    return pa.chunked_array([pa.array(np.where(lacking, np.arange(len(numbers)), numbers))])


def first_items(column: Chunked) -> Chunked:
    """First item of each list; empty where the list is."""
    owners: list[Array] = []
    for chunk in column.chunks:
        lists = convert.texts(chunk)
        items = arrow.items(lists)
        owner = graph.list_owners(lists)
        places = np.full(len(lists), -1, np.int64)
        places[owner[::-1]] = np.arange(len(owner))[::-1]
        picked = pc.if_else(pa.array(places >= 0), pa.array(places), pa.scalar(None, pa.int64()))
        owners.append(pc.fill_null(convert.text(items.take(picked)), ""))
    return convert.key(pa.chunked_array(owners, type=pa.string()))


def documents_of_units(unit_ids: Chunked, document_ids: Chunked, listed: Chunked) -> Chunked:
    """The document that lists each text unit; empty where none does."""
    owners, units = graph.resolve_lists(listed.chunks, unit_ids)
    found = np.full(len(unit_ids), -1, np.int64)
    good = units >= 0
    found[units[good][::-1]] = owners[good][::-1]
    names = np.append(np.array(convert.strings(document_ids.combine_chunks()), dtype=object), "")
    return convert.key(pa.chunked_array([pa.array(names[found], pa.string())]))


def degrees(entity_ids: Chunked, nodes: SourceTable) -> Chunked:
    """Degree of each entity from the first of its nodes; -1 where it has none."""
    found = np.full(len(entity_ids), -1, np.int64)
    if {"id", "degree"} <= set(nodes.columns):
        rows = graph.resolve_column(text_column(nodes, "id"), entity_ids)[::-1]
        values = convert.numbers(integer_column(nodes, "degree"))[::-1]
        found[rows[rows >= 0]] = values[rows >= 0]
    return pa.chunked_array([pa.array(found)])


def text_column(table: SourceTable, name: str) -> Chunked:
    """A source column as string."""
    return convert.as_text(table.column(name))


def integer_column(table: SourceTable, name: str) -> Chunked:
    """A source column as int64, -1 where there is no number."""
    return convert.by_chunk(table.column(name), lambda chunk: convert.integer(chunk, -1), pa.int64())


def communities(nodes: SourceTable) -> dict[str, Chunked]:
    """The canonical communities table from a nodes table: one row per entity and level, community null or -1 for none."""
    numbers = convert.numbers(integer_column(nodes, "community"))
    levels = convert.numbers(integer_column(nodes, "level"))
    ids = text_column(nodes, "id")
    inside = np.flatnonzero(numbers >= 0)
    order = inside[np.argsort(numbers[inside], kind="stable")]
    distinct, starts = np.unique(numbers[order], return_index=True)
    offsets = np.append(starts, len(order)).astype(np.int32)
    members = pa.ListArray.from_arrays(pa.array(offsets), convert.take(ids, order))
    depth = levels[order][starts] if len(order) else np.empty(0, np.int64)
    entity_ids = pa.chunked_array([members])
    return {
        "community": pa.chunked_array([pa.array(distinct)]),
        "level": pa.chunked_array([pa.array(depth)]),
        "parent": parents_by_membership(distinct, depth, entity_ids),
        "children": pa.chunked_array([pa.array([[]] * len(distinct), pa.list_(pa.int64()))]),
        "entity_ids": entity_ids,
        "title": pa.chunked_array([pa.array([f"Community {number}" for number in distinct], pa.string())]),
        "size": pa.chunked_array([pa.array(np.diff(offsets).astype(np.int64))]),
    }


def parents_of_children(numbers: Ints, children: Chunked) -> Chunked:
    """Parent of each community from the lists of children; -1 where no one lists it."""
    found = np.full(len(numbers), -1, np.int64)
    index = graph.NumberIndex(numbers)
    base = 0
    for chunk in children.chunks:
        rows = index.rows(arrow.vector(arrow.items(chunk)).astype(np.int64))
        owners = numbers[graph.list_owners(chunk) + base]
        found[rows[rows >= 0]] = owners[rows >= 0]
        base += len(chunk)
    return pa.chunked_array([pa.array(found)])


def parents_by_membership(numbers: Ints, levels: Ints, entity_ids: Chunked) -> Chunked:
    """Parent of each community: the one that holds its first entity at the next level up; -1 where there is none."""
    if not len(numbers):
        return pa.chunked_array([pa.array(numbers)])
    flat = pa.chunked_array(
        [convert.text(arrow.items(chunk)) for chunk in entity_ids.chunks], type=pa.string()
    )
    counts = np.concatenate([pc.list_value_length(chunk).to_numpy() for chunk in entity_ids.chunks])
    owner = np.repeat(np.arange(len(numbers)), counts)
    codes = _codes(flat)
    found = np.full(len(numbers), -1, np.int64)
    for level in np.unique(levels)[1:]:
        above = levels[owner] == level - 1
        home = np.full(codes.max(initial=-1) + 2, -1, np.int64)
        home[codes[above]] = numbers[owner[above]]
        mine = np.flatnonzero(levels[owner] == level)[::-1]
        found[owner[mine]] = home[codes[mine]]
    return pa.chunked_array([pa.array(found)])


def _codes(column: Chunked) -> Ints:
    """A small whole number per distinct value."""
    places = arrow.indices(arrow.encoded(column.combine_chunks()))
    return arrow.vector(pc.fill_null(places, -1)).astype(np.int64)


def first_rows(column: Chunked) -> Ints:
    """First row of each distinct value, ascending."""
    _, first = np.unique(_codes(column), return_index=True)
    return np.sort(first)
