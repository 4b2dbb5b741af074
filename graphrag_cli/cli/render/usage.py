"""What a run cost, in one line or by stage."""

from __future__ import annotations

from graphrag_cli.events import StageUsage, Usage


def usage_line(usage: Usage) -> str:
    """``3 calls, 4 200 prompt + 310 output tokens, $0.0123``."""
    total = usage.total
    parts = [
        _calls(total),
        f"{spaced(total.prompt_tokens)} prompt + {spaced(total.output_tokens)} output tokens",
    ]
    if total.embedding_calls:
        parts.append(
            f"{plural(total.embedding_calls, 'embedding call')} of {spaced(total.embedding_tokens)} tokens"
        )
    parts.append(cost(usage.cost_usd))
    return ", ".join(parts) + (" (some tokens counted here)" if usage.counted else "")


def usage_by_stage(usage: Usage) -> list[str]:
    """A line per stage."""
    return [
        f"{stage}: {_calls(spent)}, {spaced(spent.prompt_tokens)} prompt + {spaced(spent.output_tokens)} output tokens"
        for stage, spent in usage.by_stage.items()
        if spent.llm_calls
    ]


def cost(usd: float | None) -> str:
    """``$0.0123``; says so when it is not known."""
    if usd is None:
        return "cost not known"
    if usd == 0:
        return "no cost"
    return f"${usd:.4f}" if usd < 1 else f"${usd:.2f}"


def _calls(usage: StageUsage) -> str:
    return plural(usage.llm_calls, "call")


def plural(count: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{count} {noun}" if count == 1 else f"{spaced(count)} {noun}s"


def spaced(count: int) -> str:
    """``1 203 400``."""
    return f"{count:,}".replace(",", " ")
