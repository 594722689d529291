"""
Choices: the one source of chance of everything that is generated.

A generator is a plain function that asks for numbers: `choose(n)` gives an
index below n, and 0 always stands for the simplest possibility. The same
function is then driven by a seed (`Seeded`), by a recorded sequence that is
being shrunk (`Replayed`), or by Hypothesis (`properties.strategies`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

Choose = Callable[[int], int]
"""Gives an index below its argument; 0 is the simplest."""


def pick(choose: Choose, options: Sequence[T]) -> T:
    """Choose one of some options, the simplest first."""
    return options[choose(len(options))]


def chance(choose: Choose, one_in: int) -> bool:
    """Say yes once in `one_in` times; no is the simpler answer."""
    return choose(one_in) == one_in - 1


class Seeded:
    """Draws from a seed and records what it drew."""

    def __init__(self, seed: int, index: int) -> None:
        self._random = random.Random(f"{seed}/{index}").random
        self.taken: list[int] = []

    def __call__(self, count: int) -> int:
        """Draw an index below `count`."""
        value = int(self._random() * count)
        self.taken.append(value)
        return value


class Replayed:
    """Replays a sequence; what lies beyond its end, or out of bounds, is the simplest."""

    def __init__(self, sequence: Sequence[int]) -> None:
        self._sequence = sequence
        self.taken: list[int] = []

    def __call__(self, count: int) -> int:
        """Give the next recorded index."""
        place = len(self.taken)
        value = self._sequence[place] if place < len(self._sequence) else 0
        value = min(value, count - 1)
        self.taken.append(value)
        return value


SHRINKS_MAX = 2_000
"""Bound on the attempts of one shrink."""


def shrink(sequence: Sequence[int], fails: Callable[[Sequence[int]], bool]) -> list[int]:
    """
    Make a failing sequence small: shorter first, then with smaller numbers.

    Args:
        sequence: Choices under which `fails` is true.
        fails: Tells whether a sequence still shows the fault.

    Returns:
        A sequence that fails and none of whose single deletions, halvings or
        decrements does, unless the bound on attempts was reached first.
    """
    best = list(sequence)
    budget = SHRINKS_MAX
    improved = True
    while improved and budget > 0:
        improved = False
        for candidate in _smaller(best):
            budget -= 1
            if budget <= 0:
                break
            if fails(candidate):
                best = candidate
                improved = True
                break
    return best


def _smaller(sequence: list[int]) -> list[list[int]]:
    """Give smaller neighbours of a sequence, the boldest first."""
    size = len(sequence)
    found: list[list[int]] = []
    length = size // 2
    while length:
        found += [sequence[:at] + sequence[at + length :] for at in range(0, size, length)]
        length //= 2
    while sequence and sequence[-1] == 0:  # what lies beyond the end is 0 anyway
        sequence = sequence[:-1]
    if len(sequence) < size:
        found.insert(0, sequence)
    for at, value in enumerate(sequence):
        smaller = sorted({0, value // 2, value - 1} - {value, -1})
        found += [[*sequence[:at], less, *sequence[at + 1 :]] for less in smaller if value]
    return found
