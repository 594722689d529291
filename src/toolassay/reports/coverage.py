"""How well each clause is held in place: vectors that keep it, near misses, mutants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from toolassay.selection import cited
from toolassay.spec.case import Case
from toolassay.spec.register import Register


class Coverage(msgspec.Struct, frozen=True):
    """What holds one clause in place."""

    id: str
    """The clause."""
    testable: bool
    """Whether it can be observed at all."""
    positive: int
    """Number of vectors that show it kept."""
    negative: int
    """Number of vectors that come close to breaking it."""
    mutants: int
    """Number of mutants that break it."""
    cases: int
    """Number of cases that cite it."""


def coverage(
    register: Register, cases: Iterable[Case], mutants: Mapping[str, int]
) -> tuple[Coverage, ...]:
    """
    Count for each clause what holds it in place.

    Args:
        register: All clauses.
        cases: The cases.
        mutants: Number of mutants by clause.
    """
    vectors: dict[tuple[str, str], set[str]] = {}
    numbers: dict[str, int] = {}
    for case in cases:
        for clause in cited(case):
            vectors.setdefault((clause, case.kind), set()).add(case.vector)
            numbers[clause] = numbers.get(clause, 0) + 1
    return tuple(
        Coverage(
            clause.id,
            not clause.untestable,
            len(vectors.get((clause.id, "positive"), ())),
            len(vectors.get((clause.id, "negative"), ())),
            mutants.get(clause.id, 0),
            numbers.get(clause.id, 0),
        )
        for clause in register.clauses.values()
    )
