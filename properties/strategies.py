"""
Hypothesis strategies over the same generators that a seed drives.

Each choice of a generator becomes one drawn integer whose smallest value is
the simplest possibility, so Hypothesis shrinks what it finds by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st

from toolassay.properties import generator, texts
from toolassay.properties.choices import Choose
from toolassay.properties.faults import event_case
from toolassay.spec.case import Case
from toolassay.spec.scenario import Scenario

T = TypeVar("T")


def driven(make: Callable[[Choose], T]) -> st.SearchStrategy[T]:
    """Turn a generator into a strategy."""

    @st.composite
    def strategy(draw: st.DrawFn) -> T:
        return make(lambda count: draw(st.integers(0, count - 1)))

    return strategy()


def scenarios() -> st.SearchStrategy[Scenario]:
    """Give scenarios of `turn/run`."""
    return driven(generator.scenario)


def cases() -> st.SearchStrategy[Case]:
    """Give cases of any operation in scope."""
    return st.one_of(
        driven(generator.turn_case), driven(event_case), driven(generator.sanitize_case)
    )


def event_cases() -> st.SearchStrategy[Case]:
    """Give events with at most one planted fault, each with its expectation."""
    return driven(event_case)


def argument_texts() -> st.SearchStrategy[bytes]:
    """Give raw argument texts: JSON, near-JSON and bytes."""
    return driven(texts.raw_arguments)


def cuts(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Give byte offsets at which a stream cuts a text of `size` bytes."""
    return driven(lambda choose: generator.cuts_of(choose, size))


def drop_sets(size: int) -> st.SearchStrategy[frozenset[int]]:
    """Give sets of positions, out of `size`, at which an ephemeral is lost."""
    if size == 0:
        return st.just(frozenset())
    return st.frozensets(st.integers(0, size - 1))
