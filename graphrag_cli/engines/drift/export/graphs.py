"""A DRIFT state for graph tools: GraphML, Graphviz DOT, Mermaid. Foreign text is escaped for each."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from graphrag_cli.context.text import sendable

if TYPE_CHECKING:
    from graphrag_cli.engines.drift.document import NodeDocument, StateDocument

LABEL_WIDTH = 36
LABEL_LENGTH = 140

_NODE_KEYS: dict[str, str] = {
    "query": "string",
    "answer": "string",
    "score": "double",
    "state": "string",
    "depth": "int",
    "level": "int",
    "order": "int",
    "error": "string",
    "reason": "string",
    "merged_into": "string",
    "llm_calls": "int",
    "prompt_tokens": "int",
    "output_tokens": "int",
    "seconds": "double",
}
_COLOURS = {
    "answered": "#d7f0dd",
    "empty": "#eeeeee",
    "failed": "#f7d4d4",
    "merged": "#e3e3f7",
    "skipped": "#ffffff",
    "waiting": "#fff6d6",
    "asked": "#fff6d6",
}


def short_label(node: NodeDocument) -> str:
    """The question, shortened, and the score where there is one."""
    query = textwrap.shorten(sendable(node.query), LABEL_LENGTH, placeholder=" …") or node.id
    return query if node.score is None else f"{query} ({node.score:g})"


# ---- GraphML ------------------------------------------------------------------------------------------------


def to_graphml(document: StateDocument) -> str:
    """GraphML, as Gephi, yEd and networkx read it; absent values are left out."""
    root = ET.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    for name, kind in _NODE_KEYS.items():
        _key(root, f"n_{name}", "node", name, kind)
    _key(root, "e_weight", "edge", "weight", "double")
    _key(root, "g_query", "graph", "query", "string")
    _key(root, "g_seed", "graph", "seed", "int")
    graph = ET.SubElement(root, "graph", id="drift", edgedefault="directed")
    _data(graph, "g_query", document.query)
    _data(graph, "g_seed", document.seed)
    for node in document.nodes:
        element = ET.SubElement(graph, "node", id=node.id)
        for name in _NODE_KEYS:
            _data(element, f"n_{name}", getattr(node, name))
    for edge in document.edges:
        element = ET.SubElement(graph, "edge", source=edge.source, target=edge.target)
        _data(element, "e_weight", edge.weight)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _key(root: ET.Element, key: str, of: str, name: str, kind: str) -> None:
    ET.SubElement(root, "key", {"id": key, "for": of, "attr.name": name, "attr.type": kind})


def _data(element: ET.Element, key: str, value: str | float | None) -> None:
    if value is not None:
        ET.SubElement(element, "data", key=key).text = sendable(str(value))


# ---- DOT ----------------------------------------------------------------------------------------------------


def to_dot(document: StateDocument) -> str:
    """Graphviz DOT: solid edges from a question to those it raised, dashed ones to where a question was merged."""
    lines = [
        "digraph drift {",
        '  graph [rankdir=LR, charset="utf-8"];',
        '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=10];',
        "  edge [color=gray50];",
    ]
    for node in document.nodes:
        wrapped = textwrap.fill(short_label(node), LABEL_WIDTH)
        lines.append(f"  {_dot(node.id)} [label={_dot(wrapped)}, fillcolor={_dot(_COLOURS[node.state])}];")
    for edge in document.edges:
        lines.append(f'  {_dot(edge.source)} -> {_dot(edge.target)} [tooltip="weight {edge.weight:g}"];')
    for node in document.nodes:
        if node.merged_into is not None:
            lines.append(f"  {_dot(node.id)} -> {_dot(node.merged_into)} [style=dashed, constraint=false];")
    return "\n".join([*lines, "}", ""])


def _dot(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


# ---- Mermaid ------------------------------------------------------------------------------------------------


def to_mermaid(document: StateDocument) -> str:
    """A Mermaid flowchart, as Markdown viewers draw it."""
    lines = ["flowchart LR"]
    names = {node.id: f"n{number}" for number, node in enumerate(document.nodes)}
    for node in document.nodes:
        lines.append(f'  {names[node.id]}["{_mermaid(short_label(node))}"]:::{node.state}')
    lines += [f"  {names[edge.source]} --> {names[edge.target]}" for edge in document.edges]
    for node in document.nodes:
        if node.merged_into in names:
            lines.append(f"  {names[node.id]} -.-> {names[node.merged_into]}")
    lines += [
        f"  classDef {state} fill:{colour},stroke:#888,color:#111" for state, colour in _COLOURS.items()
    ]
    return "\n".join([*lines, ""])


def _mermaid(text: str) -> str:
    """Every mark that Mermaid, Markdown or HTML might read becomes a character code."""
    return "".join(mark if mark.isalnum() or mark in " .,:!?-" else f"#{ord(mark)};" for mark in text)
