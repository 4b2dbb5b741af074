"""The local context of a step. Synchronous: the engine runs it in threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag_cli.context.local import LocalShares, build_local_context
from graphrag_cli.engines.local import (
    OVERSAMPLING,
    choose_entities,
    entity_ids_allowed,
    named_rows,
    units_allowed,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphrag_cli.config.settings import DriftSearchSettings, Level
    from graphrag_cli.context.bundle import ContextBundle
    from graphrag_cli.context.local import Matches
    from graphrag_cli.engines.base import Question, Toolbox
    from graphrag_cli.index.vectors.base import VectorTable


class StepContexts:
    """Builds the contexts of one question's steps; calling it is safe from several threads."""

    def __init__(
        self, tools: Toolbox, question: Question, settings: DriftSearchSettings, entities: VectorTable
    ) -> None:
        self._tools = tools
        self._level: Level = question.community_level
        self._settings = settings
        self.entities = entities
        self._allowed = entity_ids_allowed(tools.snapshot, question)
        self._units = units_allowed(tools.snapshot, question)
        self._included = named_rows(tools.snapshot, question.include_entities)
        self._excluded = named_rows(tools.snapshot, question.exclude_entities)

    def matches(self, vector: NDArray[np.float32]) -> Matches:
        """The entities nearest to the question of that vector, shape ``(1, width)``."""
        wanted = self._settings.local_search_top_k_mapped_entities
        (hits,) = self.entities.search(
            vector, OVERSAMPLING * wanted + len(self._excluded), only=self._allowed
        )
        chosen = choose_entities(
            self._tools.snapshot, hits, self._included, self._excluded, wanted, min_similarity=-1.0
        )
        return replace(chosen, units=self._units)

    def __call__(self, matches: Matches, budget: int) -> ContextBundle:
        """The context around ``matches`` in at most ``budget`` tokens."""
        settings, snapshot = self._settings, self._tools.snapshot
        shares = LocalShares(
            budget,
            settings.local_search_community_prop,
            settings.local_search_text_unit_prop,
            settings.local_search_top_k_relationships,
        )
        return build_local_context(snapshot, matches, self._level, shares, self._tools.tokens)

    def warm(self, vector: NDArray[np.float32]) -> None:
        """Reads the columns that the first step needs while the primer waits for its replies."""
        self(self.matches(vector), self._settings.local_search_max_data_tokens)
