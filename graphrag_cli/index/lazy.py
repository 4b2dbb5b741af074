"""Values that are worked out when first asked for, once, also when several threads ask at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")
KeyT = TypeVar("KeyT", bound=Hashable)


class Lazy(Generic[T]):
    """Call it for the value. A maker that raises is tried again by the next call."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._value: list[T] = []

    def __call__(self) -> T:
        """The value."""
        if not self._value:
            with self._lock:
                if not self._value:
                    self._value.append(self._make())
        return self._value[0]


class LazyMap(Generic[KeyT, T]):
    """As ``Lazy``, one value per key."""

    def __init__(self, make: Callable[[KeyT], T]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._values: dict[KeyT, T] = {}

    def __call__(self, key: KeyT) -> T:
        """The value of ``key``."""
        if key not in self._values:
            with self._lock:
                if key not in self._values:
                    self._values[key] = self._make(key)
        return self._values[key]
