"""Fills ``${VAR}`` in string values, after the file is parsed, so that no value can break or change the file.

``${VAR}`` and ``${VAR:-default}`` (also where VAR is empty); ``$VAR`` where such a variable exists or is all there
is; ``$$`` is a dollar, and so is a ``$`` that starts none of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from graphrag_cli.config.loaded import Origin

_VARIABLE = re.compile(
    r"""\$(?:
        (?P<dollar>\$)
      | \{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)(?P<default>:-[^}]*)?\}
      | (?P<bare>[A-Za-z_][A-Za-z0-9_]*)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables that settings may name: those of the process, and those of ``.env`` which it does not have."""

    process: Mapping[str, str]
    dotenv: Mapping[str, str]

    @property
    def all(self) -> dict[str, str]:
        """Every variable with the value that holds."""
        return {**self.dotenv, **self.process}

    def get(self, name: str) -> str:
        """The value of a variable; empty when it is not set."""
        return self.process.get(name, self.dotenv.get(name, ""))

    def origin(self, name: str) -> Origin:
        """Where its value comes from."""
        return Origin("environment" if name in self.process else "dotenv", name)


@dataclass(frozen=True, slots=True)
class Filled:
    """A value with its variables filled, and the names of those that are not set."""

    value: object
    missing: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    """Names of the variables that went in."""


def fill_text(text: str, variables: Mapping[str, str]) -> Filled:
    """``text`` with its variables filled. What is filled in is not looked at again."""
    if "$" not in text:
        return Filled(text)
    missing: list[str] = []
    used: list[str] = []

    def replace(found: re.Match[str]) -> str:
        if found["dollar"]:
            return "$"
        name = cast("str", found["braced"] or found["bare"])
        default = cast("str | None", found["default"])
        if variables.get(name) or (name in variables and default is None):
            used.append(name)
            return variables[name]
        if default is not None:
            return default[2:]
        if found["braced"] or found[0] == text:
            missing.append(name)
        return found[0]

    return Filled(_VARIABLE.sub(replace, text), tuple(missing), tuple(used))


def fill_value(value: object, variables: Mapping[str, str]) -> Filled:
    """Any value with the variables in its strings filled, in lists and mappings too."""
    if isinstance(value, str):
        return fill_text(value, variables)
    if isinstance(value, list):
        parts = [fill_value(item, variables) for item in cast("list[object]", value)]
        return _joined([part.value for part in parts], parts)
    if isinstance(value, dict):
        items = cast("dict[object, object]", value)
        parts = [fill_value(item, variables) for item in items.values()]
        return _joined(dict(zip(items, (part.value for part in parts), strict=True)), parts)
    return Filled(value)


def _joined(value: object, parts: list[Filled]) -> Filled:
    return Filled(
        value,
        tuple(name for part in parts for name in part.missing),
        tuple(name for part in parts for name in part.used),
    )
