"""What a synthetic index is made of. Two specs that are equal make the same tables, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

LEVELS: Final = (2000, 300, 50, 12)
"""Entities per community at each level, the coarsest first."""


@dataclass(frozen=True, slots=True)
class Hub:
    """One entity far above all others."""

    relationships: int
    text_units: int


@dataclass(frozen=True, slots=True)
class Spec:
    """Sizes of one index."""

    entities: int
    relationships: int
    text_units: int
    claims: int
    width: int = 1536
    """Length of the vectors."""
    vectors: int = 200_000
    """At most so many rows in a vector table."""
    hub: Hub | None = None
    ann: bool = False
    """Whether the entity vectors get an approximate index."""
    seed: int = 7

    @property
    def slug(self) -> str:
        """Folder name: every field that changes the bytes."""
        hub = f"-hub{self.hub.relationships}x{self.hub.text_units}" if self.hub else ""
        ann = "-ann" if self.ann else ""
        sizes = f"e{self.entities}-r{self.relationships}-t{self.text_units}-c{self.claims}"
        return f"{sizes}-v{self.vectors}w{self.width}{hub}{ann}-s{self.seed}"


def sized(entities: int, width: int = 1536) -> Spec:
    """An index of ``entities`` with the proportions that indexes of prose have."""
    return Spec(entities, entities * 3, max(5, entities // 5), entities // 20, width)


def hub(width: int = 1536) -> Spec:
    """The shape that ruins naive code: one entity in 20,000 relationships and 5,000 text units."""
    return replace(sized(30_000, width), hub=Hub(relationships=20_000, text_units=5_000))
