"""From the flags of ``batch`` to its lines, its summary and its exit status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from graphrag_cli.cli.flags.single import flag
from graphrag_cli.cli.flags.values import asked_for
from graphrag_cli.cli.terminal.source import read_file, read_stdin
from graphrag_cli.errors import PartialError, UsageError
from graphrag_cli.events import Method

if TYPE_CHECKING:
    from graphrag_cli.batch.journal import Writer
    from graphrag_cli.batch.line import Done
    from graphrag_cli.batch.questions import BatchQuestion
    from graphrag_cli.cli.flags.groups import ManyOptions
    from graphrag_cli.cli.terminal.sink import Sink

_PANEL = "Batch"


@dataclass(frozen=True, slots=True)
class BatchFlags:
    """What only ``batch`` takes."""

    method: Annotated[
        Method,
        flag(_PANEL, "Method of questions that name none.", "--method", "-m", show_default=True),
    ] = "local"
    output: Annotated[
        Path | None,
        flag(
            _PANEL,
            "Write lines there instead of stdout; needed for --resume.",
            "--output",
            "-o",
            metavar="FILE",
        ),
    ] = None
    resume: Annotated[
        bool,
        flag(_PANEL, "Keep the answers that the output has, and ask the rest.", "--resume"),
    ] = False
    unordered: Annotated[
        bool,
        flag(_PANEL, "Write each line as soon as it is there.", "--unordered"),
    ] = False
    concurrency: Annotated[
        int,
        flag(
            _PANEL, "Questions at a time.", "--concurrency", "-j", metavar="N", minimum=1, show_default=True
        ),
    ] = 8
    input_format: Annotated[
        Literal["txt", "jsonl", "csv"] | None,
        flag(_PANEL, "Form of the questions, where the file's name does not tell.", "--input-format"),
    ] = None
    fields: Annotated[
        str | None,
        flag(_PANEL, "Only these parts of each answer.", "--fields", metavar="A,B.C"),
    ] = None
    quiet: Annotated[
        bool,
        flag(_PANEL, "Nothing on stderr but errors.", "--quiet", "-q"),
    ] = False
    verbose: Annotated[
        bool,
        flag(_PANEL, "Say each question that ended.", "--verbose", "-v"),
    ] = False
    debug: Annotated[
        bool,
        flag(_PANEL, "A traceback when something unexpected happens.", "--debug"),
    ] = False


def run_batch_command(file: Path, flags: BatchFlags, options: ManyOptions) -> int:
    """Asks, writes, and returns the exit status: 0 when every question was answered or has no data, else 6.

    Raises ``PartialError`` when a limit left questions unasked.
    """
    from graphrag_cli.batch.run import Batch
    from graphrag_cli.batch.summary import Tally
    from graphrag_cli.cli.asking.many import Many, ask_many
    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.cli.terminal.sink import Sink, refuse_same_file

    refuse_same_file(
        {
            "--record": options.models.record,
            "--replay": options.models.replay,
            "--output": flags.output,
            "the questions": None if str(file) == "-" else file,
        }
    )
    questions = _read(file, flags)
    kept = _kept(flags, questions)
    done = {line.id for line in kept}
    rest = [question for question in questions if question.id not in done]
    batch = Batch(rest, flags.concurrency, _fields(flags), asked_for(options.retrieval, stream=False))
    tally = Tally(len(rest), len(kept))
    with Sink(None if _resumable(flags) else flags.output) as sink:
        writer = _writer(flags, [question.id for question in questions], kept, sink)
        consoles = open_consoles(quiet=flags.quiet, verbose=flags.verbose)
        limit = ask_many(Many(batch, writer, tally, consoles, flags.debug), options)
    if limit is not None:
        go_on = ", and go on with --resume" if _resumable(flags) else ""
        raise PartialError(f"not every question was asked: {limit.message}", hint=f"{limit.hint}{go_on}")
    return 0 if tally.whole else PartialError.exit_code


def _read(file: Path, flags: BatchFlags) -> list[BatchQuestion]:
    from graphrag_cli.batch.questions import form_of, read_questions

    form = flags.input_format or form_of(file.name)
    piped = str(file) == "-"
    text = read_stdin() if piped else read_file(file, hint="name a UTF-8 file of questions, or - for stdin")
    return read_questions(text, form, flags.method)


def _resumable(flags: BatchFlags) -> bool:
    """True when lines go to a file that can be read again; not for stdout, a device or a pipe."""
    from graphrag_cli.cli.terminal.sink import is_stream

    return flags.output is not None and not is_stream(flags.output)


def _kept(flags: BatchFlags, questions: Sequence[BatchQuestion]) -> list[Done]:
    from graphrag_cli.batch.journal import read_kept, waiting_path

    if flags.output is None or not _resumable(flags):
        if flags.resume:
            raise UsageError("--resume needs a file to go on with", hint="name one with -o")
        return []
    if flags.output.is_dir():
        raise UsageError(f"cannot write {flags.output}: it is a folder", hint="name a file with -o")
    begun = any(path.exists() and path.stat().st_size for path in (flags.output, waiting_path(flags.output)))
    if begun and not flags.resume:
        raise UsageError(
            f"{flags.output} is there already", hint="--resume goes on with it; or name another with -o"
        )
    return read_kept(flags.output, questions)


def _writer(flags: BatchFlags, ids: Sequence[str], kept: Sequence[Done], sink: Sink) -> Writer:
    from graphrag_cli.batch.journal import FileWriter, StreamWriter

    order = None if flags.unordered else ids
    if flags.output is None or not _resumable(flags):
        return StreamWriter(sink.write, order)
    return FileWriter(flags.output, order, kept)


def _fields(flags: BatchFlags) -> Sequence[str] | None:
    from graphrag_cli.documents.fields import check_fields, parse_fields

    if flags.fields is None:
        return None
    check_fields(flags.fields, "jsonl")
    return parse_fields(flags.fields)
