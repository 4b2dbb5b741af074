"""Reads a settings file into leaves that know their line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml

from graphrag_cli.config.leaves import Key, Leaf, Leaves, below, dotted
from graphrag_cli.config.loaded import Origin
from graphrag_cli.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from yaml.nodes import MappingNode, Node, SequenceNode

MOST_LEAVES = 20_000
"""A file whose anchors unfold to more values than this is no settings file."""

_Base: type[yaml.SafeLoader] = cast("type[yaml.SafeLoader]", getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class _Loader(_Base):
    """YAML as settings mean it: a date stays the text it was written as (``api_version: 2024-10-21``)."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the shape that the base class declares
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_document(path: Path) -> Leaves:
    """The values of the file at ``path``. Raises ``SettingsError`` naming file, line and column."""
    text = _read_text(path)
    if path.suffix == ".json":
        text = text.replace("\t", " ")
    return _Reader(path.name).leaves(text)


def parse_value(text: str) -> object:
    """One value as YAML types it: ``0.5`` is a number, ``true`` a truth value, ``[a, b]`` a list.

    Raises ``ValueError`` when ``text`` is no YAML.
    """
    try:
        return cast("object", yaml.load(text, Loader=_Loader))
    except yaml.YAMLError as error:
        raise ValueError(_problem(error)) from None


def _read_text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except IsADirectoryError:
        raise SettingsError(f"{path} is a folder, not a settings file", hint="name the file itself") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(
            f"{path}:{line}: not UTF-8 (byte 0x{error.object[error.start]:02x})",
            hint="save the file as UTF-8",
        ) from None
    except FileNotFoundError:
        raise SettingsError(f"{path} does not exist", hint="correct the path given with --config") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    return text


class _Reader:
    """Walks the nodes of one document."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._leaves: Leaves = {}
        self._open: set[int] = set()

    def leaves(self, text: str) -> Leaves:
        try:
            loader = _Loader(text)
            try:
                root = loader.get_single_node()
                if root is None:
                    raise SettingsError(
                        f"{self._name} is empty", hint="write settings with `graphrag-cli init DIR`"
                    )
                if not isinstance(root, yaml.MappingNode):
                    raise SettingsError(
                        f"{self._place(root)}: the file holds a {_kind(root)} where `key: value` lines were expected"
                    )
                self._walk(loader, root, ())
            finally:
                loader.dispose()
        except RecursionError:
            raise SettingsError(f"{self._name} is nested too deeply") from None
        except yaml.YAMLError as error:
            raise SettingsError(f"{self._name}{_where(error)}: {_problem(error)}", hint=_HINT) from None
        return self._leaves

    def _walk(self, loader: yaml.SafeLoader, node: MappingNode, key: Key) -> None:
        if id(node) in self._open:
            raise SettingsError(f"{self._place(node)}: {dotted(key)} contains itself")
        self._open.add(id(node))
        loader.flatten_mapping(node)
        start = node.start_mark.line
        seen: dict[str, int] = {}
        for name_node, value_node in cast("list[tuple[Node, Node]]", node.value):
            name = self._name_of(name_node, key)
            line = name_node.start_mark.line
            if name in seen:
                if min(line, seen[name]) >= start:  # else one of them was merged in from an anchor further up
                    raise SettingsError(
                        f"{self._place(name_node)}: {dotted((*key, name))} is given twice (first on line {seen[name] + 1})",
                        hint="keep one of them",
                    )
                for stale in below(self._leaves, (*key, name)):
                    del self._leaves[stale]
            seen[name] = line
            self._value(loader, value_node, (*key, name), line + 1)
        self._open.discard(id(node))

    def _value(self, loader: yaml.SafeLoader, node: Node, key: Key, line: int) -> None:
        if len(self._leaves) > MOST_LEAVES:
            raise SettingsError(f"{self._name} holds more than {MOST_LEAVES} values")
        if isinstance(node, yaml.MappingNode) and node.value:
            self._walk(loader, node, key)
            return
        if _unfolded(node, {}) > MOST_LEAVES:
            raise SettingsError(
                f"{self._place(node)}: {dotted(key)} unfolds to more than {MOST_LEAVES} values"
            )
        value = _constructed(loader, node)
        self._leaves[key] = Leaf(value, Origin("file", f"{self._name}:{line}"))

    def _name_of(self, node: Node, key: Key) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise SettingsError(
                f"{self._place(node)}: a key below {dotted(key) or 'the top'} is no plain name"
            )
        return node.value

    def _place(self, node: Node) -> str:
        return f"{self._name}:{node.start_mark.line + 1}"


def _constructed(loader: yaml.SafeLoader, node: Node) -> object:
    construct = cast("Callable[..., object]", loader.construct_object)  # pyright: ignore[reportUnknownMemberType]
    return construct(node, deep=True)


def _unfolded(node: Node, known: dict[int, int]) -> int:
    """How many values ``node`` holds once its anchors are written out; ``known`` are those counted before."""
    if id(node) not in known:
        known[id(node)] = 1  # also for a node that contains itself, which its construction refuses
        if isinstance(node, yaml.SequenceNode | yaml.MappingNode):
            known[id(node)] += sum(_unfolded(inner, known) for inner in _inner(node))
    return known[id(node)]


def _inner(node: SequenceNode | MappingNode) -> list[Node]:
    if isinstance(node, yaml.SequenceNode):
        return cast("list[Node]", node.value)
    return [part for pair in cast("list[tuple[Node, Node]]", node.value) for part in pair]


_HINT = "check the indentation and put values that hold `: `, ` #` or brackets in quotes"


def _kind(node: Node) -> str:
    return "list" if isinstance(node, yaml.SequenceNode) else "single value"


def _where(error: yaml.YAMLError) -> str:
    mark = error.problem_mark or error.context_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return f":{mark.line + 1}:{mark.column + 1}" if mark else ""


def _problem(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        said = [part for part in (error.context, error.problem) if part]
        return "not valid YAML: " + ", ".join(said)
    reason = getattr(error, "reason", None)
    return f"not valid YAML: {reason or error}".splitlines()[0]
