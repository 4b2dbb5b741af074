"""Settings of the four query methods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from graphrag_cli.config.base import CallArgs, NonNegative, Positive, Section, Share, Similarity, Temperature

CHAT_ID = "default_completion_model"
EMBEDDING_ID = "default_embedding_model"
ROUNDING = 1e-9
"""Shares such as 0.7 + 0.3 may add up to a hair more than 1."""


class HistorySettings(Section):
    """How much of a conversation goes into the prompt. *Ours.*"""

    max_tokens: NonNegative = 2000
    """Tokens of earlier turns; the newest that fit are kept."""


class LocalSearchSettings(Section):
    """`local_search`."""

    prompt: Path | None = None
    """File of the system prompt; unset, the one shipped."""
    completion_model_id: str = CHAT_ID
    """Entry of `completion_models` that answers."""
    embedding_model_id: str = EMBEDDING_ID
    """Entry of `embedding_models` that embeds the question: the one that the index was made with."""
    text_unit_prop: Share = 0.5
    """Share of the context for text units."""
    community_prop: Share = 0.15
    """Share of the context for community reports; the rest is for entities, relationships and claims."""
    conversation_history_max_turns: NonNegative = 5
    """Earlier questions and answers that are taken into account."""
    top_k_entities: Positive = 10
    """Entities found by the question's embedding."""
    top_k_relationships: NonNegative = 10
    """Relationships that lead out of the chosen entities, for each of them."""
    max_context_tokens: Positive = 12_000
    """Tokens of all context tables together."""
    min_similarity: Similarity = -1.0
    """Entities less similar to the question than this are not used. *Ours.*"""
    call_args: CallArgs = Field(default_factory=CallArgs)

    @model_validator(mode="after")
    def _shares_fit(self) -> LocalSearchSettings:
        if self.text_unit_prop + self.community_prop > 1 + ROUNDING:
            raise ValueError(
                f"text_unit_prop {self.text_unit_prop:g} and community_prop {self.community_prop:g} add up to more than 1"
            )
        return self


class GlobalSearchSettings(Section):
    """`global_search`."""

    map_prompt: Path | None = None
    """File of the prompt of a map batch; unset, the one shipped."""
    reduce_prompt: Path | None = None
    """File of the prompt that writes the answer; unset, the one shipped."""
    knowledge_prompt: Path | None = None
    """File of what is added under `allow_general_knowledge`; unset, the one shipped."""
    rate_prompt: Path | None = None
    """File of the prompt that rates a report; unset, the one shipped. *Ours.*"""
    completion_model_id: str = CHAT_ID
    """Entry of `completion_models` that answers."""
    max_context_tokens: Positive = 12_000
    """Tokens of reports in one map batch."""
    data_max_tokens: Positive = 12_000
    """Tokens of key points in the reduce prompt."""
    map_max_length: Positive = 1000
    """Words of a map reply, said in the prompt."""
    reduce_max_length: Positive = 2000
    """Words of the answer, said in the prompt."""
    concurrency: Positive | None = None
    """Map calls at a time; unset, the root `concurrent_requests`."""
    allow_general_knowledge: bool = False
    """Lets the answer add what the model knows from elsewhere, marked as such. *Ours.*"""
    conversation_history_max_turns: NonNegative = 5
    """Earlier questions and answers that are taken into account. *Ours.*"""
    dynamic_search_threshold: Annotated[int, Field(ge=0, le=5)] = 1
    """Reports rated at least this are used, and their children rated."""
    dynamic_search_keep_parent: bool = False
    """Keeps a report although its children are used too."""
    dynamic_search_num_repeats: Positive = 1
    """Votes for each rating."""
    dynamic_search_use_summary: bool = False
    """Rates the summary in place of the whole report."""
    dynamic_search_max_level: NonNegative = 2
    """Deepest level rated while nothing was relevant yet."""
    dynamic_search_concurrent_coroutines: Positive | None = None
    """Rating calls at a time; unset, the root `concurrent_requests`."""
    rate_model_id: str | None = None
    """Entry of `completion_models` that rates, as 1.x had with `dynamic_search_llm`; unset, the one that answers. *Ours.*"""
    map_call_args: CallArgs = Field(default_factory=CallArgs)
    reduce_call_args: CallArgs = Field(default_factory=CallArgs)
    rate_call_args: CallArgs = Field(default_factory=CallArgs)


class DriftSearchSettings(Section):
    """`drift_search`."""

    prompt: Path | None = None
    """File of the prompt of a step (a local search that answers and asks on); unset, the one shipped."""
    reduce_prompt: Path | None = None
    """File of the prompt that writes the answer; unset, the one shipped."""
    hyde_prompt: Path | None = None
    """File of the prompt of the hypothetical answer; unset, the one shipped. *Ours.*"""
    primer_prompt: Path | None = None
    """File of the prompt of a primer fold; unset, the one shipped. *Ours.*"""
    completion_model_id: str = CHAT_ID
    """Entry of `completion_models` that answers."""
    embedding_model_id: str = EMBEDDING_ID
    """Entry of `embedding_models`: the one that the index was made with."""
    data_max_tokens: Positive = 12_000
    """Tokens of step answers in the reduce prompt."""
    reduce_max_tokens: Positive | None = None
    """Longest answer in tokens, for older endpoints."""
    reduce_max_completion_tokens: Positive | None = None
    """Longest answer in tokens, for newer endpoints."""
    reduce_temperature: Temperature | None = 0.0
    """Temperature of the answer."""
    reduce_min_score: Annotated[float, Field(ge=0, le=100)] = 1.0
    """Step answers that scored less are left out of the reduce prompt. *Ours.*"""
    concurrency: Positive = 32
    """Steps at a time."""
    drift_k_followups: Positive = 20
    """Reports for the primer, steps a level, and follow-ups asked for by each step."""
    primer_folds: NonNegative | None = 5
    """Parts that the reports of the primer are split into, one call each; 0 or null is one."""
    primer_llm_max_tokens: Positive = 12_000
    """Tokens of reports in one fold."""
    n_depth: NonNegative = 3
    """Levels of follow-up questions."""
    duplicate_threshold: Share = 0.95
    """Questions at least this similar (cosine) to one already asked or waiting are merged into it. *Ours.*"""
    report_embedding_cap: NonNegative = 500
    """At most so many reports without a stored embedding are embedded on the fly. *Ours.*"""
    conversation_history_max_turns: NonNegative = 5
    """Earlier questions and answers that are taken into account. *Ours.*"""
    local_search_text_unit_prop: Share = 0.5
    """Share of a step's context for text units."""
    local_search_community_prop: Share = 0.25
    """Share of a step's context for community reports; the rest is for entities, relationships and claims."""
    local_search_top_k_mapped_entities: Positive = 10
    """Entities found for each step."""
    local_search_top_k_relationships: NonNegative = 10
    """Relationships that lead out of the chosen entities, for each of them."""
    local_search_max_data_tokens: Positive = 12_000
    """Tokens of a step's context tables together."""
    local_search_temperature: Temperature | None = 0.0
    """Temperature of steps."""
    local_search_top_p: Share | None = None
    """`top_p` of steps."""
    local_search_n: Positive | None = None
    """Replies asked for by a step; the first one is used."""
    local_search_llm_max_gen_tokens: Positive | None = None
    """Longest reply of a step in tokens, for older endpoints."""
    local_search_llm_max_gen_completion_tokens: Positive | None = None
    """Longest reply of a step in tokens, for newer endpoints."""

    @model_validator(mode="after")
    def _shares_fit(self) -> DriftSearchSettings:
        if self.local_search_text_unit_prop + self.local_search_community_prop > 1 + ROUNDING:
            raise ValueError(
                f"local_search_text_unit_prop {self.local_search_text_unit_prop:g} and "
                f"local_search_community_prop {self.local_search_community_prop:g} add up to more than 1"
            )
        return self


class BasicSearchSettings(Section):
    """`basic_search`."""

    prompt: Path | None = None
    """File of the system prompt; unset, the one shipped."""
    completion_model_id: str = CHAT_ID
    """Entry of `completion_models` that answers."""
    embedding_model_id: str = EMBEDDING_ID
    """Entry of `embedding_models` that embeds the question: the one that the index was made with."""
    k: Positive = 10
    """Text units found by the question's embedding."""
    max_context_tokens: Positive = 12_000
    """Tokens of all text units together."""
    conversation_history_max_turns: NonNegative = 5
    """Earlier questions and answers that are taken into account."""
    min_similarity: Similarity = -1.0
    """Text units less similar to the question than this are not used. *Ours.*"""
    call_args: CallArgs = Field(default_factory=CallArgs)
