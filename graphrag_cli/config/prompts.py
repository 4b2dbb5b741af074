"""Prompts are files: found, checked for their placeholders, and filled literally, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from graphrag_cli.config import template
from graphrag_cli.config.loaded import Finding
from graphrag_cli.config.schema import nearest
from graphrag_cli.errors import PromptError
from graphrag_cli.resources import shipped

if TYPE_CHECKING:
    from graphrag_cli.config.settings import Settings

PromptName: TypeAlias = Literal[
    "basic",
    "local",
    "global_map",
    "global_reduce",
    "global_knowledge",
    "global_rate",
    "drift_hyde",
    "drift_primer",
    "drift_local",
    "drift_reduce",
    "rewrite",
    "reask",
]
PROMPT_NAMES: tuple[PromptName, ...] = get_args(PromptName)

PLACEHOLDERS: dict[PromptName, frozenset[str]] = {
    "basic": frozenset({"context_data", "response_type"}),
    "local": frozenset({"context_data", "response_type"}),
    "global_map": frozenset({"context_data", "max_length"}),
    "global_reduce": frozenset({"report_data", "response_type", "max_length"}),
    "global_knowledge": frozenset(),
    "global_rate": frozenset({"description", "question"}),
    "drift_hyde": frozenset({"query", "template"}),
    "drift_primer": frozenset({"query", "community_reports", "followups"}),
    "drift_local": frozenset({"context_data", "response_type", "global_query", "followups"}),
    "drift_reduce": frozenset({"context_data", "response_type"}),
    "rewrite": frozenset({"history", "question"}),
    "reask": frozenset({"defect"}),
}
"""What each stage fills. GraphRAG's own names, so that a tuned prompt file of a GraphRAG project drops in."""

ESSENTIAL: Mapping[PromptName, tuple[str, ...]] = {
    "basic": ("context_data",),
    "local": ("context_data",),
    "global_map": ("context_data",),
    "global_reduce": ("report_data",),
    "global_rate": ("description", "question"),
    "drift_hyde": ("query",),
    "drift_primer": ("community_reports", "query"),
    "drift_local": ("context_data",),
    "drift_reduce": ("context_data",),
    "rewrite": ("history", "question"),
    "reask": ("defect",),
}
"""What a stage cannot do without: appended to a prompt that has no place for it."""

KEYS: Mapping[PromptName, str] = {
    "basic": "basic_search.prompt",
    "local": "local_search.prompt",
    "global_map": "global_search.map_prompt",
    "global_reduce": "global_search.reduce_prompt",
    "global_knowledge": "global_search.knowledge_prompt",
    "global_rate": "global_search.rate_prompt",
    "drift_hyde": "drift_search.hyde_prompt",
    "drift_primer": "drift_search.primer_prompt",
    "drift_local": "drift_search.prompt",
    "drift_reduce": "drift_search.reduce_prompt",
}
"""The setting that names a prompt's file; prompts that are not here can be had from ``--prompt-dir`` only."""

GRAPHRAG_FILES: Mapping[PromptName, tuple[str, ...]] = {
    "basic": ("basic_search_system_prompt.txt",),
    "local": ("local_search_system_prompt.txt",),
    "global_map": ("global_search_map_system_prompt.txt",),
    "global_reduce": ("global_search_reduce_system_prompt.txt",),
    "global_knowledge": ("global_search_knowledge_system_prompt.txt",),
    "drift_local": ("drift_search_system_prompt.txt",),
    "drift_reduce": ("drift_search_reduce_prompt.txt", "drift_reduce_prompt.txt"),
}
"""What GraphRAG calls the files in a project's ``prompts/``."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt's text and where it came from."""

    name: PromptName
    text: str
    origin: str
    """The file, or ``shipped``."""
    escaped: bool = False
    """True when literal braces are doubled, as prompts tuned for GraphRAG have them."""

    def fill(self, **values: str) -> str:
        """The text with each known ``{placeholder}`` replaced, literally and once: what is put in is not scanned again.

        Takes a value for each name in ``PLACEHOLDERS[self.name]``; those that the text has no place for are not
        used. Raises ``PromptError`` when the text has a place that gets no value.
        """
        spellings = template.accepted(PLACEHOLDERS[self.name] | values.keys())
        given = {spelling: values[name] for spelling, name in spellings.items() if name in values}
        present = template.placeholders(self.text, spellings, escaped=self.escaped)
        if missing := sorted(present - given.keys()):
            raise PromptError(f"prompt {self.name} ({self.origin}): nothing was given for {{{missing[0]}}}")
        return template.fill(self.text, given, escaped=self.escaped)


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The prompts of a run."""

    prompts: Mapping[PromptName, Prompt]
    findings: tuple[Finding, ...] = field(default=())
    """What is odd about the user's own files, and was worked around."""

    def __getitem__(self, name: PromptName) -> Prompt:
        return self.prompts[name]


def load_prompts(
    settings: Settings, needed: Iterable[PromptName], prompt_dir: Path | None = None
) -> PromptSet:
    """Reads the prompts ``needed``: from ``prompt_dir``, else the file that settings name, else the one shipped.

    Raises ``PromptError`` for a file that is named and missing or cannot be read.
    """
    if prompt_dir is not None:
        _check_folder(prompt_dir)
    prompts: dict[PromptName, Prompt] = {}
    findings: list[Finding] = []
    for name in needed:
        prompts[name], odd = _load(name, settings, prompt_dir)
        findings.extend(odd)
    return PromptSet(prompts, tuple(findings))


def named_file(settings: Settings, name: PromptName) -> Path | None:
    """The file that settings name for a prompt, absolute; None for the one shipped."""
    if name not in KEYS:
        return None
    section, _, key = KEYS[name].partition(".")
    path: Path | None = getattr(getattr(settings, section), key)
    return None if path is None else settings.root / path


def _load(name: PromptName, settings: Settings, prompt_dir: Path | None) -> tuple[Prompt, list[Finding]]:
    if prompt_dir is not None and (path := _in_folder(prompt_dir, name)):
        return adapt(name, _read(path, f"--prompt-dir, prompt {name}"), str(path))
    if path := named_file(settings, name):
        return adapt(name, _read(path, KEYS[name]), str(path))
    return Prompt(name, _read(shipped("prompts") / f"{name}.md", f"prompt {name}"), "shipped"), []


def adapt(name: PromptName, text: str, origin: str) -> tuple[Prompt, list[Finding]]:
    """A user's own text as a prompt: places that must be there are appended, and what is odd is told."""
    escaped = template.is_escaped(text)
    spellings = template.accepted(PLACEHOLDERS[name])
    words = set(template.braced_words(text, escaped=escaped))
    present = {spellings[found] for found in template.placeholders(text, spellings, escaped=escaped)}
    findings = [
        _odd(name, origin, f"has no place for {{{missing}}}, so that setting has no effect on it")
        for missing in sorted(PLACEHOLDERS[name] - present - set(ESSENTIAL.get(name, ())))
    ]
    for missing in (essential for essential in ESSENTIAL.get(name, ()) if essential not in present):
        text = f"{text.rstrip()}\n\n# {missing.replace('_', ' ').capitalize()}\n\n{{{missing}}}\n"
        findings.append(_odd(name, origin, f"has no {{{missing}}}; it is put at the end"))
    for word in sorted(words - spellings.keys()):
        guess = nearest(word, spellings)
        findings.append(
            _odd(name, origin, f"has {{{word}}}, which nothing fills: it is sent as it stands{guess}")
        )
    return Prompt(name, text, origin, escaped), findings


def _odd(name: PromptName, origin: str, what: str) -> Finding:
    return Finding(
        "warning",
        "prompt.placeholder",
        KEYS.get(name, name),
        f"prompt {name} ({origin}) {what}",
        "placeholders of this prompt: " + ", ".join(f"{{{known}}}" for known in sorted(PLACEHOLDERS[name])),
    )


def _in_folder(folder: Path, name: PromptName) -> Path | None:
    names = (f"{name}.md", f"{name}.txt", *GRAPHRAG_FILES.get(name, ()))
    return next((path for file in names if (path := folder / file).is_file()), None)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise PromptError(
            f"--prompt-dir {folder}: no such folder", hint="name the folder that holds the prompt files"
        )
    if not any(_in_folder(folder, name) for name in PROMPT_NAMES):
        raise PromptError(
            f"--prompt-dir {folder}: holds no prompt",
            hint="files are named "
            + ", ".join(f"{name}.md" for name in PROMPT_NAMES)
            + ", or as GraphRAG names them",
        )


def _read(path: Path, key: str) -> str:
    """Text of a prompt file. ``key`` says who named it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PromptError(
            f"{key}: {path} does not exist",
            hint="correct the path (it is relative to the settings file), or remove the key to use the prompt that is shipped",
        ) from None
    except IsADirectoryError:
        raise PromptError(f"{key}: {path} is a folder", hint="name the prompt file itself") from None
    except UnicodeDecodeError as error:
        raise PromptError(
            f"{key}: {path} is not UTF-8 (byte {error.start})", hint="save the file as UTF-8"
        ) from None
    except OSError as error:
        raise PromptError(f"{key}: {path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a NUL in the path
        raise PromptError(f"{key}: {str(path)!r} cannot be read: {error}") from None
    if not text.strip():
        raise PromptError(
            f"{key}: {path} is empty",
            hint="write a prompt into it, or remove the key to use the one that is shipped",
        )
    return text
