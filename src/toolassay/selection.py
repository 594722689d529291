"""
Which cases of a set are meant: by id, family, clause or contract.

A pattern of a case is its id, the slug of its vector, or either with `*` and
`?`. Brackets stand for themselves, since ids hold them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import msgspec

from toolassay.near import unknown
from toolassay.spec.case import Case
from toolassay.spec.errors import UnknownNameError


class Selection(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was asked for; an empty field selects all."""

    cases: tuple[str, ...] = ()
    """Patterns of case ids or vector slugs."""
    families: tuple[str, ...] = ()
    """Families: what stands before the first dot of a slug."""
    clauses: tuple[str, ...] = ()
    """Ids of clauses; only they are judged, and only cases that cite one of them run."""
    contracts: tuple[str, ...] = ()
    """Contracts: `events`, `transcript`, `execution`."""

    @property
    def is_all(self) -> bool:
        """Tell whether nothing is left out."""
        return not (self.cases or self.families or self.clauses or self.contracts)

    def names(self, identifier: str) -> bool:
        """Tell whether an id of a case or a vector is meant, as far as its name says."""
        if self.families and family_of(identifier) not in self.families:
            return False
        slug = slug_of(identifier)
        return not self.cases or any(
            matches(pattern, identifier) or matches(pattern, slug) for pattern in self.cases
        )

    def takes(self, case: Case) -> bool:
        """Tell whether a case is meant."""
        return (
            (not self.contracts or case.contract in self.contracts)
            and self.names(case.id)
            and (not self.clauses or self._cites(case))
        )

    def _cites(self, case: Case) -> bool:
        """Tell whether a case is about a clause; one that cites none is judged for all."""
        clauses = cited(case)
        return not clauses or not clauses.isdisjoint(self.clauses)


def family_of(identifier: str) -> str:
    """Give the family of a case id or of a slug."""
    return slug_of(identifier).partition(".")[0]


def slug_of(identifier: str) -> str:
    """Give the slug of a case id."""
    return identifier.partition("[")[0]


def cited(case: Case) -> frozenset[str]:
    """Give the clauses that a case cites, in expectations and relations."""
    return frozenset(
        [expectation.clause for expectation in case.expect]
        + [relation.clause for relation in case.relations]
    )


def matches(pattern: str, name: str) -> bool:
    """Tell whether a pattern with `*` and `?` stands for a name."""
    return pattern == name or _matcher(pattern)(name)


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Callable[[str], bool]:
    if "*" not in pattern and "?" not in pattern:
        return pattern.__eq__
    parts = (re.escape(part) for part in re.split(r"([*?])", pattern))
    text = "".join({r"\*": ".*", r"\?": "."}.get(part, part) for part in parts)
    found = re.compile(text, re.DOTALL).fullmatch
    return lambda name: found(name) is not None


def select(cases: Iterable[Case], selection: Selection) -> list[Case]:
    """
    Pick the cases that are meant, in their order.

    Raises:
        UnknownNameError: A family or a pattern of cases stands for none of the cases.
    """
    everything = list(cases)
    if selection.is_all:
        return everything
    check_names(everything, selection)
    return [case for case in everything if selection.takes(case)]


def check_names(cases: Sequence[Case], selection: Selection) -> None:
    """Refuse patterns and families that stand for nothing."""
    families = {family_of(case.vector) for case in cases}
    for family in selection.families:
        if family not in families:
            raise unknown("family", family, sorted(families))
    for pattern in selection.cases:
        if not any(matches(pattern, case.id) or matches(pattern, case.vector) for case in cases):
            raise _unknown_case(pattern, cases)


def check_clauses(clauses: Iterable[str], known: Iterable[str]) -> None:
    """Refuse ids of clauses that the register does not have."""
    ids = list(known)
    for clause in clauses:
        if clause not in ids:
            raise unknown("clause", clause, ids)


def _unknown_case(pattern: str, cases: Sequence[Case]) -> UnknownNameError:
    slugs = {case.vector for case in cases}
    ids = [case.id for case in cases if case.vector == slug_of(pattern)]
    return unknown("case", pattern, ids or sorted(slugs))
