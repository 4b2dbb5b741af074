from __future__ import annotations

import io
import json
import random
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import networkx as nx
import pytest

from graphrag_cli.engines.drift.action import ActionMetadata, DriftAction
from graphrag_cli.engines.drift.document import StateDocument, dump_state, read_document
from graphrag_cli.engines.drift.export import EXPORT_FORMATS, export_state
from graphrag_cli.engines.drift.export.tree import build_tree
from graphrag_cli.engines.drift.state import QueryState, RunHeader
from graphrag_cli.events import ModelNames
from tests.engines.drift.play import World, play, policy

NASTY = (
    'A "quoted" <b>tag</b> \\ back | pipe\n[/b] #1; & `code` \x00 }] --> x </script><script>alert(1)</script>'
)


@pytest.fixture
def document() -> StateDocument:
    return read_document(play(policy(), World(salt=3), random.Random(0)).json)


@pytest.fixture
def nasty() -> StateDocument:
    state = QueryState(RunHeader(NASTY, 1, ModelNames(NASTY, None), {"response_type": NASTY}))
    root = DriftAction(NASTY)
    root.record_answer(NASTY, 50, [NASTY + " again", "Plain?"])
    root.metadata = ActionMetadata(1, 10, 10, 0.1, {"reports": ("1",)})
    state.add_all_follow_ups(root, root.follow_ups)
    root.follow_ups[0].record_failure(NASTY)
    root.follow_ups[1].skip(NASTY)
    return read_document(state.serialize())


def read_graphml(text: str) -> nx.DiGraph[str]:
    read: Any = getattr(nx, "read_graphml")  # noqa: B009 - its stub is only partly typed
    return read(io.StringIO(text))


def test_json_is_the_state_itself(document: StateDocument) -> None:
    text = export_state(document, "json")
    assert read_document(json.loads(text)) == document
    assert text == dump_state(QueryState.deserialize(json.loads(text)).serialize())


def test_graphml_reads_back_with_every_node_and_edge(document: StateDocument) -> None:
    graph = read_graphml(export_state(document, "graphml"))
    assert set(graph.nodes) == {node.id for node in document.nodes}
    assert set(graph.edges) == {(edge.source, edge.target) for edge in document.edges}
    first = document.nodes[0]
    assert graph.nodes[first.id]["query"] == first.query
    assert graph.nodes[first.id]["score"] == first.score


def test_dot_names_every_node_and_dashes_merges(document: StateDocument) -> None:
    text = export_state(document, "dot")
    assert text.count("label=") == len(document.nodes)
    assert text.count("tooltip=") == len(document.edges)
    assert text.count("style=dashed") == sum(node.merged_into is not None for node in document.nodes)


def test_mermaid_names_every_node(document: StateDocument) -> None:
    text = export_state(document, "mermaid")
    assert text.startswith("flowchart LR\n")
    assert text.count('["') == len(document.nodes)
    assert text.count(" --> ") == len(document.edges)


class Page(HTMLParser):
    """Tags and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [name for name, _ in attrs if name in {"src", "href"} or name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("which", ["document", "nasty"])
def test_html_loads_nothing_and_runs_nothing(which: str, request: pytest.FixtureRequest) -> None:
    shown: StateDocument = request.getfixturevalue(which)
    page = Page()
    page.feed(export_state(shown, "html"))
    assert page.outside == []
    assert not {"script", "link", "img", "iframe", "b"} & set(page.tags)
    assert page.tags.count("details") == len(shown.nodes)
    assert all(node.query.replace("\x00", "") in page.text for node in shown.nodes)


@pytest.mark.parametrize("form", EXPORT_FORMATS)
def test_foreign_text_breaks_no_format(form: str, nasty: StateDocument) -> None:
    text = export_state(nasty, form)  # pyright: ignore[reportArgumentType]
    assert text.endswith("\n")
    if form == "graphml":
        ET.fromstring(text)
    if form == "mermaid":
        for label in re.findall(r'\["(.*)"\]', text):
            assert not set(label) & set('"<>`|[]{}()\\\n')
    if form == "dot":
        for line in text.splitlines():
            assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0


def test_the_tree_holds_each_question_under_the_first_that_raised_it(document: StateDocument) -> None:
    tree = build_tree(document, everything=True)
    assert tree is not None
    shown = [branch.node.id for _, branch in tree.walk()]
    assert sorted(shown) == sorted(node.id for node in document.nodes)
    assert tree.node.id == "a0"


def test_the_tree_can_leave_out_what_was_not_asked(document: StateDocument) -> None:
    tree = build_tree(document, everything=False)
    assert tree is not None
    branches = [branch for _, branch in tree.walk()]
    assert {branch.node.state for branch in branches} <= {"answered", "empty", "failed"}
    hidden = sum(branch.hidden for branch in branches)
    assert hidden + len(branches) == len(document.nodes)


def test_a_state_without_nodes_has_no_tree() -> None:
    empty = read_document(QueryState(RunHeader("Who?", 1, ModelNames(None, None), {})).serialize())
    assert build_tree(empty, everything=True) is None
    for form in EXPORT_FORMATS:
        assert export_state(empty, form)
