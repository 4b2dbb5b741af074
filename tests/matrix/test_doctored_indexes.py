"""Every damaged index × every method: answered from what there is, or refused with the right words and status 4.

None crashes, none says "no data" where it means "broken", and whatever is cited leads somewhere.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphrag_cli.documents.build import answer_document
from graphrag_cli.documents.strict import dumps
from graphrag_cli.errors import CliError
from graphrag_cli.events import DATASETS, METHODS, ContextBuilt, Method
from graphrag_cli.llm.counting.tokens import counter_for
from graphrag_cli.llm.in_process.scripted import ScriptedChat
from tests.engines.kit import Seen
from tests.kit.doctored import DOCTORED, HUB_UNITS, NASTY, Doctored
from tests.kit.tables import read_tables
from tests.kit.tiny import tables, write_tables, write_vectors
from tests.matrix.doctored_runs import (
    CountingTokens,
    asked,
    budget_of,
    ending,
    lost_records,
    outcome,
    reply,
    toolbox,
)

TABLES, VECTORS = "index 4", "index.vectors 4"

NO_ENTITIES: dict[Method, str] = dict.fromkeys(("local", "global", "drift"), TABLES)
NO_RELATIONSHIPS: dict[Method, str] = dict.fromkeys(("local", "drift"), TABLES)
NO_REPORTS: dict[Method, str] = dict.fromkeys(("global", "drift"), TABLES)
NO_UNITS: dict[Method, str] = dict.fromkeys(("local", "drift", "basic"), TABLES)
NOTHING: dict[Method, str] = dict.fromkeys(METHODS, TABLES)
NO_VECTORS: dict[Method, str] = dict.fromkeys(("local", "drift", "basic"), VECTORS)
NO_ENTITY_VECTORS: dict[Method, str] = dict.fromkeys(("local", "drift"), VECTORS)

REFUSED: dict[str, dict[Method, str]] = {
    **dict.fromkeys(("DT4 no entities", "DT5 empty entities", "DT5b hollow entities"), NO_ENTITIES),
    "DT4 no relationships": NO_RELATIONSHIPS,  # an index without relationships has the table all the same
    **dict.fromkeys(("DT4 no communities", "DT5 empty communities", "DT5b hollow communities"), NO_REPORTS),
    "DT4 no community_reports": NO_REPORTS,
    **dict.fromkeys(("DT5 empty community_reports", "DT5b hollow community_reports"), NO_REPORTS),
    **dict.fromkeys(("DT4 no text_units", "DT5 empty text_units", "DT5b hollow text_units"), NO_UNITS),
    "DT7 members as null": {"global": TABLES},
    "DT9 reports of other runs": {"global": TABLES},
    **dict.fromkeys(("DT13 no store", "DT13 empty store", "DT13 other width"), NO_VECTORS),
    **dict.fromkeys(("DT13 empty table", "DT13 other ids", "DT13 all NaN"), NO_ENTITY_VECTORS),
    **dict.fromkeys(("DT13 no entity table", "DT13 cut off"), NO_ENTITY_VECTORS),
    "DT13 no text unit table": {"basic": VECTORS},
    **dict.fromkeys(("DT15 no tables", "DT15 half finished"), NOTHING),
    "DT15 cut off entities": NO_ENTITIES,
    "DT15 cut off relationships": NO_RELATIONSHIPS,
    **dict.fromkeys(("DT15 cut off communities", "DT15 cut off community_reports"), NO_REPORTS),
    "DT15 cut off text_units": NO_UNITS,
}
"""How methods end that cannot be answered; a method that is not listed is answered."""

SAYS: dict[str, str] = {
    **{f"DT4 no {name}": f"{name}.parquet" for name in ("entities", "relationships", "communities")},
    **{f"DT4 no {name}": f"{name}.parquet" for name in ("community_reports", "text_units")},
    **{f"DT5 empty {name}": "has no rows" for name in ("entities", "communities", "text_units")},
    **{f"DT5b hollow {name}": "has no rows" for name in ("entities", "communities", "text_units")},
    "DT7 members as null": "none of the 3 reports",
    "DT9 reports of other runs": "none of the 3 reports",
    "DT13 no store": "there is no LanceDB store",
    "DT13 empty store": "it holds nothing",
    "DT13 other width": "hash-8 makes vectors of width 8",
    "DT13 empty table": "is empty",
    "DT13 other ids": "belong to other tables",
    "DT13 all NaN": "all are null, NaN or zero",
    "DT13 no entity table": "looked for entity_description",
    "DT13 cut off": "cannot be read",
    "DT13 no text unit table": "looked for text_unit_text",
    "DT15 no tables": "no GraphRAG table",
    "DT15 half finished": "half finished",
    **{f"DT15 cut off {name}": f"{name}.parquet' cannot be read" for name in ("entities", "text_units")},
}
"""What the refusals of an index say."""

WARNED: dict[str, dict[Method, str]] = {
    "DT4 no communities": {"local": "reports.unusable"},
    "DT5 empty communities": {"local": "reports.unusable"},
    "DT5b hollow communities": {"local": "reports.unusable"},
    "DT7 members as null": dict.fromkeys(("local", "drift"), "reports.unusable"),
    "DT8 most entities in no community": {"global": "entities.homeless"},
    "DT9 reports of other runs": dict.fromkeys(("local", "drift"), "reports.unusable"),
    "DT9 dangling ids": {"global": "reports.missing"},
    "DT16 hub": {"global": "entities.homeless"},
    "DT13 no report table": {"drift": "reports.no_vectors"},
    **{
        f"DT15 cut off {name}": {
            method: "index.damaged"
            for method in METHODS
            if method not in REFUSED.get(f"DT15 cut off {name}", {})
        }
        for name in ("entities", "relationships", "communities", "community_reports", "text_units")
    },
    **dict.fromkeys(
        ("DT15 cut off documents", "DT15 cut off covariates"), dict.fromkeys(METHODS, "index.damaged")
    ),
}
"""The warning that an answer carries; an answer that is not listed carries none."""

BY_NAME = {case.name: case for case in DOCTORED}


@pytest.fixture(scope="module", params=DOCTORED, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Doctored:
    return request.param


@pytest.fixture(scope="module")
def folder(case: Doctored, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The damaged index, built once for all methods."""
    made = tmp_path_factory.mktemp("doctored") / "output"
    case.build(made)
    return made


def test_the_tables_name_indexes_of_the_kit() -> None:
    assert {*REFUSED, *SAYS, *WARNED} <= {*BY_NAME}


@pytest.mark.parametrize("method", METHODS)
async def test_an_index_is_answered_or_refused(case: Doctored, folder: Path, method: Method) -> None:
    found = await outcome(folder, method)
    assert ending(found) == REFUSED.get(case.name, {}).get(method, "answered")
    if isinstance(found, CliError):
        assert SAYS.get(case.name, ".parquet") in found.message
        assert found.hint
        return
    check_answer(found, folder, method)
    warning = WARNED.get(case.name, {}).get(method)
    codes = [one.code for one in found.answer.warnings]
    assert codes[:1] == ([] if warning is None else [warning])


def check_answer(seen: Seen, folder: Path, method: Method) -> None:
    """Holds for every answer: five sections, contexts within their budget, citations and records that lead somewhere."""
    answer = seen.answer
    snapshot = toolbox(folder, method).snapshot
    assert tuple(answer.context) == DATASETS
    assert any(answer.context.values())
    assert not list(lost_records(snapshot, seen))
    assert answer.citations
    assert all(cited.exists and cited.in_context for cited in answer.citations)
    for context in seen.of(ContextBuilt):
        assert 0 < context.tokens <= budget_of(method, context.step_id)
    document = json.loads(dumps(answer_document(answer)))
    assert document["context"].keys() == set(DATASETS)
    assert document["status"] == "answered"


# -- closer looks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
async def test_nasty_text_goes_through_prompts_and_json_as_it_is(method: Method, tmp_path: Path) -> None:
    BY_NAME["DT11 nasty text"].build(tmp_path / "output")
    chat = ScriptedChat(reply)
    seen = await asked(method, toolbox(tmp_path / "output", method, chat=chat))
    document = json.loads(dumps(answer_document(seen.answer)))
    shown = json.dumps(document["context"], ensure_ascii=False)
    for part in ("{context_data}", "{{ }}", "[/b]", "[red]", ":smile:", "\U0001f600", "漢字", "\u202e"):
        assert part in shown
    found = [table for call in chat.calls for table in read_tables(call.messages[0].content)]
    assert found
    for table in found:
        # A row is a row, whatever line ends and delimiters its cells hold, and no brace in it was filled in.
        assert all(len(row) == len(table.columns) and row[0].isdecimal() for row in table.rows)
        nasty = [cell for row in table.rows for cell in row if "漢字" in cell]
        assert table.dataset == "claims" or nasty
        assert all(NASTY in cell for cell in nasty)


async def test_a_hub_costs_what_fits_not_what_it_has(tmp_path: Path) -> None:
    BY_NAME["DT16 hub"].build(tmp_path / "output")
    tokens = CountingTokens(counter_for("gpt-4o"))
    seen = await asked("local", toolbox(tmp_path / "output", "local", tokens=tokens))
    sources = [record.record_id for record in seen.answer.context["sources"]]
    assert 0 < len(sources) == len(set(sources)) < HUB_UNITS
    sent = sum(len(records) for records in seen.answer.context.values())
    assert tokens.texts < 10 * sent + HUB_UNITS


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("place", ["out put", "输出 文件", "deep/er/output", "it's [b]bold[/b] {x}"])
async def test_tables_may_lie_anywhere(place: str, method: Method, tmp_path: Path) -> None:
    BY_NAME["DT0 good"].build(tmp_path / place)
    assert ending(await outcome(tmp_path / place, method)) == "answered"


async def test_a_width_that_is_known_names_both_models(tmp_path: Path) -> None:
    data = tables()
    write_tables(tmp_path / "output", data)
    write_vectors(tmp_path / "output" / "lancedb", data, 1536)
    found = await outcome(tmp_path / "output", "local")
    assert isinstance(found, CliError)
    assert "hash-8" in found.message
    assert "text-embedding-3-small" in found.message
    assert "index embed" in (found.hint or "")
