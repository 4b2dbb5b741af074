"""What every wrapper of a model does the same way: it goes by the name of the model inside, and closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_cli.llm.base import ChatModel, Embedder


class ChatAround:
    """A chat model around another one."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """That of the model inside."""
        return self._inner.name

    async def aclose(self) -> None:
        """Closes the model inside."""
        await self._inner.aclose()


class EmbedderAround:
    """An embedder around another one."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """That of the embedder inside."""
        return self._inner.name

    @property
    def width(self) -> int | None:
        """That of the embedder inside."""
        return self._inner.width

    async def aclose(self) -> None:
        """Closes the embedder inside."""
        await self._inner.aclose()
