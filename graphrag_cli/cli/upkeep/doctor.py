"""What ``doctor`` looks at, one thing after the other; a thing that cannot be looked at is a finding itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_cli.cli.upkeep.checks import IndexCheck, models_found, report_found, settings_found
from graphrag_cli.cli.upkeep.findings import Found, count
from graphrag_cli.engines.opening import index_settings
from graphrag_cli.errors import CliError

if TYPE_CHECKING:
    from graphrag_cli.config.load import Loaded
    from graphrag_cli.config.settings import Settings


async def examine(loaded: Loaded, prompt_dir: Path | None, *, online: bool) -> list[Found]:
    """Settings, then each index, then the models; what two looks found alike is told once."""
    found = settings_found(loaded, prompt_dir)
    if not count(found, "error"):
        found.insert(
            0,
            Found(
                "ok", "settings", "settings", str(loaded.path), f"{loaded.path} and the prompts can be used"
            ),
        )
    for settings in index_settings(loaded.settings):
        found += await _index(loaded, settings, online=online)
    found += await models_found(loaded, online=online)
    return list({(one.area, one.code, one.subject, one.text): one for one in found}.values())


async def _index(loaded: Loaded, settings: Settings, *, online: bool) -> list[Found]:
    try:
        check = IndexCheck(loaded, settings)
        try:
            report = await check.report()
            tests = [found async for found in check.self_tests(report, online=online)]
            return [*report_found(report), *tests]
        finally:
            await check.aclose()
    except CliError as error:
        place = settings.output_storage.base_dir
        return [Found("error", "index", error.code, place, error.message, error.hint)]
