"""What a check found, in the one form that every check of ours prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphrag_cli.cli.terminal.plain import plain_line

if TYPE_CHECKING:
    from graphrag_cli.cli.terminal.console import Consoles
    from graphrag_cli.documents.report_shapes import CheckShape

Severity: TypeAlias = Literal["ok", "info", "warning", "error"]
_STYLES: dict[Severity, str] = {"ok": "green", "info": "", "warning": "yellow", "error": "red"}


@dataclass(frozen=True, slots=True)
class Found:
    """One finding: ``area`` is what was looked at, ``subject`` the key, file or table."""

    severity: Severity
    area: str
    code: str
    subject: str
    text: str
    hint: str | None = None


def count(found: Iterable[Found], severity: Severity) -> int:
    """How many are of that severity."""
    return sum(finding.severity == severity for finding in found)


def show_findings(found: Sequence[Found], form: Literal["text", "json"]) -> None:
    """Prints the findings on stdout in the form asked for."""
    from graphrag_cli.cli.terminal.console import open_consoles
    from graphrag_cli.documents.strict import dumps

    consoles = open_consoles()
    if form == "json":
        consoles.out.file.write(dumps(check_document(found)) + "\n")
    else:
        print_findings(consoles, found)


def print_findings(consoles: Consoles, found: Sequence[Found]) -> None:
    """On stdout: a line for what is wrong, a line for what to do, and a summary."""
    from rich.text import Text

    from graphrag_cli.cli.terminal.console import print_prose

    signs = {
        "ok": consoles.symbols.done,
        "info": consoles.symbols.bullet,
        "warning": "!",
        "error": consoles.symbols.failed,
    }
    for finding in found:
        line = Text(f"{signs[finding.severity]} ", style=_STYLES[finding.severity])
        line.append(f"{finding.area}: ", style="bold")
        line.append(plain_line(finding.text), style="")
        line.append(f"  [{finding.code}]", style="dim")
        print_prose(consoles.out, line, hang=2)
        if finding.hint:
            print_prose(consoles.out, f"  {plain_line(finding.hint)}", style="dim")
    consoles.out.print(summary(found))


def summary(found: Sequence[Found]) -> str:
    """``2 errors, 1 warning``, or that all is well."""
    parts = [
        f"{number} {noun}{'s' if number != 1 else ''}"
        for number, noun in ((count(found, "error"), "error"), (count(found, "warning"), "warning"))
        if number
    ]
    return ", ".join(parts) or "all is well"


def check_document(found: Sequence[Found]) -> CheckShape:
    """The findings for programs."""
    from graphrag_cli.documents.report_shapes import CHECK_SCHEMA

    return {
        "schema": CHECK_SCHEMA,
        "errors": count(found, "error"),
        "warnings": count(found, "warning"),
        "findings": [
            {
                "severity": finding.severity,
                "area": finding.area,
                "code": finding.code,
                "subject": finding.subject,
                "text": finding.text,
                "hint": finding.hint,
            }
            for finding in found
        ],
    }
