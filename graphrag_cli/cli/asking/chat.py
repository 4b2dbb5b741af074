"""The conversation behind ``chat``: reads lines, answers questions, obeys commands."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag_cli.cli.asking.request import Ask, question_of
from graphrag_cli.cli.flags.values import run_options, where_of
from graphrag_cli.cli.render.base import follow
from graphrag_cli.cli.render.choose import renderers_for
from graphrag_cli.cli.render.closing import list_sources
from graphrag_cli.cli.terminal.console import Consoles, open_consoles
from graphrag_cli.cli.terminal.plain import plain_line
from graphrag_cli.cli.terminal.sink import Sink
from graphrag_cli.cli.terminal.source import read_line
from graphrag_cli.cli.terminal.termination import terminated
from graphrag_cli.errors import CliError, PartialError
from graphrag_cli.events import METHODS, Answer, Method
from graphrag_cli.sessions import Exchange, SessionStore, default_folder, exchange_of, turns_of

if TYPE_CHECKING:
    from graphrag_cli.cli.flags.groups import AskOptions
    from graphrag_cli.project import Project

_HISTORY = 1000
"""Questions of earlier conversations that the arrow keys bring back."""
_HELP = (
    "/method NAME   change to local, global, drift or basic",
    "/sources       what the last answer cites, with the passages",
    "/reset         forget the conversation",
    "/quit          leave (also Ctrl-D)",
)


def run_chat(method: Method, options: AskOptions) -> int:
    """Talks until the input ends; the exit status: that of the questions when they were piped in.

    Raises ``CliError`` when there is no project.
    """
    from graphrag_cli.project import Project

    output = options.output
    consoles = open_consoles(quiet=output.quiet, verbose=output.verbose)
    store = SessionStore(default_folder())
    name = options.session.name(store)
    kept = store.read(name) if name is not None else []
    project = Project.open(where_of(options.where), run_options(options.models, stream=output.stream))
    with asyncio.Runner() as runner:
        chat = _Chat(runner, project, consoles, options, method, kept, store, name)
        try:
            with _editing(store):
                chat.talk()
        finally:
            runner.run(project.aclose())
    return 0 if sys.stdin.isatty() else exit_status(chat.asked, chat.failed, partial=chat.partial)


def exit_status(asked: int, failed: Sequence[CliError], *, partial: bool) -> int:
    """0 when every question was answered, 6 when some failed or one in part, the first error's own when all did."""
    if failed and len(failed) == asked:
        return failed[0].exit_code
    return PartialError.exit_code if failed or partial else 0


@dataclass(slots=True)
class _Chat:
    runner: asyncio.Runner
    project: Project
    consoles: Consoles
    options: AskOptions
    method: Method
    exchanges: list[Exchange]
    store: SessionStore
    session: str | None
    last: Answer | None = field(default=None, init=False)
    asked: int = field(default=0, init=False)
    failed: list[CliError] = field(default_factory=list[CliError], init=False)
    partial: bool = field(default=False, init=False)
    """True when something of an answer failed."""

    def talk(self) -> None:
        if sys.stdin.isatty():
            self.consoles.say(f"{self.method}; /help lists commands, Ctrl-D leaves", style="dim")
        for line in self._lines():
            if line.startswith("/"):
                if not self._obey(line):
                    return
            elif line:
                self._answer(line)

    def _lines(self) -> Iterator[str]:
        while True:
            try:
                yield self._read().strip()
            except EOFError:
                self._gap()
                return
            except KeyboardInterrupt:
                if terminated():
                    raise
                self.consoles.err.print()

    def _read(self) -> str:
        """The next line. The prompt is no data: where stdout is not the terminal, it goes to stderr."""
        prompt = f"{self.method}> " if sys.stdin.isatty() else ""
        if not sys.stdout.isatty():
            self.consoles.err.print(prompt, end="")
            prompt = ""
        return read_line(prompt)

    def _obey(self, line: str) -> bool:
        """Obeys a command; False ends the conversation."""
        word, _, rest = line[1:].partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "method": lambda: self._change_method(rest.strip()),
            "sources": self._sources,
            "reset": self._reset,
            "help": lambda: self.consoles.lines(_HELP),
        }
        if word in {"quit", "exit", "q"}:
            return False
        commands.get(
            word, lambda: self.consoles.say(f"there is no /{plain_line(word)}; /help lists commands")
        )()
        return True

    def _change_method(self, name: str) -> None:
        known: dict[str, Method] = {method: method for method in METHODS}
        if name in known:
            self.method = known[name]
        else:
            self.consoles.say(f"there is no method {name}: {', '.join(METHODS)}")

    def _sources(self) -> None:
        if self.last is None or not self.last.citations:
            self.consoles.say("nothing was cited yet")
        else:
            list_sources(self.consoles, self.last.citations, full=True)

    def _reset(self) -> None:
        self.exchanges.clear()
        self.last = None
        self.consoles.say("the conversation is forgotten")
        if self.session is not None:
            self.consoles.say(
                f"the session {self.session} keeps what was said; leave --session to begin anew"
            )

    def _answer(self, text: str) -> None:
        self.asked += 1
        try:
            self.last = self.runner.run(self._ask(text))
        except CliError as error:
            self.failed.append(error)
            self.consoles.show_error(error)
        except KeyboardInterrupt:
            if terminated():
                raise
            self.consoles.say("stopped")
        else:
            self._keep(self.last)
            self._gap()

    def _keep(self, answer: Answer) -> None:
        self.partial = self.partial or answer.status == "partial"
        if self.options.inspect.context_only:
            return  # nothing was said
        exchange = exchange_of(answer)
        self.exchanges.append(exchange)
        if self.session is not None:
            self.store.append(self.session, exchange)

    def _gap(self) -> None:
        """An empty line before the next prompt, where a person types."""
        if sys.stdin.isatty():
            self.consoles.err.print()

    async def _ask(self, text: str) -> Answer:
        with Sink() as sink:
            renderers = renderers_for(self.options.output, self.options.inspect, self.consoles, sink)
            try:
                question = question_of(Ask(self.method, text, self.options), self.project.question(text))
                question = dataclasses.replace(question, history=turns_of(self.exchanges))
                await asyncio.to_thread(self.project.engine, self.method)
                return await follow(self.project.stream(question, self.method), renderers)
            finally:
                for renderer in renderers:
                    renderer.close()


@contextmanager
def _editing(store: SessionStore) -> Generator[None]:
    """Line editing and a history of questions, where the platform has them and a person types."""
    if not sys.stdin.isatty():
        yield
        return
    try:
        import readline
    except ImportError:
        yield
        return
    history = store.folder.parent / "chat_history"
    # A convenience: one that cannot be read or kept stands in nobody's way.
    with suppress(OSError):
        readline.read_history_file(history)
    try:
        yield
    finally:
        with suppress(OSError):
            history.parent.mkdir(parents=True, exist_ok=True)
            readline.set_history_length(_HISTORY)
            readline.write_history_file(history)
