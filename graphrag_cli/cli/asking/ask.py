"""One question from flags to answer: the project opened, the run followed, the exit status told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from graphrag_cli.cli.asking.request import Ask, question_of, question_text
from graphrag_cli.cli.flags.values import run_options, where_of
from graphrag_cli.errors import PartialError

if TYPE_CHECKING:
    from pathlib import Path

    from graphrag_cli.cli.flags.groups import SessionOptions
    from graphrag_cli.cli.render.base import Renderer
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.cli.terminal.sink import Sink
    from graphrag_cli.engines.base import Turn
    from graphrag_cli.engines.estimate import Estimate
    from graphrag_cli.events import Answer
    from graphrag_cli.project import Project


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said before the question, and where the answer is kept."""

    name: str | None = None
    history: tuple[Turn, ...] = ()

    @classmethod
    def of(cls, options: SessionOptions) -> Conversation:
        """The conversation that the flags name. Raises ``UsageError``."""
        if options.session is None and not options.continue_last:
            return cls()
        from graphrag_cli.sessions import SessionStore, default_folder, turns_of

        store = SessionStore(default_folder())
        name = options.name(store)
        return cls(name, turns_of(store.read(name)) if name is not None else ())

    def keep(self, answer: Answer) -> None:
        """Adds the answer to the session, where there is one."""
        if self.name is not None:
            from graphrag_cli.sessions import SessionStore, default_folder, exchange_of

            SessionStore(default_folder()).append(self.name, exchange_of(answer))


def run_ask(ask: Ask) -> int:
    """Asks, shows, and returns the exit status: 0 answered or no data, 6 partial or bad citations."""
    import asyncio

    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.cli.terminal.sink import Sink, refuse_same_file
    from graphrag_cli.documents.fields import check_fields

    refuse_same_file(_written(ask))
    text = question_text(ask)
    output, inspect = ask.options.output, ask.options.inspect
    if output.fields is not None:
        check_fields(output.fields, output.format)
    consoles = open_consoles(quiet=output.quiet, verbose=output.verbose)
    conversation = Conversation.of(ask.options.session)
    answer: Answer | None = None
    with Sink(output.output) as sink:
        if inspect.dry_run:
            _print_estimate(asyncio.run(_estimate(ask, text, conversation.history)), ask, consoles, sink)
        else:
            answer = asyncio.run(_answer(ask, text, conversation.history, consoles, sink))
    if output.output is not None:
        consoles.say(f"wrote {output.output}", style="dim")
    if answer is None:
        return 0
    if not inspect.context_only:  # else nothing was said
        conversation.keep(answer)
    return _status(answer, consoles, fail_on_bad_citations=inspect.fail_on_bad_citations)


def _written(ask: Ask) -> dict[str, Path | None]:
    """Files that are written or must last, by the flag that names them.

    A state may be gone on from in the same file, but nothing else put there.
    """
    models = ask.options.models
    files = {"--output": ask.options.output.output, "--record": models.record, "--replay": models.replay}
    if ask.drift is None:
        return files
    return {
        **files,
        "--state" if ask.drift.state is not None else "--resume": ask.drift.state or ask.drift.resume,
    }


async def _answer(ask: Ask, text: str, history: tuple[Turn, ...], consoles: Consoles, sink: Sink) -> Answer:
    import asyncio

    from graphrag_cli.cli.render.base import follow
    from graphrag_cli.cli.render.choose import renderers_for
    from graphrag_cli.cli.render.state import StateRenderer

    renderers: list[Renderer] = renderers_for(ask.options.output, ask.options.inspect, consoles, sink)
    if ask.drift is not None and ask.drift.state is not None:
        renderers.insert(0, StateRenderer(ask.drift.state))
    try:
        project = _open(ask)
        try:
            question = replace(question_of(ask, project.question(text)), history=history)
            # Opening reads files and imports libraries: aside, so that the status line and Ctrl-C stay alive.
            await asyncio.to_thread(project.engine, ask.method)
            return await follow(project.stream(question, ask.method), renderers)
        finally:
            await project.aclose()
    finally:
        for renderer in renderers:
            renderer.close()


def _open(ask: Ask) -> Project:
    from graphrag_cli.project import Project

    options = ask.options
    return Project.open(
        where_of(options.where, ask.overrides), run_options(options.models, stream=options.output.stream)
    )


async def _estimate(ask: Ask, text: str, history: tuple[Turn, ...]) -> Estimate:
    project = _open(ask)
    try:
        question = replace(question_of(ask, project.question(text)), history=history)
        return await project.estimate(question, ask.method)
    finally:
        await project.aclose()


def _print_estimate(estimate: Estimate, ask: Ask, consoles: Consoles, sink: Sink) -> None:
    from graphrag_cli.cli.render.estimate import estimate_lines
    from graphrag_cli.documents.build import estimate_document
    from graphrag_cli.documents.strict import dump_line

    if ask.options.output.format in {"json", "jsonl"}:
        sink.write(dump_line(estimate_document(estimate)))
    else:
        for line in estimate_lines(estimate):
            sink.write(f"{line}\n")
    consoles.say("nothing was sent", style="dim")


def _status(answer: Answer, consoles: Consoles, *, fail_on_bad_citations: bool) -> int:
    from graphrag_cli.cli.render.sources import bad_citations

    bad = bad_citations(answer.citations)
    if fail_on_bad_citations and bad:
        cited = ", ".join(f"{citation.dataset} ({citation.id})" for citation in bad)
        verb = "citation does" if len(bad) == 1 else "citations do"
        consoles.say(f"error: {len(bad)} {verb} not resolve: {cited}", style="red", asked_for=True)
        return PartialError.exit_code
    return PartialError.exit_code if answer.status == "partial" else 0
