"""``GRAPHRAG_CLI__SECTION__KEY``: settings from the environment and from ``.env``.

pydantic-settings takes the names apart and reads the values. It is imported only when such a variable is set,
since it costs as much as reading the settings does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from graphrag_cli.config.leaves import Key, Leaf, Leaves, flatten
from graphrag_cli.config.loaded import Finding, Origin, OriginKind
from graphrag_cli.config.schema import nearest
from graphrag_cli.config.settings import Settings
from graphrag_cli.errors import SettingsError

PREFIX = "GRAPHRAG_CLI__"
DELIMITER = "__"


def read_dotenv(folder: Path) -> dict[str, str]:
    """The variables of ``.env`` in ``folder``; none when there is no such file. ``os.environ`` is not touched.

    Raises ``SettingsError`` when it cannot be read.
    """
    path = folder / ".env"
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    try:
        values = dotenv_values(path, encoding="utf-8-sig", interpolate=False)
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8", hint="save the file as UTF-8") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    return {name: value for name, value in values.items() if value is not None}


def environment() -> dict[str, str]:
    """A copy of the process's variables."""
    return dict(os.environ)


def settings_in(variables: Mapping[str, str], kind: OriginKind) -> tuple[Leaves, list[Finding]]:
    """The settings that ``variables`` give, and what is wrong with the names. Raises ``SettingsError``."""
    ours = {name: value for name, value in variables.items() if name.upper().startswith(PREFIX)}
    if not ours:
        return {}, []
    names = {_key(name): name for name in ours}
    leaves: Leaves = {}
    for key, leaf in flatten(_exploded(ours), Origin(kind)):
        variable = next((names[key[:size]] for size in range(len(key), 0, -1) if key[:size] in names), "")
        leaves[key] = Leaf(leaf.value, Origin(kind, variable))
    return leaves, [finding for key, name in names.items() for finding in _unknown_section(key, name)]


def _key(name: str) -> Key:
    return tuple(name[len(PREFIX) :].lower().split(DELIMITER))


def _unknown_section(key: Key, name: str) -> list[Finding]:
    if key[0] in Settings.model_fields and key[0] != "root":
        return []
    text = f"{name} in the environment names no setting{nearest(key[0], Settings.model_fields)}"
    return [Finding("warning", "settings.unknown", ".".join(key), text, f"names are {PREFIX}SECTION__KEY")]


def _exploded(variables: Mapping[str, str]) -> dict[str, object]:
    from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict
    from pydantic_settings import SettingsError as BadValue

    class Tree(Settings, BaseSettings):
        model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter=DELIMITER)

    source = EnvSettingsSource(Tree)
    source.env_vars = {name.lower(): value for name, value in variables.items()}
    try:
        tree = source()
    except BadValue as error:
        raise SettingsError(
            f"the environment: {error}",
            hint="a section or a list is given as JSON, a single key as plain text",
        ) from None
    tree.pop("root", None)
    return tree
