"""``--dry-run``: what a run would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_cli.cli.render.usage import cost, plural, spaced
from graphrag_cli.cli.terminal.tables import aligned

if TYPE_CHECKING:
    from graphrag_cli.engines.estimate import Estimate


def estimate_lines(estimate: Estimate) -> list[str]:
    """A row per stage, the sum, the cost, and what is not known before it runs."""
    rows = [["stage", "calls", "prompt tokens", "output tokens", "calls and prompt"]]
    for stage, usage in estimate.by_stage.items():
        calls = usage.llm_calls or usage.embedding_calls
        prompt = usage.prompt_tokens or usage.embedding_tokens
        sure = "exact" if stage in estimate.exact_stages else "about"
        rows.append([stage, spaced(calls), spaced(prompt), spaced(usage.output_tokens), sure])
    total = estimate.total
    lines = [*aligned(rows), ""]
    lines.append(
        f"{estimate.method}: {plural(total.llm_calls, 'call')}, {spaced(total.prompt_tokens)} prompt and "
        f"{spaced(total.output_tokens)} output tokens, {cost(estimate.cost_usd)}"
    )
    return lines + [f"assumed: {assumption}" for assumption in estimate.assumed]
