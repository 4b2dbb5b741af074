"""From files, environment and flags to one frozen ``Settings``, with the origin of every value."""

from __future__ import annotations

from graphrag_cli.config.loaded import Finding, Loaded, Origin, Unresolved, Where

__all__ = ["Finding", "Loaded", "Origin", "Unresolved", "Where", "load"]


def load(where: Where) -> Loaded:
    """Reads the settings of the project at ``where``. Raises ``SettingsError``."""
    raise NotImplementedError
