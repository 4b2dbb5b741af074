"""Citations: read from an answer in whatever spelling the model chose, and resolved to records and passages.

The form that the prompts ask for is ``[Data: Reports (2, 7, +more); Entities (5)]``. Models also write singulars,
lower case, ranges, full-width punctuation, translated labels, one bracket per id, or no ``Data:`` at all. The
reader looks for brackets that hold a known label, then walks through them word by word: a label opens a list of
ids, any other word closes it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from graphrag_cli.events import Citation, ContextRecord, Dataset, DocumentRef, Passage

if TYPE_CHECKING:
    from graphrag_cli.index.snapshot import Rows, Snapshot

_WORDS: Final[dict[Dataset, str]] = {
    "reports": "report reports communityreport communityreports community communities bericht berichte "
    "rapport rapports informe informes reporte reportes relatório relatórios rapporto rapporti отчет "
    "отчеты отчёт отчёты 报告 社区报告 報告 レポート 보고서",
    "entities": "entity entities node nodes entität entitäten entité entités entidad entidades entidade "
    "entità сущность сущности 实体 實體 エンティティ 엔티티 개체",
    "relationships": "relationship relationships relation relations edge edges beziehung beziehungen "
    "relación relaciones relação relações relazione relazioni отношение отношения связь связи 关系 關係 "
    "リレーションシップ 関係 관계",
    "claims": "claim claims covariate covariates behauptung behauptungen affirmation affirmations "
    "afirmación afirmaciones afirmação afirmações affermazione affermazioni утверждение утверждения "
    "声明 主张 聲明 主張 クレーム 주장",
    "sources": "source sources textunit textunits quelle quellen fuente fuentes fonte fontes fonti "
    "источник источники 来源 來源 资料来源 ソース 出典 출처",
}
LABELS: Final[dict[str, Dataset]] = {
    word: dataset for dataset, words in _WORDS.items() for word in words.split()
}
"""Label, lower case and without spaces or separators, to data set."""

_OPENERS: Final = {
    "data",
    "daten",
    "données",
    "datos",
    "dados",
    "dati",
    "данные",
    "数据",
    "數據",
    "資料",
    "データ",
    "데이터",
}
_FILLERS: Final = {
    "id",
    "ids",
    "and",
    "und",
    "et",
    "y",
    "e",
    "и",
    "no",
    "nr",
    "nos",
    "number",
    "more",
    "mehr",
    "plus",
}

MAX_RANGE = 200
"""A longer range is a date or a slip of the pen: only its ends are read."""

MAX_PASSAGES = 5
"""A report or an entity leads to at most so many text units."""

EXCERPT_CHARACTERS = 240

_BRACKET = re.compile(r"\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]|【([^【】]*)】|［([^［］]*)］|〔([^〔〕]*)〕")
_PARENTHESIS = re.compile(
    r"[(（]\s*((?:data|daten|données|datos|数据)\s*[:：][^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*)[)）]",
    re.I,
)
_TOKEN = re.compile(
    r"""(?P<range>\d+\s*(?:-|–|—|−|~|\.\.+|to|bis|至)\s*\d+)
    |(?P<number>(?<![\w.-])[\w.-]+:\d+|(?<![+\d])\d+)
    |(?P<word>[^\W\d_][^\W\d]*)
    |(?P<close>[;；])""",
    re.VERBOSE,
)
_DIGITS = re.compile(r"\d+")
_MOST_DIGITS = 18
"""A longer number fits no id of 64 bits: it is the model repeating itself, not a citation."""


@dataclass(frozen=True, slots=True)
class Cited:
    """One record that an answer names."""

    dataset: Dataset
    id: str


def parse_citations(answer: str) -> tuple[Cited, ...]:
    """Every record that ``answer`` cites, in order of first mention, each once."""
    seen: dict[Cited, None] = {}
    for body in _bracket_bodies(answer):
        for cited in _read(body):
            seen.setdefault(cited)
    return tuple(seen)


def _bracket_bodies(answer: str) -> Iterator[str]:
    found: list[tuple[int, str]] = []
    for pattern in (_BRACKET, _PARENTHESIS):
        found += [
            (match.start(), next(group for group in match.groups() if group is not None))
            for match in pattern.finditer(answer)
        ]
    found.sort()
    return (unicodedata.normalize("NFKC", body) for _, body in found)


def _read(body: str) -> Iterator[Cited]:
    dataset: Dataset | None = None
    before = ""
    opened = False
    for match in _TOKEN.finditer(body):
        text = match.group()
        if match["word"]:
            word = _folded(text)
            joined = LABELS.get(before + word) or LABELS.get(word)
            opened = opened or word in _OPENERS
            if joined is not None:
                dataset = joined
            elif word not in _FILLERS and not (opened and dataset is not None and word in _OPENERS):
                dataset = None
            before = word
        elif match["close"]:
            before = ""
        elif dataset is not None:
            yield from (Cited(dataset, number) for number in _numbers(text, match["range"] is not None))


def _folded(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "")


def _numbers(text: str, is_range: bool) -> Iterator[str]:
    """The ids that one number or range stands for; an id of several indexes (``polar:12``) stays as it is."""
    if any(len(digits) > _MOST_DIGITS for digits in _DIGITS.findall(text)):
        return
    if not is_range:
        yield text if ":" in text else str(int(text))
        return
    first, last = (int(number) for number in _DIGITS.findall(text))
    if first <= last <= first + MAX_RANGE:
        yield from map(str, range(first, last + 1))
    else:
        yield from (str(first), str(last))


# ---- resolving ----------------------------------------------------------------------------------------------


def resolve(snapshot: Snapshot, cited: Cited, sent: Mapping[tuple[Dataset, str], ContextRecord]) -> Citation:
    """What ``cited`` leads to: the record, whether it was sent, its passages and their documents."""
    record = sent.get((cited.dataset, cited.id))
    row = int(snapshot.rows_by_label(cited.dataset, [cited.id])[0])
    if row < 0:
        title = record.title if record else ""
        record_id = record.record_id if record else None
        return Citation(cited.dataset, cited.id, title, record is not None, record is not None, record_id)
    record_id, title, text = _describe(snapshot, cited.dataset, row)
    passages = _passages(snapshot, cited.dataset, row)
    documents = {passage.document.id: passage.document for passage in passages if passage.document}
    if not title and documents:
        title = next(iter(documents.values())).title
    return Citation(
        dataset=cited.dataset,
        id=cited.id,
        title=title,
        in_context=record is not None,
        exists=True,
        record_id=record_id,
        documents=tuple(documents.values()),
        passages=passages,
        excerpt=excerpt(text),
    )


def _describe(snapshot: Snapshot, dataset: Dataset, row: int) -> tuple[str, str, str]:
    """Record id, title and text of one record."""
    rows = np.asarray([row], dtype=np.int64)
    match dataset:
        case "reports":
            report = snapshot.reports(rows)[0]
            return report.id, report.title, report.summary or report.content
        case "entities":
            entity = snapshot.entities(rows)[0]
            return entity.id, entity.title, entity.description
        case "relationships":
            edge = snapshot.relationships(rows)[0]
            return edge.id, f"{edge.source} → {edge.target}", edge.description
        case "claims":
            claim = snapshot.claims(rows)[0]
            return claim.id, claim.subject, claim.description
        case "sources":
            unit = snapshot.text_units(rows)[0]
            return unit.id, "", unit.text


def _passages(snapshot: Snapshot, dataset: Dataset, row: int) -> tuple[Passage, ...]:
    units = _unit_rows(snapshot, dataset, row)[:MAX_PASSAGES]
    owners = snapshot.document_rows_of(units)
    documents = iter(snapshot.documents(owners[owners >= 0]))
    owned = [next(documents) if owner >= 0 else None for owner in owners.tolist()]
    return tuple(
        Passage(
            text_unit_id=unit.id,
            source_id=str(unit.label),
            document=DocumentRef(document.id, document.title) if document else None,
            excerpt=excerpt(unit.text),
        )
        for unit, document in zip(snapshot.text_units(units), owned, strict=True)
    )


def _unit_rows(snapshot: Snapshot, dataset: Dataset, row: int) -> Rows:
    match dataset:
        case "reports":
            community = snapshot.reports(np.asarray([row], dtype=np.int64))[0].community
            return snapshot.text_unit_rows_of_community(community)
        case "entities":
            return snapshot.text_unit_rows_of_entity(row)
        case "relationships":
            return snapshot.text_unit_rows_of_relationship(row)
        case "claims":
            return snapshot.text_unit_rows_of_claim(row)
        case "sources":
            return np.asarray([row], dtype=np.int64)


def excerpt(text: str) -> str:
    """The beginning of ``text`` on one line, cut between words."""
    flat = " ".join(text[: 4 * EXCERPT_CHARACTERS].split())
    if len(flat) <= EXCERPT_CHARACTERS < len(text):
        flat = " ".join(text.split())  # mostly blanks
    if len(flat) <= EXCERPT_CHARACTERS:
        return flat
    return flat[:EXCERPT_CHARACTERS].rsplit(" ", 1)[0] + " …"
