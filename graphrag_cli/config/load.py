"""From files, environment and flags to one frozen ``Settings``, with the origin of every value.

    settings.yaml ─► document ─┐
    .env, environment ─────────┼─► variables ─► spelling ─► entries ─► validation ─► Settings
    --set, --data ─────────────┘

Everything in between are leaves: single values by key, each with its origin. Stronger origins win:
flag > --set > environment > .env > file > default.
"""

from __future__ import annotations

from graphrag_cli.config.data_folders import move_data
from graphrag_cli.config.deferred import fill_leaves, take_missing
from graphrag_cli.config.discovery import find_settings
from graphrag_cli.config.document import parse_value, read_document
from graphrag_cli.config.entries import complete_entries
from graphrag_cli.config.environment import environment, read_dotenv, settings_in
from graphrag_cli.config.leaves import Leaves, dotted, flatten, put, undotted
from graphrag_cli.config.loaded import Finding, Loaded, Origin, Unresolved, Where
from graphrag_cli.config.old_environment import fill_from_old_environment
from graphrag_cli.config.spelling import release_of, respell
from graphrag_cli.config.validation import drop_unknown, fit_shares, normalise, validate
from graphrag_cli.config.variables import Variables
from graphrag_cli.errors import SettingsError

__all__ = ["Finding", "Loaded", "Origin", "Unresolved", "Where", "load"]


def load(where: Where) -> Loaded:
    """Reads the settings of the project at ``where``.

    Raises ``SettingsError`` when there are none, when they cannot be read, or when a value is not allowed. Values
    that are missing (a variable that is not set, a placeholder) are in ``Loaded.unresolved`` instead.
    """
    found = find_settings(where)
    root = found.path.parent
    variables = Variables(environment(), read_dotenv(root))

    written = read_document(found.path)
    release = release_of(written)
    if release == "1":
        fill_from_old_environment(written, variables)
    leaves = fill_leaves(written, variables.all)
    from_dotenv, odd_in_dotenv = settings_in(variables.dotenv, "dotenv")
    from_process, odd_in_process = settings_in(variables.process, "environment")
    for layer in (from_dotenv, from_process, fill_leaves(_overrides(where.overrides), variables.all)):
        for key, leaf in layer.items():
            put(leaves, key, leaf)

    rewriter = respell(leaves, release)
    leaves = rewriter.leaves
    problems = take_missing(leaves)
    complete_entries(leaves, problems, variables, found.path.name)
    unknown = drop_unknown(leaves)
    normalise(leaves, root)
    fit_shares(leaves)
    move_data(leaves, where.data)
    settings = validate(leaves, root)
    return Loaded(
        settings,
        found.path,
        {dotted(key): leaf.origin for key, leaf in leaves.items() if leaf.origin.kind != "default"},
        (*found.findings, *unknown, *odd_in_dotenv, *odd_in_process),
        {problem.key: problem for problem in problems.values()},
        tuple(rewriter.remarks),
    )


def _overrides(overrides: tuple[str, ...]) -> Leaves:
    """``key=value`` of ``--set``; the value is typed as YAML types it."""
    leaves: Leaves = {}
    for text in overrides:
        name, equals, value = text.partition("=")
        key = undotted(name.strip())
        if not equals or not key:
            raise SettingsError(
                f"--set {name}: not of the form key=value",
                hint="for example: --set local_search.top_k_entities=20",
            )
        try:
            parsed = parse_value(value)
        except ValueError as error:
            raise SettingsError(f"--set {name}: the value is {error}", hint="put text in quotes") from None
        for inner, leaf in flatten(parsed, Origin("set", name.strip()), key):
            put(leaves, inner, leaf)
    return leaves
