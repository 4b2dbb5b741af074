"""Filling a prompt: known placeholders only, literally, in one pass over the template.

What is put in is never looked at again, so a placeholder or a brace in a document stays text. Prompts tuned for
GraphRAG are written for ``str.format`` and double every literal brace; ``escaped`` says that this is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

ALIASES: Mapping[str, tuple[str, ...]] = {
    "context_data": ("input_text", "context", "context_text", "data_tables", "input_data"),
    "report_data": ("reports", "analyst_reports", "key_points", "context_data"),
    "community_reports": ("context_data", "report_data", "reports"),
    "description": ("report", "report_text", "context_data"),
    "response_type": ("response_format", "target_format"),
    "max_length": ("max_tokens", "max_words"),
    "global_query": ("original_query", "main_query"),
    "followups": ("follow_ups", "num_followups", "drift_k_followups"),
    "query": ("question",),
    "question": ("query",),
    "history": ("conversation", "conversation_history"),
}
"""Names under which older or foreign prompts know a placeholder."""

_BRACED_WORD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def accepted(names: Iterable[str]) -> dict[str, str]:
    """Every spelling that stands for one of ``names``, with the name it stands for; the names themselves come first."""
    known = set(names)
    spellings = {name: name for name in sorted(known)}
    for name in sorted(known):
        for alias in ALIASES.get(name, ()):
            spellings.setdefault(alias, name)
    return spellings


def fill(template: str, values: Mapping[str, str], *, escaped: bool) -> str:
    """``template`` with each ``{name}`` replaced by ``values[name]``; every other character stays as it is.

    With ``escaped``, ``{{`` and ``}}`` come out as single braces.
    """
    return _pattern(tuple(sorted(values)), escaped).sub(
        lambda found: values[name] if (name := found[1]) else found[0][0], template
    )


def placeholders(template: str, names: Iterable[str], *, escaped: bool) -> set[str]:
    """Which of ``names`` ``template`` has."""
    found = _pattern(tuple(sorted(names)), escaped).finditer(template)
    return {match[1] for match in found if match[1]}


def braced_words(template: str, *, escaped: bool) -> Iterator[str]:
    """Everything that looks like a placeholder, known or not."""
    text = template.replace("{{", "").replace("}}", "") if escaped else template
    return (match[1] for match in _BRACED_WORD.finditer(text))


def is_escaped(template: str) -> bool:
    """True when ``template`` was written for ``str.format``: it doubles an opening brace."""
    return "{{" in template


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...], escaped: bool) -> re.Pattern[str]:
    choices = "|".join(re.escape(name) for name in names) or r"(?!)"
    slot = rf"\{{({choices})\}}"
    return re.compile(rf"\{{\{{|\}}\}}|{slot}" if escaped else slot)
