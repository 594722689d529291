"""
Where implementations differ, and which clauses decide.

A difference that some clause decides shows in the table of clauses. One between
implementations that all keep every clause in the same case is decided by none:
it is an open question of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from toolassay.comparison.behaviour import ABOUT
from toolassay.comparison.gather import Compared, Seen, is_unjudged
from toolassay.selection import slug_of


class Cell(msgspec.Struct, frozen=True):
    """One clause, for one implementation."""

    judged: int = 0
    """Cases in which it was judged and counts."""
    broken: int = 0
    """Cases in which it is broken."""
    warned: int = 0
    """Cases in which it is broken and that is a warning."""
    recorded: int = 0
    """Cases in which it was seen, and is not scored."""
    unjudged: int = 0
    """Cases in which it applied and could not be judged."""


class Row(msgspec.Struct, frozen=True):
    """One clause, for all implementations."""

    clause: str
    """Its id."""
    cells: tuple[Cell, ...]
    """What came of it, in the order of the implementations."""

    @property
    def broken(self) -> bool:
        """Tell whether any of them breaks it."""
        return any(cell.broken or cell.warned for cell in self.cells)


class Answer(msgspec.Struct, frozen=True):
    """One way to behave, and who behaves so."""

    word: str
    """What is seen in the example."""
    labels: tuple[str, ...]
    """The implementations, in their order."""
    breaks: tuple[str, ...] = ()
    """Clauses that one of them breaks in the example."""


class Difference(msgspec.Struct, frozen=True):
    """One aspect in which implementations fall apart in the same way, in some cases."""

    aspect: str
    """The aspect."""
    cases: int
    """Number of cases in which they fall apart so."""
    vectors: tuple[str, ...]
    """The vectors of those cases, sorted."""
    example: str
    """The first of those cases."""
    answers: tuple[Answer, ...]
    """The ways to behave in the example, that of the first implementation first."""
    decided_by: tuple[str, ...] = ()
    """Clauses that one of them breaks in one of those cases; none: an open question."""


class Comparison(msgspec.Struct, frozen=True):
    """Implementations side by side."""

    compared: tuple[Compared, ...]
    """The implementations, in the order in which they were given."""
    rows: tuple[Row, ...]
    """The clauses that any of them was judged by, in the order of the register."""
    common: int
    """Number of cases that at least two of them showed something of."""
    clusters: tuple[tuple[str, ...], ...]
    """Implementations that behave alike wherever they can be compared."""
    differences: tuple[Difference, ...]
    """Differences that a clause decides, most cases first."""
    questions: tuple[Difference, ...]
    """Differences that no clause decides, most cases first."""


def compare(compared: Sequence[Compared], clauses: Iterable[str]) -> Comparison:
    """
    Compare implementations.

    Args:
        compared: The implementations.
        clauses: All clauses, in the order of the register.
    """
    shared = _shared(compared)
    found, alike = _fall_apart(compared, shared)
    every = sorted(found, key=lambda one: (-one.cases, one.aspect, one.example))
    return Comparison(
        tuple(compared),
        _rows(compared, clauses),
        len(shared),
        _clusters([one.label for one in compared], alike),
        tuple(one for one in every if one.decided_by),
        tuple(one for one in every if not one.decided_by),
    )


def _rows(compared: Sequence[Compared], clauses: Iterable[str]) -> tuple[Row, ...]:
    columns = [_column(one) for one in compared]
    rows = (Row(name, tuple(one.get(name, Cell()) for one in columns)) for name in clauses)
    return tuple(row for row in rows if any(cell != Cell() for cell in row.cells))


_KEPT = frozenset(("pass", "xpass"))


def _column(one: Compared) -> dict[str, Cell]:
    cells: dict[str, list[int]] = {}
    for seen in one.cases.values():
        for clause, status in seen.clauses.items():
            cell = cells.setdefault(clause, [0] * 5)
            cell[0] += status in _KEPT or status in {"fail", "warn"}
            cell[1] += status == "fail"
            cell[2] += status == "warn"
            cell[3] += status == "recorded"
            cell[4] += is_unjudged(seen) and status not in {*_KEPT, "fail", "warn", "recorded"}
    return {clause: Cell(*counts) for clause, counts in cells.items()}


# --- behaviour ------------------------------------------------------------------------------


def _shared(compared: Sequence[Compared]) -> list[str]:
    """Give the cases of which at least two showed something, in the order of the first."""
    seen: dict[str, int] = {}
    for one in compared:
        for identifier, case in one.cases.items():
            seen[identifier] = seen.get(identifier, 0) + bool(case.behaviour)
    return [identifier for identifier, times in seen.items() if times > 1]


class _Parting(msgspec.Struct, frozen=True):
    """Who goes with whom in one aspect."""

    aspect: str
    sides: tuple[tuple[str, ...], ...]
    is_open: bool

    def fits_into(self, other: _Parting) -> bool:
        """Tell whether another one says the same of all of these, and of more."""
        if (self.aspect, self.is_open) != (other.aspect, other.is_open):
            return False
        mine = {label for side in self.sides for label in side}
        rest = [tuple(label for label in side if label in mine) for side in other.sides]
        return {side for side in rest if side} == set(self.sides)


class _Group(msgspec.Struct):
    """Cases in which implementations fall apart in the same way."""

    cases: list[str]
    answers: tuple[Answer, ...]
    broken: set[str]

    def take(self, other: _Group) -> None:
        """Take in the cases of a group that fits into this one."""
        self.cases += other.cases
        self.broken |= other.broken


def _fall_apart(
    compared: Sequence[Compared], shared: Sequence[str]
) -> tuple[list[Difference], set[frozenset[str]]]:
    """Give the differences, and the pairs of implementations that differ nowhere."""
    groups: dict[_Parting, _Group] = {}
    alike: set[frozenset[str]] = set()
    apart: set[frozenset[str]] = set()
    for identifier in shared:
        seen = {one.label: one.cases[identifier] for one in compared if identifier in one.cases}
        for aspect in ABOUT:
            everyone = _answers(seen, aspect)
            apart |= {frozenset(pair) for pair in _pairs(everyone)}
            for answer in everyone:
                alike |= {frozenset(pair) for pair in combinations(answer.labels, 2)}
            keeping = _answers({name: one for name, one in seen.items() if not one.broken}, aspect)
            told = keeping if len(keeping) > 1 else everyone
            if len(told) > 1:
                parting = _Parting(aspect, tuple(one.labels for one in told), told is keeping)
                group = groups.setdefault(parting, _Group([], told, set()))
                group.cases.append(identifier)
                group.broken |= {clause for answer in told for clause in answer.breaks}
    merged = _merged(groups)
    return [_difference(parting, group) for parting, group in merged.items()], alike - apart


def _merged(groups: Mapping[_Parting, _Group]) -> dict[_Parting, _Group]:
    """Put what is known of few implementations to what is known of more, where they agree."""
    kept: dict[_Parting, _Group] = {}
    for parting in sorted(groups, key=lambda one: -sum(map(len, one.sides))):
        host = next((other for other in kept if parting.fits_into(other)), None)
        if host is None:
            kept[parting] = groups[parting]
        else:
            kept[host].take(groups[parting])
    return kept


def _difference(parting: _Parting, group: _Group) -> Difference:
    return Difference(
        parting.aspect,
        len(group.cases),
        tuple(sorted({slug_of(name) for name in group.cases})),
        group.cases[0],
        group.answers,
        () if parting.is_open else tuple(sorted(group.broken)),
    )


def _answers(seen: Mapping[str, Seen], aspect: str) -> tuple[Answer, ...]:
    """Put together who behaves alike; who shows nothing is left out."""
    by_word: dict[str, list[str]] = {}
    for label, one in seen.items():
        word = one.behaviour.get(aspect)
        if word is not None:
            by_word.setdefault(word, []).append(label)
    return tuple(
        Answer(word, tuple(labels), _broken_by(seen[label] for label in labels))
        for word, labels in by_word.items()
    )


def _broken_by(seen: Iterable[Seen]) -> tuple[str, ...]:
    return tuple(sorted({clause for one in seen for clause in one.broken}))


def _pairs(answers: Sequence[Answer]) -> Iterable[tuple[str, str]]:
    for at, one in enumerate(answers):
        for other in answers[at + 1 :]:
            for label in one.labels:
                for second in other.labels:
                    yield label, second


def _clusters(labels: Sequence[str], alike: set[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Put each implementation to the first cluster all of which it behaves like."""
    clusters: list[list[str]] = []
    for label in labels:
        for cluster in clusters:
            if all(frozenset((label, other)) in alike for other in cluster):
                cluster.append(label)
                break
        else:
            clusters.append([label])
    return tuple(map(tuple, clusters))
