"""Work shared between threads is done once for those who wait, and reaches each of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from graphrag_cli.index.vectors.coalesce import Coalesced


class Slow:
    """Doubles numbers; the first call waits until it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()
        self.calls: list[list[int]] = []

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.calls.append(list(numbers))
        if len(self.calls) == 1:
            self.begun.set()
            assert self.go.wait(10)
        if -1 in numbers:
            raise ValueError("minus one")
        return [2 * number for number in numbers]


def asked(work: Slow, first: int, later: Sequence[int], most: int) -> dict[int, int | str]:
    """What callers got: one that begins, the others while its call is under way."""
    together = Coalesced[int, int](work, most)
    got: dict[int, int | str] = {}

    def ask(number: int) -> None:
        try:
            got[number] = together(number)
        except ValueError as error:
            got[number] = str(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in (first, *later)]
    threads[0].start()
    assert work.begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    while len(together.queue) < len(later):
        threading.Event().wait(0.001)
    work.go.set()
    for thread in threads:
        thread.join(10)
    return got


def test_those_who_wait_are_served_by_one_call() -> None:
    work = Slow()
    assert asked(work, 1, [2, 3, 4], most=32) == {1: 2, 2: 4, 3: 6, 4: 8}
    assert [sorted(call) for call in work.calls] == [[1], [2, 3, 4]]


def test_no_call_is_larger_than_allowed() -> None:
    work = Slow()
    assert asked(work, 1, [2, 3, 4, 5, 6], most=2) == {number: 2 * number for number in range(1, 7)}
    assert max(map(len, work.calls)) == 2


def test_a_failure_reaches_all_it_was_made_with_and_nobody_else() -> None:
    work = Slow()
    got = asked(work, 1, [-1, 2], most=32)
    assert got == {1: 2, -1: "minus one", 2: "minus one"}


@pytest.mark.parametrize("number", [0, 7])
def test_alone_it_is_a_plain_call(number: int) -> None:
    assert Coalesced[int, int](lambda numbers: [one + 1 for one in numbers], 4)(number) == number + 1
