"""Groups of options become flags and come back as groups."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer

from graphrag_cli.cli.flags import groups
from graphrag_cli.cli.flags.flat import flat
from tests.cli.conftest import Shell


@dataclass(frozen=True)
class Inner:
    depth: Annotated[int, typer.Option()] = 3


@dataclass(frozen=True)
class Outer:
    inner: Inner
    names: Annotated[list[str], typer.Option()] = field(default_factory=list[str])


def test_every_field_is_a_parameter() -> None:
    @flat
    def command(question: str, outer: Outer) -> None: ...

    parameters = inspect.signature(command).parameters
    assert list(parameters) == ["question", "depth", "names"]
    assert (parameters["depth"].default, parameters["names"].default) == (3, [])


def test_a_call_puts_the_groups_together() -> None:
    seen: list[object] = []

    @flat
    def command(question: str, outer: Outer) -> None:
        seen.extend([question, outer])

    command(question="q", depth=5, names=["a"])
    assert seen == ["q", Outer(Inner(5), ["a"])]


def test_two_groups_that_share_a_flag_are_refused() -> None:
    def command(outer: Outer, inner: Inner) -> None: ...

    with pytest.raises(TypeError, match="depth twice"):
        flat(command)


def test_no_flag_is_declared_twice() -> None:
    """A short or long name means the same in every command."""
    owners: dict[str, str] = {}
    for group in (
        groups.WhereOptions,
        groups.OutputOptions,
        groups.RetrievalOptions,
        groups.NarrowingOptions,
        groups.EntityOptions,
        groups.LimitOptions,
        groups.InspectOptions,
    ):
        for name, hint in inspect.get_annotations(group, eval_str=True).items():
            for flag in "/".join([hint.__metadata__[0].default, *hint.__metadata__[0].param_decls]).split(
                "/"
            ):
                assert flag not in owners, f"{flag} of {name} is also {owners[flag]}"
                owners[flag] = name


def test_the_root_alone_prints_its_help(shell: Shell) -> None:
    done = shell.run()
    assert done.status == 0
    assert done.out == shell.run("--help").out
