"""From groups of flags to the values that the rest of the program takes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_cli.errors import UsageError

if TYPE_CHECKING:
    from graphrag_cli.cli.flags.groups import LimitOptions, ModelOptions, RetrievalOptions, WhereOptions
    from graphrag_cli.config.load import Where
    from graphrag_cli.config.settings import Level
    from graphrag_cli.engines.base import Question
    from graphrag_cli.engines.models import RunOptions
    from graphrag_cli.llm.usage import Limits


def where_of(options: WhereOptions, overrides: Sequence[str] = ()) -> Where:
    """Where the user said the project is; ``overrides`` go over those of ``--set``."""
    from graphrag_cli.config.load import Where

    return Where(
        root=options.root,
        config=options.config,
        data=tuple(options.data),
        overrides=(*options.overrides, *overrides),
    )


def run_options(models: ModelOptions, *, stream: bool) -> RunOptions:
    """What the flags say about how models are spoken to, for the whole run."""
    from graphrag_cli.engines.models import RunOptions

    return RunOptions(stream, models.prompt_dir, models.record, models.replay)


def asked_for(
    question: Question, retrieval: RetrievalOptions, limits: LimitOptions, *, stream: bool
) -> Question:
    """``question`` with what the flags say about every method."""
    level = retrieval.community_level
    return dataclasses.replace(
        question,
        response_type=question.response_type if retrieval.response_type is None else retrieval.response_type,
        seed=question.seed if retrieval.seed is None else retrieval.seed,
        community_level=question.community_level if level is None else parse_level(level),
        limits=limits_of(limits),
        stream=stream,
    )


def parse_level(text: str) -> Level:
    """``2`` or ``deepest``. Raises ``UsageError``."""
    if text == "deepest":
        return "deepest"
    if text.isdecimal():
        return int(text)
    raise UsageError(f"--community-level {text!r} is neither a number nor 'deepest'", hint="for example 2")


def limits_of(options: LimitOptions) -> Limits:
    """What the run may spend. Raises ``UsageError``."""
    from graphrag_cli.llm.usage import Limits

    for flag, value in (("--deadline", options.deadline), ("--max-cost", options.max_cost)):
        if value is not None and not math.isfinite(value):
            raise UsageError(f"{flag} {value:g} is no limit", hint=f"leave {flag} out for none")
    return Limits(options.max_calls, options.max_tokens, options.max_cost, options.deadline)
