"""Dynamic community selection: the calls that rate reports, as many at a time as allowed, without waves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphrag_cli.context.text import cut_to_tokens
from graphrag_cli.engines.global_.opening import Opening, OpeningPolicy, majority
from graphrag_cli.engines.run import call_params
from graphrag_cli.errors import DeadlineError, LimitError, ModelError, UnusableReplyError
from graphrag_cli.events import StageProgress, StepFinished, StepStarted
from graphrag_cli.index.snapshot import as_rows
from graphrag_cli.llm.base import ChatRequest, Message
from graphrag_cli.llm.replies import RatingReply

if TYPE_CHECKING:
    from graphrag_cli.config.settings import GlobalSearchSettings, Level
    from graphrag_cli.engines.pump import Emit
    from graphrag_cli.engines.run import Run
    from graphrag_cli.index.records import Report
    from graphrag_cli.index.snapshot import Rows, Snapshot
    from graphrag_cli.llm.base import ChatModel


class CommunityTree:
    """``Hierarchy`` of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def roots(self) -> Sequence[int]:
        """Communities at the top."""
        return self._snapshot.root_communities().tolist()

    def children(self, community: int) -> Sequence[int]:
        """Its children."""
        return self._snapshot.children_of(community).tolist()

    def has_report(self, community: int) -> bool:
        """Whether it has a report."""
        return bool(self._snapshot.report_rows_by_community([community])[0] >= 0)


class Rating:
    """Rates reports from the top down and says which are to be read."""

    def __init__(
        self, run: Run, emit: Emit, settings: GlobalSearchSettings, concurrency: int, rater: ChatModel
    ) -> None:
        self._run = run
        self._emit = emit
        self._settings = settings
        self._gate = asyncio.Semaphore(concurrency)
        self._rater = rater
        self._snapshot = run.tools.snapshot
        self._opening = Opening(
            CommunityTree(self._snapshot),
            opening_policy(settings, run.question.community_level, self._lowest()),
        )
        self._asked = 0
        self._done = 0
        self._errors: dict[int, ModelError] = {}
        self._read = 0
        self._stopped: LimitError | DeadlineError | None = None

    async def choose(self) -> Rows:
        """Report rows to read, ascending. Raises the first ``ModelError`` when no rating at all could be had.

        Replies that cannot be read are another matter: when all of them are such, every report of the level is used.
        """
        with self._run.timed("rate"):
            async with asyncio.TaskGroup() as group:
                self._start(group, self._opening.start())
        if self._stopped is not None:
            self._run.failed.append(f"rate: {self._stopped.message}")
            self._notice("rate.stopped", f"Rating ended early: {self._stopped.message}")
        if not self._read:
            return self._without_ratings()
        rows = self._snapshot.report_rows_by_community(self._opening.chosen())
        return np.sort(rows[rows >= 0])

    def _lowest(self) -> int:
        return min(self._snapshot.levels(), default=0)

    def _start(self, group: asyncio.TaskGroup, communities: Sequence[int]) -> None:
        self._asked += len(communities)
        for community in communities:
            group.create_task(self._rate(group, community))

    async def _rate(self, group: asyncio.TaskGroup, community: int) -> None:
        (report,) = self._snapshot.reports(self._snapshot.report_rows_by_community([community]))
        step = f"rate/{community}"
        self._emit(StepStarted(step, "rate", report.title))
        repeats = self._settings.dynamic_search_num_repeats
        votes = await asyncio.gather(*(self._vote(report, step) for _ in range(repeats)))
        rating = majority([vote for vote in votes if vote is not None])
        self._done += 1
        self._read += rating is not None
        following = self._opening.rated(community, rating)
        self._emit(
            StepFinished(
                step,
                "rate",
                "failed" if rating is None else "answered",
                report.title,
                score=rating,
                error=None if rating is not None else self._why(community),
            )
        )
        if self._stopped is None:
            self._start(group, following)
        detail = f"{self._opening.relevant} relevant"
        self._emit(StageProgress("rate", self._done, self._asked, detail))

    async def _vote(self, report: Report, step: str) -> int | None:
        settings = self._settings
        text = report.summary if settings.dynamic_search_use_summary else report.content
        shown = cut_to_tokens(text, settings.max_context_tokens, self._run.tools.tokens)
        prompt = self._run.tools.prompts["global_rate"].fill(description=shown, question=self._run.query)
        request = ChatRequest(
            (Message("user", prompt),), "rate", RatingReply, call_params(settings.rate_call_args)
        )
        async with self._gate:
            if self._stopped is not None:
                return None
            try:
                reply = await self._run.ask(request, RatingReply, self._emit, step, self._rater)
            except (LimitError, DeadlineError) as error:
                self._stopped = error
                return None
            except ModelError as error:
                # A fatal one is raised again in place of each further call, and told once.
                if error not in self._errors.values():
                    self._notice("rate.failed", f"Report {report.label} could not be rated: {error.message}")
                self._errors.setdefault(report.community, error)
                return None
        return reply.rating

    def _why(self, community: int) -> str:
        error = self._errors.get(community) or self._stopped
        return error.message if error is not None else ""

    def _without_ratings(self) -> Rows:
        """What to read when not one rating could be had."""
        causes = [self._errors[community] for community in sorted(self._errors)]
        refused = next((error for error in causes if not isinstance(error, UnusableReplyError)), None)
        if refused is not None:
            raise refused
        if self._stopped is not None:
            raise self._stopped
        if not causes:
            return as_rows([])
        self._notice("rate.unusable", "No rating could be read; every report of the level is used instead.")
        return self._snapshot.report_rows_at(self._run.question.community_level)

    def _notice(self, code: str, text: str) -> None:
        self._emit(self._run.notice(code, text))


def opening_policy(settings: GlobalSearchSettings, level: Level, lowest: int) -> OpeningPolicy:
    """The policy of the settings; ``lowest`` is the number of the top level of the index."""
    return OpeningPolicy(
        threshold=settings.dynamic_search_threshold,
        keep_parent=settings.dynamic_search_keep_parent,
        max_level=settings.dynamic_search_max_level,
        deepest=None if level == "deepest" else max(0, level - lowest),
    )
