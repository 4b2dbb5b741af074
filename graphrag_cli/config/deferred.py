"""Values that cannot be had yet: variables that are not set, placeholders that nobody filled in.

Such a value becomes ``Missing`` and travels with its key through every renaming; only a run that needs the key
fails because of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_cli.config.leaves import Key, Leaf, Leaves, dotted
from graphrag_cli.config.loaded import Unresolved
from graphrag_cli.config.variables import fill_value

UNFILLED = ("timestamp",)
"""0.x put ``${timestamp}`` into folder names itself: no variable of the environment."""

_ANGLED = re.compile(r"^<[^<>]*>$")
_ANGLED_INSIDE = re.compile(r"<[A-Za-z][^<>]*>")
_STAND_IN = re.compile(
    r"^(?:your|insert|enter|replace|put)[-_ ].*|^(?:change[-_ ]?me|todo|xxx+|\.\.\.|sk-(?:\.+|x+|your.*)|api[-_ ]?key)$",
    re.IGNORECASE,
)
MODEL_SECTIONS = frozenset({"llm", "embeddings", "models", "completion_models", "embedding_models"})


@dataclass(frozen=True, slots=True)
class Missing:
    """In place of a value: what is wrong with it."""

    text: str
    hint: str

    def __str__(self) -> str:
        return ""


def fill_leaves(leaves: Mapping[Key, Leaf], variables: Mapping[str, str]) -> Leaves:
    """``leaves`` with variables filled; ``Missing`` in place of what could not be, and of placeholders."""
    known = {**{name: f"${{{name}}}" for name in UNFILLED}, **variables}
    return {key: Leaf(_filled(key, leaf, known), leaf.origin) for key, leaf in leaves.items()}


def _filled(key: Key, leaf: Leaf, variables: Mapping[str, str]) -> object:
    filled = fill_value(leaf.value, variables)
    name = f"{leaf.origin}: {dotted(key)}"
    if filled.missing:
        variable = filled.missing[0]
        return Missing(
            f"{name} needs the variable {variable}, which is not set",
            f"set {variable} in the environment or in the .env file beside the settings, "
            f"or give a default: ${{{variable}:-…}}",
        )
    if is_placeholder(key, filled.value):
        return Missing(
            f"{name} still holds a placeholder{_in_variable(filled.used)}",
            "put the real value in its place"
            + (f" where {filled.used[0]} is set (the environment, or .env)" if filled.used else ""),
        )
    if key[-1] == "api_key" and isinstance(filled.value, str) and not filled.value.strip():
        return Missing(
            f"{name} is empty{_in_variable(filled.used)}",
            f"set {filled.used[0]} to the key" if filled.used else "give the key, best as ${VARIABLE}",
        )
    return filled.value.strip() if key[-1] == "api_key" and isinstance(filled.value, str) else filled.value


def _in_variable(used: tuple[str, ...]) -> str:
    return f" (from the variable {used[0]})" if used else ""


def is_placeholder(key: Key, value: object) -> bool:
    """True for ``<API_KEY>``, ``https://<instance>.openai.azure.com`` and the like, where a model is described."""
    if not isinstance(value, str) or key[0] not in MODEL_SECTIONS:
        return False
    if key[-1] == "api_key":
        return bool(_ANGLED_INSIDE.search(value) or _ANGLED.match(value) or _STAND_IN.match(value.strip()))
    return bool(_ANGLED.match(value)) or (
        key[-1] in ("api_base", "proxy") and bool(_ANGLED_INSIDE.search(value))
    )


def take_missing(leaves: Leaves) -> dict[Key, Unresolved]:
    """Removes the values that are ``Missing`` from ``leaves``, and gives what is wrong with each."""
    found = {key: leaf.value for key, leaf in leaves.items() if isinstance(leaf.value, Missing)}
    for key in found:
        del leaves[key]
    return {key: Unresolved(dotted(key), missing.text, missing.hint) for key, missing in found.items()}
