"""The parquet tables of a synthetic index, in the schema of GraphRAG 3.x and written as pandas writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import text
from benchmarks.graph import Communities, Graph, Ints
from benchmarks.spec import Spec
from graphrag_cli.index.arrow import pa, parquet, pc

HUB_TITLE = "THE HUB"
PERIOD = "2026-01-13"
Column = Any


class Writer:
    """Writes the tables of one index one after another; ids are made first, for all of them refer to them."""

    def __init__(self, folder: Path, spec: Spec, graph: Graph, communities: Communities) -> None:
        self._folder = folder
        self._spec = spec
        self._graph = graph
        self._communities = communities
        self._rng = np.random.default_rng(spec.seed + 1)
        self._pool = text.sentences(spec.seed)
        self.entity_ids = text.uuids(self._rng, spec.entities)
        self.unit_ids = text.hexadecimal(self._rng, spec.text_units, 128)
        self.report_ids = text.hexadecimal(self._rng, communities.count, 128)
        self._relationship_ids = text.uuids(self._rng, len(graph.source))
        self._document_ids = text.hexadecimal(self._rng, self._documents, 128)
        titles = text.titles(spec.entities)
        hub = pa.array(np.arange(spec.entities) == 0) if spec.hub else None
        self._titles = titles if hub is None else pc.if_else(hub, HUB_TITLE, titles)

    @property
    def _documents(self) -> int:
        return max(1, self._spec.text_units // 50)

    def write(self) -> None:
        """Every table."""
        for table in (
            self._entities,
            self._relationships,
            self._text_units,
            self._documents_table,
            self._community_table,
            self._reports,
            self._claims,
        ):
            table()

    def _save(self, name: str, columns: dict[str, Column]) -> None:
        parquet.write_table(pa.table(columns), self._folder / f"{name}.parquet")

    def _prose(self, count: int, length: int) -> Column:
        return text.prose(self._rng, self._pool, count, length)

    def _entities(self) -> None:
        count, (owners, units) = self._spec.entities, self._graph.entity_units
        columns = {
            "id": self.entity_ids,
            "human_readable_id": np.arange(count),
            "title": self._titles,
            "type": text.drawn_types(self._rng, count),
            "description": text.with_name(self._titles, self._prose(count, 2), " is known here. "),
            "text_unit_ids": text.lists(owners, units, count, self.unit_ids),
            "frequency": np.bincount(owners, minlength=count),
            "degree": self._graph.degree,
        }
        self._save("entities", columns)

    def _relationships(self) -> None:
        graph, count = self._graph, len(self._graph.source)
        source, target = (pc.take(self._titles, pa.array(ends)) for ends in (graph.source, graph.target))
        named = text.with_name(source, target, " had to do with ")
        columns = {
            "id": self._relationship_ids,
            "human_readable_id": np.arange(count),
            "source": source,
            "target": target,
            "description": text.with_name(named, self._prose(count, 1), ". "),
            "weight": self._rng.integers(1, 20, count).astype(np.float64),
            "combined_degree": graph.degree[graph.source] + graph.degree[graph.target],
            "text_unit_ids": text.lists(*graph.relationship_units, count, self.unit_ids),
        }
        self._save("relationships", columns)

    def _text_units(self) -> None:
        count = self._spec.text_units
        entities, entity_units = self._graph.entity_units
        relationships, relationship_units = self._graph.relationship_units
        claims = np.arange(self._spec.claims)
        claim_ids = self._claim_ids()
        columns = {
            "id": self.unit_ids,
            "human_readable_id": np.arange(count),
            "text": self._prose(count, 12),
            "n_tokens": np.full(count, 300),
            "document_id": pc.take(self._document_ids, pa.array(self._document_of())),
            "entity_ids": text.lists(entity_units, entities, count, self.entity_ids),
            "relationship_ids": text.lists(relationship_units, relationships, count, self._relationship_ids),
            "covariate_ids": text.lists(claims * 7 % count, claims, count, claim_ids),
        }
        self._save("text_units", columns)

    def _document_of(self) -> Ints:
        return np.arange(self._spec.text_units) * self._documents // self._spec.text_units

    def _documents_table(self) -> None:
        count = self._documents
        columns = {
            "id": self._document_ids,
            "human_readable_id": np.arange(count),
            "title": pa.array([f"chronicle-{number}.txt" for number in range(count)]),
            "text": self._prose(count, 40),
            "text_unit_ids": text.lists(
                self._document_of(), np.arange(self._spec.text_units), count, self.unit_ids
            ),
            "creation_date": pa.array(["2025-03-04 09:39:37 +0000"] * count),
            "metadata": pa.nulls(count),
        }
        self._save("documents", columns)

    def _community_table(self) -> None:
        made, count = self._communities, self._communities.count
        owners = np.concatenate(made.home)
        members = np.tile(np.arange(self._spec.entities), len(made.home))
        columns = {
            "id": text.uuids(self._rng, count),
            "human_readable_id": np.arange(count),
            "community": np.arange(count),
            "level": made.level,
            "parent": made.parent,
            "children": self._children(),
            "title": _numbered("Community ", count),
            "entity_ids": text.lists(owners, members, count, self.entity_ids),
            "relationship_ids": self._inside(),
            "text_unit_ids": self._units_inside(),
            "period": pa.array([PERIOD] * count),
            "size": np.bincount(owners, minlength=count),
        }
        self._save("communities", columns)

    def _children(self) -> Column:
        parent = self._communities.parent
        rows = np.flatnonzero(parent >= 0)
        offsets = np.zeros(len(parent) + 1, np.int64)
        np.cumsum(np.bincount(parent[rows], minlength=len(parent)), out=offsets[1:])
        ordered = rows[np.argsort(parent[rows], kind="stable")]
        return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(ordered))

    def _inside(self) -> Column:
        """Relationships with both ends in the community."""
        owners: list[Ints] = []
        rows: list[Ints] = []
        for home in self._communities.home:
            same = np.flatnonzero(home[self._graph.source] == home[self._graph.target])
            owners.append(home[self._graph.source][same])
            rows.append(same)
        joined = np.concatenate(owners), np.concatenate(rows)
        return text.lists(*joined, self._communities.count, self._relationship_ids)

    def _units_inside(self) -> Column:
        entities, units = self._graph.entity_units
        width = self._spec.text_units
        keys = np.concatenate(
            [np.unique(home[entities] * width + units) for home in self._communities.home[:2]]
        )
        return text.lists(keys // width, keys % width, self._communities.count, self.unit_ids)

    def _reports(self) -> None:
        made, count = self._communities, self._communities.count
        titles = _numbered("Affairs of district ", count)
        summary = self._prose(count, 3)
        content = pc.binary_join_element_wise(
            pc.binary_join_element_wise("# ", titles, ""), summary, self._prose(count, 10), "\n\n"
        )
        columns = {
            "id": self.report_ids,
            "human_readable_id": np.arange(count),
            "community": np.arange(count),
            "level": made.level,
            "parent": made.parent,
            "children": self._children(),
            "title": titles,
            "summary": summary,
            "full_content": content,
            "rank": self._rng.integers(1, 90, count) / 10,
            "rating_explanation": self._prose(count, 1),
            "findings": _findings(self._prose(count, 1), self._prose(count, 2)),
            "full_content_json": pa.array(["{}"] * count),
            "period": pa.array([PERIOD] * count),
            "size": np.bincount(np.concatenate(made.home), minlength=count),
        }
        self._save("community_reports", columns)

    def _claim_ids(self) -> Column:
        return text.uuids(np.random.default_rng(self._spec.seed + 2), self._spec.claims)

    def _claims(self) -> None:
        count = self._spec.claims
        if not count:
            return
        subjects = np.arange(count) * 7 % self._spec.entities
        columns = {
            "id": self._claim_ids(),
            "human_readable_id": np.arange(count),
            "covariate_type": pa.array(["claim"] * count),
            "type": pa.array(["CONDUCT"] * count),
            "description": self._prose(count, 1),
            "subject_id": pc.take(self._titles, pa.array(subjects)),
            "object_id": pa.array(["NONE"] * count),
            "status": pc.take(pa.array(["TRUE", "FALSE", "SUSPECTED"]), pa.array(np.arange(count) % 3)),
            "start_date": pa.array(["NONE"] * count),
            "end_date": pa.array(["NONE"] * count),
            "source_text": self._prose(count, 1),
            "text_unit_id": pc.take(self.unit_ids, pa.array(np.arange(count) * 7 % self._spec.text_units)),
        }
        self._save("covariates", columns)


def _numbered(prefix: str, count: int) -> Column:
    return pc.binary_join_element_wise(prefix, pc.cast(pa.array(np.arange(count)), pa.string()), "")


def _findings(summaries: Column, explanations: Column) -> Column:
    """One finding per report."""
    structs = pa.StructArray.from_arrays([explanations, summaries], names=["explanation", "summary"])
    return pa.ListArray.from_arrays(pa.array(np.arange(len(summaries) + 1, dtype=np.int32)), structs)
