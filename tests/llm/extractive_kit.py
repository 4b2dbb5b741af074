"""Requests to the embedded answerer, with small tables about a lighthouse: another subject than the sample index."""

from __future__ import annotations

from collections.abc import Sequence

from graphrag_cli.context.tables import heading, write_row
from graphrag_cli.events import Cell, Dataset
from graphrag_cli.llm.base import ChatRequest, Message, Stage
from graphrag_cli.llm.counting.wordpiece import WordPieceCounter
from graphrag_cli.llm.extractive import ExtractiveChat
from graphrag_cli.llm.in_process.minilm import MiniLmEmbedder

COLUMNS: dict[Dataset, tuple[str, ...]] = {
    "reports": ("id", "title", "content"),
    "entities": ("id", "entity", "description", "number of relationships"),
    "relationships": ("id", "source", "target", "description", "weight"),
    "claims": ("id", "entity", "object", "status", "start_date", "end_date", "description"),
    "sources": ("id", "text"),
}

SOURCES = (
    (
        0,
        "The lighthouse on Skarv Rock was built between 1871 and 1874 by the engineer Ada Brandt. It stands 41 metres high and "
        "is made of granite from the quarry at Lund. The first keeper was Jens Holm, who lived there with his wife for nineteen years.",
    ),
    (
        1,
        "On the night of 3 February 1889 the barque Orion struck the reef below the tower. Jens Holm rowed out four times in an open "
        "boat and brought nine sailors ashore. The captain, Peter Vik, refused to leave his ship and was drowned.",
    ),
    (
        2,
        "The lamp burned rape-seed oil at first. In 1902 it was replaced by a paraffin burner, and in 1937 by an electric lamp. "
        "The lighthouse has worked without a keeper since 1984, and the dwelling is now a museum with about 6,000 visitors a year.",
    ),
    (
        3,
        "Bread in the village of Lund was baked on Fridays in a common oven. Each family marked its loaves with a wooden stamp.",
    ),
)
ENTITIES = (
    (
        0,
        "JENS HOLM",
        "Jens Holm was the first keeper of the lighthouse on Skarv Rock. He saved nine sailors of the Orion in 1889.",
        3,
    ),
    (1, "ADA BRANDT", "Ada Brandt was the engineer who built the lighthouse on Skarv Rock.", 2),
    (2, "ORION", "A barque that was wrecked on the reef of Skarv Rock in February 1889.", 2),
    (3, "SKARV ROCK", "Skarv Rock is a rock with a lighthouse of granite, 41 metres high.", 4),
    (4, "PETER VIK", "Peter Vik was the captain of the Orion, who drowned with his ship.", 1),
)
RELATIONSHIPS = (
    (0, "JENS HOLM", "ORION", "Jens Holm rescued nine men of the Orion with an open boat.", 8),
    (1, "ADA BRANDT", "SKARV ROCK", "Ada Brandt designed the tower on Skarv Rock.", 6),
    (2, "PETER VIK", "ORION", "Peter Vik went down with the Orion.", 5),
    (3, "JENS HOLM", "LUND", "Jens Holm bought the oil for the lamp in Lund.", 2),
)
CLAIMS = (
    (
        0,
        "PETER VIK",
        "ORION",
        "SUSPECTED",
        "1889-02-03",
        "NONE",
        "Peter Vik was drunk when the Orion struck the reef.",
    ),
)
REPORTS = (
    (
        0,
        "The wreck of the Orion",
        "# The wreck of the Orion\n\nThe barque Orion was lost on the reef of Skarv Rock in 1889.\n\n## Nine men saved\n\nThe keeper Jens "
        "Holm rowed out four times and saved nine sailors [Data: Entities (0); Relationships (0)].\n\n## A captain lost\n\nPeter Vik "
        "stayed aboard and drowned [Data: Entities (4)].",
    ),
    (
        1,
        "The lamp and its keepers",
        "# The lamp and its keepers\n\nThe light of Skarv Rock went from rape-seed oil over paraffin to electricity. It has had no "
        "keeper since 1984.",
    ),
)
ALL: dict[Dataset, tuple[tuple[Cell, ...], ...]] = {
    "reports": REPORTS,
    "entities": ENTITIES,
    "relationships": RELATIONSHIPS,
    "claims": CLAIMS,
    "sources": SOURCES,
}


def table(dataset: Dataset, rows: Sequence[Sequence[Cell]]) -> str:
    """A section as the context builders write it."""
    return "\n".join([heading(dataset), write_row(COLUMNS[dataset]), *(write_row(row) for row in rows)])


def context(**rows: Sequence[Sequence[Cell]]) -> str:
    """Sections joined as in a bundle."""
    return "\n\n".join(table(dataset, rows[dataset]) for dataset in COLUMNS if dataset in rows)


def request(
    question: str,
    data: str | None = None,
    *,
    stage: Stage = "answer",
    response_type: str = "multiple paragraphs",
    stream: bool = False,
) -> ChatRequest:
    """A question over ``data`` (unset: every table of the kit) in a prompt like the shipped ones."""
    data = context(**ALL) if data is None else data
    prompt = (
        f"# Task\n\nAnswer.\n\n- Length and form of the answer: {response_type}\n\n# Citations\n\nWrite [Data: Reports (2, 7)].\n\n"
        f"# Data tables\n\n{data}\n\n# End of the data tables\n\nNow answer. Length and form: {response_type}\n"
    )
    return ChatRequest((Message("system", prompt), Message("user", question)), stage, stream=stream)


def answerer() -> ExtractiveChat:
    """The embedded answerer with the embedded embedder."""
    return ExtractiveChat(MiniLmEmbedder(), WordPieceCounter())
