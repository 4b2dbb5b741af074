"""What a method needs of the settings before it can run: the entries of its models, complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_cli.config.check import missing_models
from graphrag_cli.errors import SettingsError

if TYPE_CHECKING:
    from graphrag_cli.config.loaded import Loaded
    from graphrag_cli.events import Method


def require_models(loaded: Loaded, method: Method) -> None:
    """Raises ``SettingsError`` when a model that ``method`` uses is not described, or lacks its key or address."""
    section = f"{method}_search"
    for finding in missing_models(loaded.settings):
        if finding.key.startswith(f"{section}."):
            raise SettingsError(finding.text, hint=finding.hint)
    chosen = getattr(loaded.settings, section)
    loaded.require(f"completion_models.{chosen.completion_model_id}")
    if embedding_id := getattr(chosen, "embedding_model_id", None):
        loaded.require(f"embedding_models.{embedding_id}")
    if rate_id := getattr(chosen, "rate_model_id", None):
        loaded.require(f"completion_models.{rate_id}")
