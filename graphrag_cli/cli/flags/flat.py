"""Options in groups: a command takes frozen dataclasses, and every field of them is a flag.

Typer reads one parameter per flag from a function's signature. ``flat`` gives it such a signature, made from the
fields of each parameter that is a dataclass (and of dataclasses inside it), and puts the dataclasses together
again when the command is called:

    @app.command()
    @flat
    def info(where: WhereOptions, output: OutputOptions) -> None: ...
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """``command`` with one parameter per field of each dataclass it takes. Raises ``TypeError`` if two share a name."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        annotation = hints[parameter.name]
        if _is_group(annotation):
            parameters.extend(_parameters_of(annotation))
        else:
            parameters.append(parameter.replace(annotation=annotation, kind=inspect.Parameter.KEYWORD_ONLY))
    _refuse_duplicates(command, parameters)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = _assemble(group, values)
        command(**values)

    del run.__wrapped__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    # Read by inspect.signature, which is how typer learns the flags.
    setattr(run, "__signature__", inspect.Signature(parameters))  # noqa: B010
    return run


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and dataclasses.is_dataclass(annotation)


def _parameters_of(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for field in dataclasses.fields(group):
        annotation = hints[field.name]
        if _is_group(annotation):
            parameters.extend(_parameters_of(annotation))
        else:
            parameters.append(
                inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=_default_of(field),
                    annotation=annotation,
                )
            )
    return parameters


def _assemble(group: type[Any], values: dict[str, Any]) -> Any:
    """The group, with its fields taken out of ``values``."""
    hints = get_type_hints(group)
    return group(
        **{
            name: _assemble(hints[name], values) if _is_group(hints[name]) else values.pop(name)
            for name in (field.name for field in dataclasses.fields(group))
        }
    )


def _default_of(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return inspect.Parameter.empty


def _refuse_duplicates(command: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    names = [parameter.name for parameter in parameters]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TypeError(f"{command.__name__} takes {', '.join(twice)} twice")
