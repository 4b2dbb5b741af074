"""From flags to values: where the project is, how models are spoken to, and the question with all that is asked of it."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.errors import UsageError

if TYPE_CHECKING:
    from graphrag_cli.cli.options import (
        AskOptions,
        DriftOptions,
        EntityOptions,
        LimitOptions,
        NarrowingOptions,
        RetrievalOptions,
        WhereOptions,
    )
    from graphrag_cli.config.load import Where
    from graphrag_cli.config.settings import Level
    from graphrag_cli.engines.base import Filters, Question
    from graphrag_cli.engines.models import RunOptions
    from graphrag_cli.events import Json, Method
    from graphrag_cli.llm.usage import Limits

_EXAMPLE = 'give it in quotes: graphrag-cli query local "Who …?"'


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with the groups of flags that its command took."""

    method: Method
    question: str | None
    options: AskOptions
    narrowing: NarrowingOptions | None = None
    entities: EntityOptions | None = None
    drift: DriftOptions | None = None
    dynamic: bool = False
    overrides: tuple[str, ...] = ()
    """``key=value`` that flags of the method stand for."""


def drift_ask(ask: Ask, drift: DriftOptions) -> Ask:
    """``ask`` with the flags of drift, of which some are settings."""
    named = {"n_depth": drift.depth, "drift_k_followups": drift.followups}
    overrides = tuple(f"drift_search.{key}={value}" for key, value in named.items() if value is not None)
    return dataclasses.replace(ask, drift=drift, overrides=overrides)


def question_text(ask: Ask) -> str:
    """What is asked: of the command line, of standard input, or of the state to go on from. Raises ``UsageError``."""
    if ask.question is None and ask.drift is not None and ask.drift.resume is not None:
        from graphrag_cli.cli.drift_state import open_state

        return open_state(ask.drift.resume).query
    return read_question(ask.question)


def read_question(argument: str | None) -> str:
    """The question of the command line, or standard input for ``-`` and for a pipe. Raises ``UsageError``."""
    if argument is None and sys.stdin.isatty():
        raise UsageError("no question", hint=f"{_EXAMPLE}, or pipe it in")
    text = sys.stdin.read() if argument in {None, "-"} else argument
    if text is None or not text.strip():
        raise UsageError("the question is empty", hint=_EXAMPLE)
    return text.strip()


def where_of(options: WhereOptions, overrides: Sequence[str] = ()) -> Where:
    """Where the user said the project is; ``overrides`` go over those of ``--set``."""
    from graphrag_cli.config.load import Where

    return Where(
        root=options.root,
        config=options.config,
        data=tuple(options.data),
        overrides=(*options.overrides, *overrides),
    )


def run_options(options: AskOptions) -> RunOptions:
    """What the flags say about the whole run."""
    from graphrag_cli.engines.models import RunOptions

    models = options.models
    return RunOptions(options.output.stream, models.prompt_dir, models.record, models.replay)


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


def question_of(ask: Ask, default: Question) -> Question:
    """``default`` with everything that ``ask`` says."""
    options, entities = ask.options, ask.entities
    return dataclasses.replace(
        asked_for(default, options.retrieval, options.limits, stream=options.output.stream),
        include_entities=tuple(entities.include_entity) if entities else (),
        exclude_entities=tuple(entities.exclude_entity) if entities else (),
        filters=_filters(ask),
        context_only=options.inspect.context_only,
        dynamic=ask.dynamic,
        resume=_resumed(ask.drift),
    )


def parse_level(text: str) -> Level:
    """``2`` or ``deepest``. Raises ``UsageError``."""
    if text == "deepest":
        return "deepest"
    if text.isdecimal():
        return int(text)
    raise UsageError(f"--community-level {text!r} is neither a number nor 'deepest'", hint="for example 2")


def limits_of(options: LimitOptions) -> Limits:
    """What the run may spend."""
    from graphrag_cli.llm.usage import Limits

    for flag, value in (("--deadline", options.deadline), ("--max-cost", options.max_cost)):
        if value is not None and not math.isfinite(value):
            raise UsageError(f"{flag} {value:g} is no limit", hint=f"leave {flag} out for none")
    return Limits(options.max_calls, options.max_tokens, options.max_cost, options.deadline)


def _resumed(drift: DriftOptions | None) -> Json:
    if drift is None or drift.resume is None:
        return None
    from graphrag_cli.cli.drift_state import read_state_file

    return read_state_file(drift.resume)


def _filters(ask: Ask) -> Filters:
    from graphrag_cli.engines.base import Filters

    narrowing, entities = ask.narrowing, ask.entities
    return Filters(
        documents=tuple(narrowing.document) if narrowing else (),
        entity_types=tuple(entities.entity_type) if entities else (),
        since=narrowing.since if narrowing else None,
        until=narrowing.until if narrowing else None,
    )
