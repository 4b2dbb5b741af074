"""Answers: chosen sentences in readable order, each with its citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from graphrag_cli.events import DATASETS
from graphrag_cli.llm.extractive.choosing import choose
from graphrag_cli.llm.extractive.notes import Citations
from graphrag_cli.llm.extractive.ranking import Ranking, Scored, direct_from, near_from, own_score
from graphrag_cli.llm.extractive.weights import NOTES_FLOOR, RELATIVE_FLOOR, RELATIVE_FLOOR_OPEN

UNKNOWN: Final = "I don't know: no record that I was given is about this."
INDIRECT: Final = "No record answers this directly. The closest ones say:"
NO_RECORDS: Final = "I don't know: I was given no records to answer from."

CLOSEST: Final = 3
"""Sentences shown when none answers."""

MAX_IDS: Final = 5
"""Ids of one data set in one citation, before ``+more``."""

ANSWERS: Final = 0.4
"""The score, as share of 1, from which on a note of an earlier step answers (``ranking.answer_score``)."""

PARAGRAPH: Final = 3
"""Sentences in a paragraph."""

Shape: TypeAlias = Literal["paragraphs", "list"]
Verdict: TypeAlias = Literal["direct", "indirect", "unknown"]


@dataclass(frozen=True, slots=True)
class Form:
    """Length and form of an answer."""

    sentences: int
    shape: Shape
    paragraphs: int


_TITLE = re.compile(r"[^:.!?]{2,80}: (?=\S)")
_LIST = re.compile(r"\b(?:list|bullet|points?|items?|enumerat)", re.IGNORECASE)
_COUNT = re.compile(r"(\d+)(?:\s*(?:-|–|to)\s*(\d+))?")
_LENGTHS: Final = (
    (
        re.compile(r"single sentence|one sentence|\bbrief|short(?:est)? answer|\bconcise", re.I),
        Form(1, "paragraphs", 1),
    ),
    (re.compile(r"single paragraph|one paragraph", re.I), Form(4, "paragraphs", 1)),
    (
        re.compile(r"multi[- ]?page|multiple pages|long report|detailed report", re.I),
        Form(24, "paragraphs", 8),
    ),
    (re.compile(r"single page|one page|page", re.I), Form(15, "paragraphs", 5)),
)
_DEFAULT: Final = Form(8, "paragraphs", 3)
_MAX_SENTENCES: Final = 30


def form_of(response_type: str) -> Form:
    """What ``response_type`` asks for ("multiple paragraphs", "list of 3-7 points", "single sentence" …)."""
    if _LIST.search(response_type):
        count = _COUNT.search(response_type)
        most = int(count.group(2) or count.group(1)) if count else 7
        return Form(max(1, min(most, _MAX_SENTENCES)), "list", 1)
    for pattern, form in _LENGTHS:
        if pattern.search(response_type):
            return form
    return _DEFAULT


def verdict_of(ranking: Ranking) -> Verdict:
    """Whether the best sentence answers the question, is only near it, or is about something else."""
    if ranking.best >= direct_from(ranking.query) or trusted(ranking):
        return "direct"
    return "indirect" if ranking.best >= near_from(ranking.query) else "unknown"


def trusted(ranking: Ranking) -> bool:
    """True when the best note answers: by itself, or as an earlier step found, which saw the whole record."""
    best = ranking.scored[0] if ranking.scored else None
    weight = best.candidate.weight if best else None
    if best is None or weight is None:
        return False
    return weight >= ANSWERS or own_score(best) >= direct_from(ranking.query)


def select(ranking: Ranking, form: Form) -> list[Scored]:
    """The sentences of an answer of ``form``, best first; nothing when no record is near."""
    near = near_from(ranking.query)
    match verdict_of(ranking):
        case "direct":
            least = 0.0 if trusted(ranking) else near
            return choose(ranking, form.sentences, max(least, ranking.best * relative_floor(ranking)))
        case "indirect":
            return choose(ranking, min(CLOSEST, form.sentences), near)
        case "unknown":
            return []


def relative_floor(ranking: Ranking) -> float:
    """The share of the best score from which on a sentence goes into an answer."""
    if ranking.scored[0].candidate.weight is not None:
        return NOTES_FLOOR
    return RELATIVE_FLOOR_OPEN if ranking.query.open and not ranking.query.broad else RELATIVE_FLOOR


def write(ranking: Ranking, form: Form, max_words: int | None = None) -> Iterator[str]:
    """The answer as Markdown, sentence by sentence."""
    chosen = within(select(ranking, form), max_words)
    verdict = verdict_of(ranking)
    if not chosen:
        yield UNKNOWN
        return
    if verdict == "indirect":
        yield f"{INDIRECT}\n\n"
        form = Form(len(chosen), "list", 1)
    if form.shape == "list":
        for number, item in enumerate(chosen):
            yield ("\n" if number else "") + f"- {cited(item)}"
        return
    for number, paragraph in enumerate(paragraphs(chosen, form)):
        for at, statement in enumerate(statements(paragraph)):
            lead = "\n\n" if number and not at else " " if at else ""
            yield lead + statement


def statements(paragraph: Sequence[Scored]) -> list[str]:
    """The sentences, those of one record that follow each other under one citation behind the last."""
    following = [*paragraph[1:], None]
    return [
        item.candidate.shown
        if after and after.candidate.citations == item.candidate.citations
        else cited(item)
        for item, after in zip(paragraph, following, strict=True)
    ]


def within(chosen: Sequence[Scored], max_words: int | None) -> list[Scored]:
    """The best of ``chosen`` that take at most ``max_words`` words, the first one in any case."""
    kept: list[Scored] = []
    words = 0
    for item in chosen:
        words += len(item.candidate.shown.split())
        if kept and max_words is not None and words > max_words:
            break
        kept.append(item)
    return kept


def paragraphs(chosen: Sequence[Scored], form: Form) -> list[list[Scored]]:
    """The best sentence opens the first paragraph; sentences of one record stay together, in their own order."""
    size = max(PARAGRAPH, -(-len(chosen) // form.paragraphs))
    found: list[list[Scored]] = []
    for group in by_record(chosen):
        if found and len(found[-1]) + len(group) <= size:
            found[-1] += group
        else:
            found.append(group)
    return found


def by_record(chosen: Sequence[Scored]) -> list[list[Scored]]:
    """``chosen`` by record, the best one's first, each record's in order and without leads that stand before them."""
    groups: dict[tuple[str, str], list[Scored]] = {}
    for item in chosen:
        groups.setdefault(item.candidate.group, []).append(item)
    ordered = [sorted(group, key=lambda item: item.candidate.place) for group in groups.values()]
    return [
        [after(before, item) for before, item in zip([None, *group], group, strict=False)]
        for group in ordered
    ]


def after(before: Scored | None, item: Scored) -> Scored:
    """``item`` as it stands after ``before``: without the sentence that would lead it in, or the title said already."""
    shown, lead = item.candidate.shown, item.candidate.lead
    title = _TITLE.match(shown)
    if before is None:
        return item
    if lead and before.candidate.shown.endswith(lead):
        shown = shown.removeprefix(lead).lstrip()
    elif title and before.candidate.shown.startswith(title.group()):
        shown = shown[title.end() :]
    return replace(item, candidate=replace(item.candidate, shown=shown, lead=""))


def cited(item: Scored) -> str:
    """The sentence with its citation."""
    return f"{item.candidate.shown} {citation(item.candidate.citations)}".rstrip()


def citation(citations: Citations) -> str:
    """``[Data: Reports (3); Sources (2)]``; nothing without records."""
    parts = [
        f"{dataset.capitalize()} ({', '.join(_few(citations[dataset]))})"
        for dataset in DATASETS
        if citations.get(dataset)
    ]
    return f"[Data: {'; '.join(parts)}]" if parts else ""


def _few(ids: tuple[str, ...]) -> tuple[str, ...]:
    return ids if len(ids) <= MAX_IDS else (*ids[:MAX_IDS], "+more")
