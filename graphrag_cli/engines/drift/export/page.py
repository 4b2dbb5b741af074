"""A DRIFT state as one HTML page: no script, nothing loaded from elsewhere, all foreign text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from graphrag_cli.context.text import sendable
from graphrag_cli.engines.drift.export.tree import Branch, build_tree

if TYPE_CHECKING:
    from graphrag_cli.engines.drift.document import NodeDocument, StateDocument

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: GrayText; font-size: .85rem; }
dd { margin: 0; }
details { border-left: 2px solid var(--line); margin: .3rem 0 .3rem .4rem; padding-left: .8rem; }
summary { cursor: pointer; }
.answer { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .6rem; border-radius: .4rem; }
.facts { color: GrayText; font-size: .8rem; }
.tag { font-size: .75rem; padding: 0 .4rem; border-radius: .6rem; background: var(--soft); }
.failed > summary .tag { background: #d335; }
.answered > summary .tag { background: #3a55; }
.merged > summary, .skipped > summary { color: GrayText; }
meter { width: 5rem; vertical-align: middle; }
"""


def to_html(document: StateDocument) -> str:
    """The page. Answers fold out; what was merged or left out stands in its place, with the reason."""
    title = _text(document.query)
    facts = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in _facts(document))
    tree = build_tree(document, everything=True)
    body = _branch(tree, open_to=1) if tree is not None else "<p>Nothing was asked yet.</p>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>DRIFT: {title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n<dl>{facts}</dl>\n{body}\n</body>\n</html>\n"
    )


def _facts(document: StateDocument) -> list[tuple[str, str]]:
    facts = [("seed", str(document.seed))]
    facts += [("model", name) for name in (document.models.chat, document.models.embedding) if name]
    facts += [(name, str(value)) for name, value in document.settings.items()]
    asked = sum(node.llm_calls for node in document.nodes)
    tokens = sum(node.prompt_tokens + node.output_tokens for node in document.nodes)
    return [*facts, ("calls", str(asked)), ("tokens", f"{tokens:,}")]


def _branch(branch: Branch, open_to: int) -> str:
    node = branch.node
    opened = " open" if open_to >= 0 else ""
    meter = (
        ""
        if node.score is None
        else f' <meter min="0" max="100" value="{node.score:g}"></meter> {node.score:g}'
    )
    inner = "".join(_branch(child, open_to - 1) for child in branch.children)
    return (
        f'<details class="{node.state}" id="{_text(node.id)}"{opened}>'
        f'<summary>{_text(node.query)} <span class="tag">{node.state}</span>{meter}</summary>\n'
        f"{_contents(node)}{inner}</details>\n"
    )


def _contents(node: NodeDocument) -> str:
    parts: list[str] = []
    if node.answer:
        parts.append(f'<div class="answer">{_text(node.answer)}</div>')
    why = node.error or node.reason
    if why:
        parts.append(f'<p class="facts">{_text(why)}</p>')
    if node.llm_calls:
        parts.append(f'<p class="facts">{_text(_spent(node))}</p>')
    return "".join(parts)


def _spent(node: NodeDocument) -> str:
    context = ", ".join(f"{len(ids)} {dataset}" for dataset, ids in node.context.items())
    tokens = f"{node.prompt_tokens:,} + {node.output_tokens:,} tokens"
    calls = f"{node.llm_calls} call{'' if node.llm_calls == 1 else 's'}"
    return " · ".join(part for part in (calls, tokens, f"{node.seconds:.1f} s", context) if part)


def _text(text: str) -> str:
    return escape(sendable(text), quote=True)
