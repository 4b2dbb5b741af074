"""From groups of flags to the values that the rest of the program takes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphrag_cli.errors import UsageError

if TYPE_CHECKING:
    from graphrag_cli.cli.flags.groups import LimitOptions, ModelOptions, RetrievalOptions, WhereOptions
    from graphrag_cli.config.load import Where
    from graphrag_cli.config.settings import Level
    from graphrag_cli.engines.base import Question
    from graphrag_cli.engines.models import RunOptions
    from graphrag_cli.llm.around.purse import Limits


def where_of(options: WhereOptions, overrides: Sequence[str] = ()) -> Where:
    """Where the user said the project is; ``overrides`` go over those of ``--set``."""
    from graphrag_cli.config.load import Where

    return Where(
        root=options.root,
        config=options.config,
        data=tuple(options.data),
        overrides=(*options.overrides, *overrides),
    )


def run_options(models: ModelOptions, *, stream: bool, limits: Limits | None = None) -> RunOptions:
    """What the flags say about the whole run; ``limits`` are on all its questions together."""
    from graphrag_cli.engines.models import RunOptions

    return RunOptions(stream, models.prompt_dir, models.record, models.replay, limits)


def asked_for(retrieval: RetrievalOptions, *, stream: bool) -> Callable[[Question], Question]:
    """What puts into a question what the flags say about every method. Raises ``UsageError``, before any is asked."""
    level = None if retrieval.community_level is None else parse_level(retrieval.community_level)

    def put_in(question: Question) -> Question:
        return dataclasses.replace(
            question,
            response_type=question.response_type
            if retrieval.response_type is None
            else retrieval.response_type,
            seed=question.seed if retrieval.seed is None else retrieval.seed,
            community_level=question.community_level if level is None else level,
            stream=stream,
        )

    return put_in


def parse_level(text: str) -> Level:
    """``2`` or ``deepest``. Raises ``UsageError``."""
    if text == "deepest":
        return "deepest"
    if text.isdecimal():
        return int(text)
    raise UsageError(f"--community-level {text!r} is neither a number nor 'deepest'", hint="for example 2")


def limits_of(options: LimitOptions) -> Limits:
    """What the run may spend. Raises ``UsageError``."""
    from graphrag_cli.llm.around.purse import Limits

    for flag, value in (("--deadline", options.deadline), ("--max-cost", options.max_cost)):
        if value is not None and not math.isfinite(value):
            raise UsageError(f"{flag} {value:g} is no limit", hint=f"leave {flag} out for none")
    return Limits(options.max_calls, options.max_tokens, options.max_cost, options.deadline)
