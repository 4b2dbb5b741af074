"""One question from flags to answer: the project opened, the run followed, the exit status told."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.errors import PartialError, UsageError

if TYPE_CHECKING:
    from graphrag_cli.cli.console import Consoles
    from graphrag_cli.cli.options import (
        AskOptions,
        EntityOptions,
        InspectOptions,
        LimitOptions,
        NarrowingOptions,
        RetrievalOptions,
        WhereOptions,
    )
    from graphrag_cli.cli.render.base import Renderer
    from graphrag_cli.cli.sink import Sink
    from graphrag_cli.config.load import Where
    from graphrag_cli.config.settings import Level
    from graphrag_cli.engines.base import Filters, Question
    from graphrag_cli.engines.build import RunOptions
    from graphrag_cli.events import Answer, Method
    from graphrag_cli.llm.usage import Limits


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with the groups of flags that its command took."""

    method: Method
    question: str | None
    options: AskOptions
    narrowing: NarrowingOptions | None = None
    entities: EntityOptions | None = None
    dynamic: bool = False
    overrides: tuple[str, ...] = ()
    """``key=value`` that flags of the method stand for."""


def run_ask(ask: Ask) -> int:
    """Asks, shows, and returns the exit status: 0 answered or no data, 6 partial or bad citations."""
    import asyncio

    from graphrag_cli.cli.console import open_consoles
    from graphrag_cli.cli.sink import Sink
    from graphrag_cli.documents.fields import check_fields

    text = read_question(ask.question)
    if ask.options.output.fields is not None:
        check_fields(ask.options.output.fields, ask.options.output.format)
    consoles = open_consoles(quiet=ask.options.output.quiet, verbose=ask.options.output.verbose)
    with Sink(ask.options.output.output) as sink:
        answer = asyncio.run(_answer(ask, text, consoles, sink))
    return _status(answer, ask.options.inspect, consoles)


def read_question(argument: str | None) -> str:
    """The question of the command line, or standard input for ``-`` and for a pipe. Raises ``UsageError``."""
    if argument is None and sys.stdin.isatty():
        raise UsageError(
            "no question", hint='give it in quotes: graphrag-cli query local "Who …?", or pipe it in'
        )
    text = sys.stdin.read() if argument in {None, "-"} else argument
    if text is None or not text.strip():
        raise UsageError("the question is empty", hint='give it in quotes: graphrag-cli query local "Who …?"')
    return text.strip()


def where_of(options: WhereOptions, overrides: Sequence[str] = ()) -> Where:
    """Where the user said the project is."""
    from graphrag_cli.config.load import Where

    return Where(
        root=options.root,
        config=options.config,
        data=tuple(options.data),
        overrides=(*overrides, *options.overrides),
    )


def run_options(options: AskOptions) -> RunOptions:
    """What the flags say about the whole run."""
    from graphrag_cli.engines.build import RunOptions

    models = options.models
    return RunOptions(options.output.stream, models.prompt_dir, models.record, models.replay)


def parse_level(text: str) -> Level:
    """``2`` or ``deepest``. Raises ``UsageError``."""
    if text == "deepest":
        return "deepest"
    if text.isdecimal():
        return int(text)
    raise UsageError(f"--community-level {text!r} is neither a number nor 'deepest'", hint="for example 2")


async def _answer(ask: Ask, text: str, consoles: Consoles, sink: Sink) -> Answer:
    from graphrag_cli.cli.render.base import follow
    from graphrag_cli.cli.render.choose import renderers_for
    from graphrag_cli.project import Project

    renderers: list[Renderer] = renderers_for(ask.options.output, ask.options.inspect, consoles, sink)
    try:
        project = Project.open(where_of(ask.options.where, ask.overrides), run_options(ask.options))
        try:
            question = _question(project.question(text), ask)
            return await follow(project.stream(question, ask.method), renderers)
        finally:
            await project.aclose()
    finally:
        for renderer in renderers:
            renderer.close()


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


def _question(default: Question, ask: Ask) -> Question:
    options, entities = ask.options, ask.entities
    return dataclasses.replace(
        asked_for(default, options.retrieval, options.limits, stream=options.output.stream),
        include_entities=tuple(entities.include_entity) if entities else (),
        exclude_entities=tuple(entities.exclude_entity) if entities else (),
        filters=_filters(ask),
        context_only=options.inspect.context_only,
        dynamic=ask.dynamic,
    )


def _filters(ask: Ask) -> Filters:
    from graphrag_cli.engines.base import Filters

    narrowing, entities = ask.narrowing, ask.entities
    return Filters(
        documents=tuple(narrowing.document) if narrowing else (),
        entity_types=tuple(entities.entity_type) if entities else (),
        since=narrowing.since if narrowing else None,
        until=narrowing.until if narrowing else None,
    )


def limits_of(options: LimitOptions) -> Limits:
    """What the run may spend."""
    from graphrag_cli.llm.usage import Limits

    return Limits(options.max_calls, options.max_tokens, options.max_cost, options.deadline)


def _status(answer: Answer, inspect: InspectOptions, consoles: Consoles) -> int:
    from graphrag_cli.cli.render.sources import bad_citations

    bad = bad_citations(answer.citations)
    if inspect.fail_on_bad_citations and bad:
        cited = ", ".join(f"{citation.dataset} ({citation.id})" for citation in bad)
        verb = "citation does" if len(bad) == 1 else "citations do"
        consoles.err.print(f"error: {len(bad)} {verb} not resolve: {cited}", style="red", soft_wrap=True)
        return PartialError.exit_code
    return PartialError.exit_code if answer.status == "partial" else 0
