"""
Choices: the one source of chance of everything that is generated.

A generator is a plain function that asks for numbers: `choose(n)` gives an
index below n, and 0 always stands for the simplest possibility. The same
function is then driven by a seed (`Seeded`), by a recorded sequence that is
being shrunk (`Replayed`), or by Hypothesis (`properties.strategies`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
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


def several(choose: Choose, make: Callable[[int], T], most: int) -> tuple[T, ...]:
    """
    Make one value and perhaps more, at most `most`.

    Whether there is another one is asked before each, so that a value and its
    question lie side by side and can be left out together.
    """
    made = [make(0)]
    while len(made) < most and choose(2):
        made.append(make(len(made)))
    return tuple(made)


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


CHUNK_MAX = 16
"""Longest run of choices that is left out at once; a generated call takes fewer."""

SHRINKS_MAX = 2_000
"""Bound on the attempts of one shrink, if nothing else is said."""


def shrink(
    sequence: Sequence[int],
    fails: Callable[[Sequence[int]], bool],
    attempts: int = SHRINKS_MAX,
) -> list[int]:
    """
    Make a failing sequence small: shorter first, then with smaller numbers.

    Args:
        sequence: Choices under which `fails` is true.
        fails: Tells whether a sequence still shows the fault.
        attempts: How often `fails` may be asked.

    Returns:
        A sequence that fails and none of whose single deletions or decrements
        does, unless the bound on attempts was reached first.
    """
    best, left = list(sequence), attempts
    while True:
        before = best
        for shorten in (_without_chunk, _with_less):
            best, left = _pass(best, shorten, fails, left)
        if best == before or left <= 0:
            return best


def _pass(
    best: list[int],
    smaller: Callable[[list[int], int], Iterator[list[int]]],
    fails: Callable[[Sequence[int]], bool],
    left: int,
) -> tuple[list[int], int]:
    """Go once over all places; where something smaller fails too, go on from there."""
    place = 0
    while place < len(best) and left > 0:
        for candidate in smaller(best, place):
            left -= 1
            if fails(candidate):
                best = candidate
                break
            if left <= 0:
                break
        else:
            place += 1
    return best, left


def _without_chunk(sequence: list[int], place: int) -> Iterator[list[int]]:
    """Leave out what stands at a place: all the rest, then ever less of it."""
    rest = len(sequence) - place
    for size in dict.fromkeys((rest, *range(min(CHUNK_MAX, rest), 0, -1))):
        yield sequence[:place] + sequence[place + size :]


def _with_less(sequence: list[int], place: int) -> Iterator[list[int]]:
    """Put a smaller number at a place: 0, the half, one less."""
    value = sequence[place]
    for less in dict.fromkeys((0, value // 2, value - 1)):
        if 0 <= less < value:
            yield [*sequence[:place], less, *sequence[place + 1 :]]
