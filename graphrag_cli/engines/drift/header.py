"""What a state says of its run, and what of that matters when the run is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphrag_cli.engines.drift.selection import Policy
from graphrag_cli.engines.drift.state import RunHeader

if TYPE_CHECKING:
    from graphrag_cli.config.settings import DriftSearchSettings
    from graphrag_cli.engines.base import Question
    from graphrag_cli.engines.run import Run
    from graphrag_cli.events import Cell

RECORDED = ("n_depth", "drift_k_followups", "primer_folds", "duplicate_threshold", "reduce_min_score")
"""Keys of ``drift_search`` that a state holds."""
FREE = frozenset({"n_depth", "drift_k_followups", "reduce_min_score", "response_type"})
"""What a resumed run may well have otherwise: what was asked before would have been asked just so."""


def policy_of(settings: DriftSearchSettings, seed: int) -> Policy:
    """The part of ``settings`` that decides what is asked."""
    return Policy(settings.n_depth, settings.drift_k_followups, settings.duplicate_threshold, seed)


def header_of(run: Run, settings: DriftSearchSettings) -> RunHeader:
    """The header of a new state."""
    asked = run.question.text if run.standalone else None
    return RunHeader(run.query, run.question.seed, run.models, recorded(run.question, settings), asked)


def recorded(question: Question, settings: DriftSearchSettings) -> dict[str, Cell | bool]:
    """Settings and flags that shaped the run; those that narrow it are there only where they were given."""
    found: dict[str, Cell | bool] = {name: getattr(settings, name) for name in RECORDED}
    found["community_level"] = question.community_level
    found["response_type"] = question.response_type
    filters = question.filters
    narrowed = {
        "documents": "; ".join(filters.documents),
        "entity_types": "; ".join(filters.entity_types),
        "since": filters.since,
        "until": filters.until,
        "include_entities": "; ".join(question.include_entities),
        "exclude_entities": "; ".join(question.exclude_entities),
    }
    return {**found, **{name: value for name, value in narrowed.items() if value}}


def differences(before: Mapping[str, Cell | bool], now: Mapping[str, Cell | bool]) -> list[str]:
    """What a resumed run has otherwise than the run before it, in words; ``FREE`` settings do not count."""
    names = sorted({*before, *now} - FREE)
    return [
        f"{name}: {_shown(before.get(name))}, now {_shown(now.get(name))}"
        for name in names
        if before.get(name) != now.get(name)
    ]


def _shown(value: Cell | bool) -> str:
    return "none" if value is None else str(value)
