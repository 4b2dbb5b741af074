"""From the flags of ``check-answers`` to scores, a report and an exit status."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Self, cast

from graphrag_cli.cli.flags.single import ReportFormat, flag
from graphrag_cli.cli.flags.values import asked_for
from graphrag_cli.cli.terminal.source import read_file
from graphrag_cli.errors import PartialError, UsageError
from graphrag_cli.events import Method

if TYPE_CHECKING:
    from graphrag_cli.batch.line import Done
    from graphrag_cli.cli.flags.groups import ManyOptions
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.documents.shapes import BatchShape
    from graphrag_cli.evaluate.cases import Case
    from graphrag_cli.evaluate.score import Score

_PANEL = "Check"
_READABLE = "name a UTF-8 file"
NEEDED = frozenset({"status", "answer", "citations", "context"})
"""Parts of an answer that are scored."""


@dataclass(frozen=True, slots=True)
class CheckFlags:
    """What only ``check-answers`` takes."""

    method: Annotated[
        Method,
        flag(_PANEL, "Method of cases that name none.", "--method", "-m", show_default=True),
    ] = "local"
    answers: Annotated[
        Path | None,
        flag(_PANEL, "Check this output of batch instead of asking.", "--answers", metavar="FILE"),
    ] = None
    junit: Annotated[Path | None, flag(_PANEL, "Write a JUnit report there.", "--junit", metavar="FILE")] = (
        None
    )
    min_pass: Annotated[
        float,
        flag(
            _PANEL,
            "Share of the cases that must pass.",
            "--min-pass",
            metavar="SHARE",
            minimum=0,
            show_default=True,
        ),
    ] = 1.0
    concurrency: Annotated[
        int,
        flag(
            _PANEL, "Questions at a time.", "--concurrency", "-j", metavar="N", minimum=1, show_default=True
        ),
    ] = 8
    format: Annotated[
        ReportFormat,
        flag(_PANEL, "text for people, or one json document.", "--format", "-f", show_default=True),
    ] = "text"
    quiet: Annotated[bool, flag(_PANEL, "Nothing on stderr but errors.", "--quiet", "-q")] = False
    debug: Annotated[bool, flag(_PANEL, "A traceback when something unexpected happens.", "--debug")] = False


def run_check(file: Path, flags: CheckFlags, options: ManyOptions) -> int:
    """Asks or reads, scores, prints; the exit status."""
    from graphrag_cli.cli.asking.scores import print_scores, scores_document
    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.documents.strict import dump_line

    if flags.min_pass > 1:
        raise UsageError(f"--min-pass {flags.min_pass:g} is more than all", hint="a share, such as 0.8")
    cases = _read_cases(file, flags)
    consoles = open_consoles(quiet=flags.quiet)
    if flags.answers is None:
        lines, missing = _ask(cases, flags, options, consoles)
    else:
        lines, missing = _read_answers(flags.answers), "not among the answers"
    scores = [_score(case, lines.get(case.id), missing) for case in cases]
    if flags.junit is not None:
        _write_junit(scores, flags.junit)
    if flags.format == "json":
        consoles.out.file.write(dump_line(scores_document(scores)))
    else:
        print_scores(scores, consoles)
    share = sum(score.passed for score in scores) / len(scores)
    return 0 if share >= flags.min_pass else PartialError.exit_code


def _read_cases(file: Path, flags: CheckFlags) -> list[Case]:
    from graphrag_cli.evaluate.cases import read_cases

    return read_cases(
        read_file(file, hint=_READABLE), yaml=file.suffix in {".yaml", ".yml"}, method=flags.method
    )


def _read_answers(file: Path) -> dict[str, BatchShape]:
    """Lines of ``batch`` by id. Raises ``UsageError`` for anything else: what is not read would count as not answered."""
    from graphrag_cli.batch.line import parse_line

    found: dict[str, BatchShape] = {}
    for number, text in enumerate(read_file(file, hint=_READABLE).split("\n"), start=1):
        if not text:
            continue
        document = parse_line(f"{text}\n")
        if document is None:
            raise UsageError(
                f"line {number} of {file} is no line of a batch", hint="name a file that batch -o wrote"
            )
        line = cast("BatchShape", document)
        if line["answer"] is not None and not line["answer"].keys() >= NEEDED:
            raise UsageError(
                f"line {number} of {file} holds a part of its answer only",
                hint=f"write the batch without --fields, or with --fields {','.join(sorted(NEEDED))}",
            )
        found[line["id"]] = line
    return found


def _ask(
    cases: Sequence[Case], flags: CheckFlags, options: ManyOptions, consoles: Consoles
) -> tuple[dict[str, BatchShape], str]:
    """Lines by id, and why a case may have none."""
    from graphrag_cli.batch.questions import BatchQuestion
    from graphrag_cli.batch.run import Batch
    from graphrag_cli.batch.summary import Tally
    from graphrag_cli.cli.asking.many import Many, ask_many

    questions = [
        BatchQuestion(number, case.id, case.question, case.method)
        for number, case in enumerate(cases, start=1)
    ]
    batch = Batch(questions, flags.concurrency, prepare=asked_for(options.retrieval, stream=False))
    lines = _Lines()
    limit = ask_many(Many(batch, lines, Tally(len(questions)), consoles, flags.debug), options)
    return lines.by_id, "" if limit is None else limit.message


class _Lines:
    """A writer that keeps the lines."""

    def __init__(self) -> None:
        self.by_id: dict[str, BatchShape] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def write(self, done: Done) -> None:
        self.by_id[done.id] = json.loads(done.text)


def _score(case: Case, line: BatchShape | None, missing: str) -> Score:
    from graphrag_cli.evaluate.score import score

    if line is None:
        return score(case, None, missing, 0.0)
    error = line["error"]
    return score(case, line["answer"], None if error is None else error["message"], line["seconds"] or 0.0)


def _write_junit(scores: Sequence[Score], file: Path) -> None:
    from graphrag_cli.cli.terminal.sink import Sink
    from graphrag_cli.evaluate.junit import junit

    with Sink(file) as sink:
        sink.write(junit(scores))
