"""The outcome as a JUnit report: a suite per method, a test case per question."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_cli.evaluate.score import Score

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(scores: Sequence[Score]) -> str:
    """The report as XML text."""
    root = ET.Element("testsuites", name="graphrag-cli check-answers")
    for method in dict.fromkeys(score.case.method for score in scores):
        chosen = [score for score in scores if score.case.method == method]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=method,
            tests=str(len(chosen)),
            failures=str(sum(not score.passed for score in chosen)),
            time=f"{sum(score.seconds for score in chosen):.3f}",
        )
        for score in chosen:
            _case(suite, score)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, score: Score) -> None:
    name = _text(f"{score.case.id}: {score.case.question}")
    case = ET.SubElement(
        suite, "testcase", classname=f"graphrag.{score.case.method}", name=name, time=f"{score.seconds:.3f}"
    )
    if score.faults:
        failure = ET.SubElement(case, "failure", message=_text(score.faults[0]))
        failure.text = _text("\n".join(score.faults))


def _text(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
