"""
Chance from one seed: named sub-streams for ids and for the schedule.

Only `Random.random()` is used, since it alone gives the same numbers in every
version of Python. One more draw in one stream does not change another.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache


@lru_cache(maxsize=4096)
def _prefix(seed: int, stream: str) -> str:
    draw = random.Random(f"{seed}/{stream}").random
    words = [int(draw() * 0x10000) for _ in range(3)]
    return f"{words[0]:04x}{words[1]:04x}-{words[2]:04x}-4000-8000-"


class Ids:
    """Ids in the form of a UUID: one drawn prefix per stream, then a counter."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._count: dict[str, int] = {}

    def new(self, stream: str) -> str:
        """Give the next id of a stream such as `step` or `execution`."""
        count = self._count.get(stream, 0) + 1
        self._count[stream] = count
        return f"{_prefix(self._seed, stream)}{count:012x}"


def seeded_choice(seed: int) -> Callable[[int], int]:
    """Give a function that picks one of n from the schedule's own stream."""
    source: list[random.Random] = []

    def choose(count: int) -> int:
        if not source:  # most scenarios never have two ready tasks
            source.append(random.Random(f"{seed}/schedule"))
        return int(source[0].random() * count)

    return choose
