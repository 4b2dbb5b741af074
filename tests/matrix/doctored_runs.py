"""One question by one method over a damaged index: the real engines, vectors and prompts, a model that cites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphrag_cli.config.prompts import PLACEHOLDERS, load_prompts
from graphrag_cli.config.settings import BasicSearchSettings, DriftSearchSettings
from graphrag_cli.context.tables import HEADINGS
from graphrag_cli.engines.base import Toolbox
from graphrag_cli.engines.opening import open_index
from graphrag_cli.errors import CliError
from graphrag_cli.events import Dataset, Method
from graphrag_cli.index.snapshot import Snapshot
from graphrag_cli.llm.base import ChatRequest, TokenCounter
from graphrag_cli.llm.counting.tokens import counter_for
from graphrag_cli.llm.in_process.scripted import HashEmbedder, Scripted, ScriptedChat, prompt_text
from tests.engines.kit import NoPrices, Seen, question, run
from tests.kit.snapshots import settings_for
from tests.kit.tables import read_tables
from tests.kit.tiny import WIDTH
from tests.matrix.runs import engine

ASKED = "What did Mira Voss see of the Heron?"
ANSWER = "She saw the Heron strike the reef."


def cited(request: ChatRequest) -> str:
    """An answer that cites the first record of every table in the prompt, and whatever the prompt's own text cites."""
    tables = read_tables(request.messages[0].content)
    first = [f"{HEADINGS[table.dataset]} ({table.rows[0][0]})" for table in tables if table.rows]
    return f"{ANSWER} [Data: {'; '.join(first)}]" if first else ANSWER


def reply(request: ChatRequest) -> Scripted:
    """What a sound model would send at each stage."""
    match request.stage:
        case "map":
            return {"points": [{"description": cited(request), "score": 80}]}
        case "primer":
            return {
                "intermediate_answer": cited(request),
                "score": 60,
                "follow_up_queries": ["Who was master of the Heron?"],
            }
        case "step":
            return {"response": cited(request), "score": 70, "follow_up_queries": []}
        case "reduce":
            return prompt_citations(request)
        case _:
            return cited(request)


def prompt_citations(request: ChatRequest) -> str:
    """An answer that takes over the citations of what it is made from."""
    found = [part.split("]")[0] for part in prompt_text(request).split(f"{ANSWER} [Data: ")[1:]]
    return " ".join(f"{ANSWER} [Data: {part}]" for part in dict.fromkeys(found)) or ANSWER


class CountingTokens:
    """A token counter that says how many texts it was given."""

    def __init__(self, real: TokenCounter) -> None:
        self._real = real
        self.name = real.name
        self.texts = 0

    def count(self, text: str) -> int:
        """As the real one; one text more."""
        self.texts += 1
        return self._real.count(text)

    def truncate(self, text: str, limit: int) -> str:
        """As the real one; one text more."""
        self.texts += 1
        return self._real.truncate(text, limit)


def budget_of(method: Method, step_id: str | None) -> int:
    """Tokens that a context may have in the engines of ``runs.engine``; ``step_id`` is that of its step, if any."""
    match method:
        case "basic":
            return BasicSearchSettings().max_context_tokens
        case "local":
            return 2500
        case "global":
            return 6000
        case "drift":
            primer = (step_id or "").startswith("primer/")
            return DriftSearchSettings().primer_llm_max_tokens if primer else 1500


def toolbox(
    folder: Path,
    method: Method,
    *,
    chat: ScriptedChat | None = None,
    tokens: TokenCounter | None = None,
) -> Toolbox:
    """What an engine gets for the index in ``folder``. Raises ``IndexDataError``."""
    settings = settings_for(folder)
    opened = open_index(settings, method, "hash-8")
    return Toolbox(
        snapshot=opened.snapshot,
        vectors=opened.vectors,
        chat=chat or ScriptedChat(reply),
        embedder=HashEmbedder(WIDTH, name="hash-8"),
        tokens=tokens or counter_for("gpt-4o"),
        prompts=load_prompts(settings, PLACEHOLDERS),
        prices=NoPrices(),
        remarks=opened.remarks,
    )


async def asked(method: Method, tools: Toolbox) -> Seen:
    """Everything a run yields. Raises ``CliError``."""
    return await run(engine(method, tools).stream(question(ASKED)))


async def outcome(folder: Path, method: Method) -> Seen | CliError:
    """A run, or the error that it ends in."""
    try:
        return await asked(method, toolbox(folder, method))
    except CliError as error:
        return error


def ending(outcome: Seen | CliError) -> str:
    """``answered``, ``partial``, ``no_data``, or the code and exit status of the error."""
    if isinstance(outcome, CliError):
        return f"{outcome.code} {outcome.exit_code}"
    return outcome.answer.status


def lost_records(snapshot: Snapshot, seen: Seen) -> Iterator[tuple[Dataset, str]]:
    """Records that were sent under an id that leads nowhere."""
    for dataset, records in seen.answer.context.items():
        rows = snapshot.rows_by_label(dataset, [record.id for record in records]).tolist()
        for record, row in zip(records, rows, strict=True):
            if row < 0:
                yield dataset, record.id
