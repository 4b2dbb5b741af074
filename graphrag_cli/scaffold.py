"""Begins a project: settings, prompts to edit, and on request the sample index."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graphrag_cli.config.prompts import KEYS
from graphrag_cli.errors import UsageError
from graphrag_cli.resources import shipped

_SAMPLE = "sample_index"
_SECTION = re.compile(r"^(\w+):")
_UNSET = re.compile(r"^  #(\w*prompt): null$")


@dataclass(frozen=True, slots=True)
class Begun:
    """What was written, in order; folders stand for all that is in them."""

    folder: Path
    written: tuple[Path, ...]


def begin_project(folder: Path, *, sample: bool) -> Begun:
    """Writes a project into ``folder``, which is made if it is not there.

    Nothing is ever overwritten: raises ``UsageError`` that names what is in the way, before anything is written.
    """
    prompts = {f"{name}.md": shipped("prompts") / f"{name}.md" for name in KEYS}
    targets = [folder / "settings.yaml", folder / "prompts", *([folder / _SAMPLE] if sample else [])]
    in_the_way = [path for path in targets if path.exists()]
    if in_the_way:
        raise UsageError(f"{in_the_way[0]} is there already", hint="name a new folder, or move it away")
    try:
        (folder / "prompts").mkdir(parents=True)
        for name, source in prompts.items():
            shutil.copyfile(source, folder / "prompts" / name)
        if sample:
            _copy_sample(folder / _SAMPLE)
        (folder / "settings.yaml").write_text(settings_text(sample=sample), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write in {folder}: {error.strerror}", hint="name another folder") from error
    return Begun(folder, tuple(targets))


def settings_text(*, sample: bool) -> str:
    """The settings shipped, with the prompts of the project named; without the sample its index is ``output``."""
    text = shipped("settings.yaml").read_text(encoding="utf-8")
    if not sample:
        text = text.replace(f"base_dir: {_SAMPLE}/output ", "base_dir: output ")
        text = text.replace("over the sample index", "over the index in `output/`")
    return "\n".join(_with_prompts(text.split("\n"), {key: name for name, key in KEYS.items()}))


def _with_prompts(lines: list[str], names: Mapping[str, str]) -> Iterator[str]:
    section = ""
    for line in lines:
        if begins := _SECTION.match(line):
            section = begins.group(1)
        unset = _UNSET.match(line)
        name = names.get(f"{section}.{unset.group(1)}") if unset else None
        yield f"  {unset.group(1)}: prompts/{name}.md" if unset and name else line


def _copy_sample(target: Path) -> None:
    source = shipped(_SAMPLE)
    target.mkdir()
    for name in ("README.md", "questions.txt", "expected.yaml"):
        shutil.copyfile(source / name, target / name)
    for name in ("input", "output"):
        shutil.copytree(source / name, target / name)
