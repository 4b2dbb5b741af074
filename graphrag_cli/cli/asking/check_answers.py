"""From the flags of ``check-answers`` to scores, a report and an exit status."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Literal, Self, cast

from graphrag_cli.cli.flags.single import ReportFormat, flag
from graphrag_cli.cli.flags.values import asked_for, run_options, where_of
from graphrag_cli.errors import PartialError, UsageError

if TYPE_CHECKING:
    from graphrag_cli.batch.line import Done
    from graphrag_cli.batch.run import Batch
    from graphrag_cli.cli.flags.groups import LimitOptions, ModelOptions, RetrievalOptions, WhereOptions
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.documents.report_shapes import AnswerCheckShape
    from graphrag_cli.documents.shapes import BatchShape
    from graphrag_cli.evaluate.cases import Case
    from graphrag_cli.evaluate.score import Score
    from graphrag_cli.project import Project

_PANEL = "Check"


@dataclass(frozen=True, slots=True)
class CheckFlags:
    """What only ``check-answers`` takes."""

    method: Annotated[
        Literal["local", "global", "drift", "basic"],
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


def run_check(
    file: Path,
    flags: CheckFlags,
    where: WhereOptions,
    retrieval: RetrievalOptions,
    limits: LimitOptions,
    models: ModelOptions,
) -> int:
    """Asks or reads, scores, prints; the exit status."""
    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.evaluate.junit import junit

    cases = _read_cases(file, flags)
    consoles = open_consoles(quiet=flags.quiet)
    lines = (
        _read_answers(flags.answers)
        if flags.answers
        else _ask(cases, flags, consoles, (where, retrieval, limits, models))
    )
    scores = [_score(case, lines.get(case.id)) for case in cases]
    if flags.junit is not None:
        from graphrag_cli.cli.terminal.sink import Sink

        with Sink(flags.junit) as sink:
            sink.write(junit(scores))
    _print(scores, flags, consoles)
    share = sum(score.passed for score in scores) / len(scores)
    return 0 if share >= flags.min_pass else PartialError.exit_code


def _read_cases(file: Path, flags: CheckFlags) -> list[Case]:
    from graphrag_cli.evaluate.cases import read_cases

    return read_cases(_read(file), yaml=file.suffix in {".yaml", ".yml"}, method=flags.method)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}", hint="name a UTF-8 file") from error


def _read_answers(file: Path) -> dict[str, BatchShape]:
    from graphrag_cli.batch.line import parse_line

    documents = [parse_line(f"{line}\n") for line in _read(file).split("\n") if line]
    return {
        str(document["id"]): cast("BatchShape", document) for document in documents if document is not None
    }


def _ask(
    cases: Sequence[Case],
    flags: CheckFlags,
    consoles: Consoles,
    options: tuple[WhereOptions, RetrievalOptions, LimitOptions, ModelOptions],
) -> dict[str, BatchShape]:
    import asyncio

    from graphrag_cli.batch.questions import BatchQuestion
    from graphrag_cli.batch.run import Batch
    from graphrag_cli.project import Project

    where, retrieval, limits, models = options
    questions = [
        BatchQuestion(number, case.id, case.question, case.method)
        for number, case in enumerate(cases, start=1)
    ]
    batch = Batch(
        questions,
        flags.concurrency,
        prepare=lambda question: asked_for(question, retrieval, limits, stream=False),
    )
    project = Project.open(where_of(where), run_options(models, stream=False))
    lines = _Lines()
    asyncio.run(_run(project, batch, lines, consoles))
    return lines.by_id


async def _run(project: Project, batch: Batch, lines: _Lines, consoles: Consoles) -> None:
    from graphrag_cli.batch.run import open_engines, run_batch
    from graphrag_cli.batch.summary import Tally
    from graphrag_cli.cli.render.batch import BatchView

    try:
        open_engines(project, batch.questions)
        view = BatchView(consoles, Tally(len(batch.questions)))
        try:
            await run_batch(project, batch, lines, view.tell)
        finally:
            view.close()
    finally:
        await project.aclose()


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


def _score(case: Case, line: BatchShape | None) -> Score:
    from graphrag_cli.evaluate.score import score

    if line is None:
        return score(case, None, "not among the answers", 0.0)
    error = line["error"]
    return score(case, line["answer"], None if error is None else error["message"], line["seconds"] or 0.0)


def _print(scores: Sequence[Score], flags: CheckFlags, consoles: Consoles) -> None:
    from graphrag_cli.cli.terminal.console import print_prose
    from graphrag_cli.cli.terminal.plain import plain_line
    from graphrag_cli.cli.terminal.tables import print_table
    from graphrag_cli.documents.strict import dumps
    from graphrag_cli.evaluate.score import totals

    if flags.format == "json":
        consoles.out.file.write(dumps(_document(scores)) + "\n")
        return
    for one in scores:
        if not one.passed:
            asked = f"{consoles.symbols.failed} {one.case.id}: {plain_line(one.case.question)}"
            print_prose(consoles.out, asked, hang=2)
            for fault in one.faults:
                print_prose(consoles.out, f"    {plain_line(fault)}")
    rows = [
        [total.name, f"{total.passed} of {total.cases}", _percent(total.recall), _percent(total.precision), _percent(total.resolved), _percent(total.outcomes_right)]
        for total in totals(scores)
    ]  # fmt: skip
    headers = [
        "method",
        "passed",
        "expected retrieved",
        "cited were expected",
        "citations resolve",
        "status right",
    ]
    print_table(consoles.out, headers, rows)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _document(scores: Sequence[Score]) -> AnswerCheckShape:
    from graphrag_cli.documents.report_shapes import ANSWER_CHECK_SCHEMA
    from graphrag_cli.evaluate.score import totals

    return {
        "schema": ANSWER_CHECK_SCHEMA,
        "cases": [
            {
                "id": one.case.id,
                "method": one.case.method,
                "question": one.case.question,
                "passed": one.passed,
                "faults": list(one.faults),
                "recall": one.recall,
                "precision": one.precision,
                "resolved": one.resolved,
                "outcome_right": one.outcome_right,
                "seconds": one.seconds,
            }
            for one in scores
        ],
        "totals": [
            {
                "name": total.name,
                "cases": total.cases,
                "passed": total.passed,
                "recall": total.recall,
                "precision": total.precision,
                "resolved": total.resolved,
                "outcomes_right": total.outcomes_right,
            }
            for total in totals(scores)
        ],
    }
