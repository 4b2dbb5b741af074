"""The SDK works the same and loads less."""

from __future__ import annotations

import subprocess
import sys

import pytest

from graphrag_cli.llm.endpoints.lean import imported_names

OPENED = """
import sys
from graphrag_cli.llm.endpoints.lean import members_on_demand
with members_on_demand():
    import openai
"""


def printed(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_few_modules_of_types_are_loaded() -> None:
    code = "print(sum(name.startswith('openai.types.') for name in sys.modules))"
    assert int(printed(OPENED + code)) < 60
    assert int(printed("import sys, openai\n" + code)) > 300


def test_types_are_there_when_asked_for() -> None:
    code = """
from openai.types import Embedding, responses
from openai.types.chat import ChatCompletion
reply = ChatCompletion.model_validate({
    "id": "1", "object": "chat.completion", "created": 0, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"}}],
})
print(reply.choices[0].message.content, Embedding.__name__, responses.Response.__name__, openai.types.Batch.__name__)
"""
    assert printed(OPENED + code) == "yes Embedding Response Batch"


def test_what_is_not_there_is_an_attribute_error() -> None:
    assert printed(OPENED + "print(hasattr(openai.types, 'Nothing'))") == "False"


def test_the_import_system_is_as_before() -> None:
    assert (
        printed("import sys\nbefore = list(sys.meta_path)" + OPENED + "print(sys.meta_path == before)")
        == "True"
    )


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from .a import B as C, D", {"C": (".a", "B"), "D": (".a", "D")}),
        ('"""Text."""\nfrom __future__ import annotations\nfrom .a.b import C', {"C": (".a.b", "C")}),
        ("from .a import *", None),
        ("from ..a import B", None),
        ("import os", None),
        ("X = 1", None),
    ],
)
def test_only_packages_that_do_nothing_else_are_deferred(
    source: str, names: dict[str, tuple[str, str]] | None
) -> None:
    assert imported_names(source) == names
