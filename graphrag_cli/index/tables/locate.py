"""Where the tables of an index are: the folder itself, a run folder in it, parquet or CSV, old names or new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from graphrag_cli.errors import IndexDataError
from graphrag_cli.index.places import Place
from graphrag_cli.index.tables.schema import FILE_NAMES, TableName

Layout: TypeAlias = Literal["2.x", "1.x"]
"""Names of the files: as since 2.0, or ``create_final_…`` as up to 1.x."""
Format: TypeAlias = Literal["parquet", "csv"]

_CORE: tuple[TableName, ...] = ("entities", "relationships", "reports", "text_units")
_LAYOUTS: tuple[Layout, ...] = ("2.x", "1.x")
"""Best first, in the order of the names in ``FILE_NAMES``."""
_UNFINISHED = ("create_base_", "base_", "create_summarized_")


@dataclass(frozen=True, slots=True)
class Located:
    """The tables of one index. ``notes`` says what was chosen where there was a choice."""

    folder: Place
    layout: Layout
    files: Mapping[TableName, Place]
    found: tuple[str, ...]
    """Names of all table files in the folder, for messages."""
    unfinished: bool = False
    """True when only files of early indexing stages are there."""
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """True when every table that some method needs is there."""
        return all(name in self.files for name in _CORE)


def locate(folder: Place, wanted: Literal["parquet", "csv", "auto"] = "auto") -> Located:
    """The index in ``folder``, or in the newest complete run below it.

    Looks in ``folder``, ``folder/artifacts``, ``folder/<run>/artifacts``, ``folder/<run>`` and ``folder/output``.
    Raises ``IndexDataError`` when there is no such folder or no table in any of these places.
    """
    if not folder.is_dir():
        raise IndexDataError(
            f"there is no index folder {str(folder)!r}",
            hint="name the folder that holds the tables with --data, or set output_storage.base_dir in the settings",
        )
    formats: tuple[Format, ...] = ("parquet", "csv") if wanted == "auto" else (wanted,)
    itself = _at(folder, formats)
    if itself.complete:
        return replace(itself, notes=_updates(folder, formats))
    places = [_at(place, formats) for place in _places(folder)]
    complete = [place for place in places if place.complete]
    some = [place for place in places if place.files]
    chosen = next(iter(complete or some), None)
    if chosen is None:
        raise _nothing(folder, formats)
    if len(some) > 1 or chosen.folder != folder:
        others = ", ".join(_shown(place.folder, folder) for place in some if place is not chosen)
        note = f"read from {_shown(chosen.folder, folder)}" + (f"; also there: {others}" if others else "")
        return replace(chosen, notes=(note,))
    return chosen


def _places(folder: Place) -> Iterator[Place]:
    """Where to look, best first; run folders newest first, as their names say the time."""
    yield folder
    yield folder / "artifacts"
    runs = sorted((path for path in _folders(folder) if path.name[:1].isdigit()), key=lambda path: path.name)
    for run in reversed(runs):
        yield run / "artifacts"
        yield run
    output = folder / "output"
    if output.is_dir():
        yield from _places(output)


def _updates(folder: Place, formats: tuple[Format, ...]) -> tuple[str, ...]:
    """A word on merged indexes that update runs of some releases leave in ``update_output/<run>`` beside the tables."""
    beside = folder.parent / "update_output"
    if not isinstance(folder, Path) or not beside.is_dir():
        return ()
    whole = [run for run in sorted(_folders(beside), key=str) if _at(run, formats).complete]
    return tuple(f"an update run left another index in {str(run)!r}" for run in whole[-1:])


def _folders(folder: Place) -> list[Place]:
    return [path for path in folder.iterdir() if path.is_dir()]


def _shown(path: Place, base: Place) -> str:
    return (
        "the folder itself"
        if path == base
        else str(path).removeprefix(str(base)).strip("/\\").replace("\\", "/")
    )


def _at(folder: Place, formats: tuple[Format, ...]) -> Located:
    """What lies in exactly ``folder``: names since 2.0 go before older ones, parquet before CSV."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    found = tuple(name for name in names if name.endswith(tuple(f".{form}" for form in formats)))
    for form in formats:
        for index, layout in enumerate(_LAYOUTS):
            files = _matching(folder, found, form, index)
            if files:
                return Located(folder, layout, files, found)
    unfinished = any(name.startswith(_UNFINISHED) for name in found)
    return Located(folder, "2.x", {}, found, unfinished)


def _matching(folder: Place, found: tuple[str, ...], form: Format, index: int) -> dict[TableName, Place]:
    files: dict[TableName, Place] = {}
    for table, spellings in FILE_NAMES.items():
        name = f"{spellings[index]}.{form}"
        if spellings[index] and name in found:
            files[table] = folder / name
    return files


def _nothing(folder: Place, formats: tuple[Format, ...]) -> IndexDataError:
    names = sorted(path.name for path in folder.iterdir())
    early = [name for name in names if name.startswith(_UNFINISHED)]
    if any((path / "delta").is_dir() for path in _folders(folder)):
        return IndexDataError(
            f"{str(folder)!r} holds the increments of update runs, not an index",
            hint="the merged index is in the output folder: name that with --data",
        )
    if early:
        return IndexDataError(
            f"the index in {str(folder)!r} is half finished: it holds {', '.join(early[:4])} but no final table",
            hint="run the indexer to its end, or name another run's folder with --data",
        )
    shown = ", ".join(names[:8]) + (" …" if len(names) > 8 else "") if names else "nothing"
    return IndexDataError(
        f"no GraphRAG table ({' or '.join(formats)}) in {str(folder)!r}; it holds {shown}",
        hint="name the folder that holds entities.parquet, text_units.parquet … with --data; was indexing run?",
    )
