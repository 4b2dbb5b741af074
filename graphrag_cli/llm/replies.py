"""The JSON replies that steps ask for. Field names are the ones the prompts name; synonyms are for reading only."""

from __future__ import annotations

from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

Score = Annotated[float, Field(ge=0, le=100)]


class Reply(BaseModel):
    """Base of all replies."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Point(Reply):
    """One key point of a map batch."""

    description: str = Field(
        validation_alias=AliasChoices("description", "answer", "point", "text", "content")
    )
    score: Score = Field(validation_alias=AliasChoices("score", "rating", "importance"))


class MapReply(Reply):
    """What a map batch found; no points when the reports say nothing about the question."""

    points: tuple[Point, ...] = Field(validation_alias=AliasChoices("points", "key_points", "results"))


class RatingReply(Reply):
    """How useful a report is for the question, 0 to 5 (dynamic community selection)."""

    rating: Annotated[int, Field(ge=0, le=5)] = Field(validation_alias=AliasChoices("rating", "score"))
    reason: str = ""


class PrimerReply(Reply):
    """What one fold of reports answers, and what should be asked next."""

    intermediate_answer: str = Field(
        validation_alias=AliasChoices("intermediate_answer", "answer", "response")
    )
    score: Score
    follow_up_queries: tuple[str, ...] = Field(
        validation_alias=AliasChoices("follow_up_queries", "follow_ups", "followups", "follow_up_questions")
    )


class StepReply(Reply):
    """What one DRIFT action answers, and what should be asked next."""

    response: str = Field(validation_alias=AliasChoices("response", "answer", "intermediate_answer"))
    score: Score
    follow_up_queries: tuple[str, ...] = Field(
        validation_alias=AliasChoices("follow_up_queries", "follow_ups", "followups", "follow_up_questions")
    )


class RewriteReply(Reply):
    """A question that stands alone without the conversation before it."""

    question: str = Field(validation_alias=AliasChoices("question", "query", "standalone_question"))
