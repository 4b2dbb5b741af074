"""One question with the groups of flags that its command took, and what becomes of them."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.cli.flags.values import asked_for, limits_of
from graphrag_cli.cli.terminal.source import read_stdin
from graphrag_cli.errors import UsageError

if TYPE_CHECKING:
    from graphrag_cli.cli.flags.groups import AskOptions, DriftOptions, EntityOptions, NarrowingOptions
    from graphrag_cli.engines.base import Filters, Question
    from graphrag_cli.events import Json, Method

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
        from graphrag_cli.cli.asking.drift_state import open_state

        state = open_state(ask.drift.resume)
        return state.asked or state.query
    return read_question(ask.question)


def read_question(argument: str | None) -> str:
    """The question of the command line, or standard input for ``-`` and for a pipe. Raises ``UsageError``."""
    if argument is None and sys.stdin.isatty():
        raise UsageError("no question", hint=f"{_EXAMPLE}, or pipe it in")
    text = read_stdin() if argument is None or argument == "-" else argument
    if not text.strip():
        raise UsageError("the question is empty", hint=_EXAMPLE)
    return text.strip()


def question_of(ask: Ask, default: Question) -> Question:
    """``default`` with everything that ``ask`` says."""
    options, entities = ask.options, ask.entities
    return dataclasses.replace(
        asked_for(options.retrieval, stream=options.output.stream)(default),
        limits=limits_of(options.limits),
        include_entities=tuple(entities.include_entity) if entities else (),
        exclude_entities=tuple(entities.exclude_entity) if entities else (),
        filters=_filters(ask),
        context_only=options.inspect.context_only,
        dynamic=ask.dynamic,
        resume=_resumed(ask.drift),
    )


def _resumed(drift: DriftOptions | None) -> Json:
    if drift is None or drift.resume is None:
        return None
    from graphrag_cli.cli.asking.drift_state import read_state_file

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
