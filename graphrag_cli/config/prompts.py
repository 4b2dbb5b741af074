"""Prompts are files: found, checked for their placeholders, and filled literally, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

PromptName: TypeAlias = Literal[
    "basic",
    "local",
    "global_map",
    "global_reduce",
    "global_knowledge",
    "global_rate",
    "drift_hyde",
    "drift_primer",
    "drift_local",
    "drift_reduce",
    "rewrite",
    "reask",
]

PLACEHOLDERS: dict[PromptName, frozenset[str]] = {
    "basic": frozenset({"context_data", "response_type"}),
    "local": frozenset({"context_data", "response_type"}),
    "global_map": frozenset({"context_data", "max_length"}),
    "global_reduce": frozenset({"report_data", "response_type", "max_length"}),
    "global_knowledge": frozenset(),
    "global_rate": frozenset({"description", "question"}),
    "drift_hyde": frozenset({"query", "template"}),
    "drift_primer": frozenset({"query", "community_reports", "followups"}),
    "drift_local": frozenset({"context_data", "response_type", "global_query", "followups"}),
    "drift_reduce": frozenset({"context_data", "response_type"}),
    "rewrite": frozenset({"history", "question"}),
    "reask": frozenset({"defect"}),
}
"""What each stage fills. GraphRAG's own names, so that a tuned prompt file of a GraphRAG project drops in."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt's text and where it came from."""

    name: PromptName
    text: str
    origin: str

    def fill(self, **values: str) -> str:
        """The text with each known ``{placeholder}`` replaced, literally and once: what is put in is not scanned again."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The prompts of a run."""

    prompts: dict[PromptName, Prompt]

    def __getitem__(self, name: PromptName) -> Prompt:
        return self.prompts[name]
