"""What a run cost, in one line or by stage."""

from __future__ import annotations

from graphrag_cli.events import StageUsage, Usage


def usage_line(usage: Usage) -> str:
    """``3 calls, 4 200 prompt + 310 output tokens, $0.0123``."""
    total = usage.total
    parts = [
        _calls(total),
        f"{_number(total.prompt_tokens)} prompt + {_number(total.output_tokens)} output tokens",
    ]
    if total.embedding_calls:
        parts.append(
            f"{_plural(total.embedding_calls, 'embedding call')} of {_number(total.embedding_tokens)} tokens"
        )
    parts.append(cost(usage.cost_usd))
    return ", ".join(parts) + (" (some tokens counted here)" if usage.counted else "")


def usage_by_stage(usage: Usage) -> list[str]:
    """A line per stage."""
    return [
        f"{stage}: {_calls(spent)}, {_number(spent.prompt_tokens)} prompt + {_number(spent.output_tokens)} output tokens"
        for stage, spent in usage.by_stage.items()
        if spent.llm_calls
    ]


def cost(usd: float | None) -> str:
    """``$0.0123``; says so when it is not known."""
    if usd is None:
        return "cost not known"
    return f"${usd:.4f}" if usd < 1 else f"${usd:.2f}"


def _calls(usage: StageUsage) -> str:
    return _plural(usage.llm_calls, "call")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{_number(count)} {noun}s"


def _number(count: int) -> str:
    return f"{count:,}".replace(",", " ")
