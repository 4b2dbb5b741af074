"""What lies in the user's cache folder, of indexes and of replies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from graphrag_cli.index.kept.cache import cache_root, clear, entries
from graphrag_cli.llm.around.store import default_cache


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing that is kept."""

    kind: str
    of: str
    path: Path
    size: int
    """Bytes."""

    @property
    def shown_size(self) -> str:
        """For people."""
        return shown_bytes(self.size)


def kept() -> list[Kept]:
    """Everything, the index used last first."""
    root = cache_root()
    found = [
        Kept("index", entry.index, entry.folder, entry.size) for entry in (entries(root) if root else [])
    ]
    replies = default_cache()
    if replies.exists():
        found.append(
            Kept("replies", "every project whose settings name no file", replies, replies.stat().st_size)
        )
    return found


def clear_all() -> int:
    """Removes everything; bytes freed."""
    root, replies = cache_root(), default_cache()
    freed = clear(root) if root else 0
    if replies.exists():
        freed += replies.stat().st_size
        replies.unlink()
    return freed


def shown_bytes(size: int) -> str:
    """``1.2 MB``."""
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
