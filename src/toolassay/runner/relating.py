"""
Relations: cases of one vector whose observations are judged together.

The check of a relation belongs to its owner, the case in which its axis has its
default value, which has the id of the group. An owner is held back until all
cases of its relations are there, and what comes after it waits with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from toolassay.properties.relations import relate
from toolassay.results import CaseResult, Check
from toolassay.runner.judging import scored
from toolassay.runner.rules import Rules
from toolassay.spec.case import Case, RelationRef
from toolassay.spec.observation import Observation
from toolassay.statuses import worst


class _Relation(msgspec.Struct):
    """A relation, and what has been seen of it."""

    clause: str
    """The clause that its cases must keep together."""
    owner: str
    """The case that its check is added to."""
    missing: int
    """How many of its cases have no result yet."""
    seen: list[tuple[Case, Observation]] = []
    """Its cases that have an observation, in order."""


class Relations:
    """
    The relations of a run, and the results that wait for them.

    Args:
        cases: The cases of the run, in order.
        rules: What is judged, and how it is scored.
    """

    def __init__(self, cases: Sequence[Case], rules: Rules) -> None:
        self._rules = rules
        self._by_member: dict[str, list[_Relation]] = {}
        self._by_owner: dict[str, list[_Relation]] = {}
        self._held: dict[str, CaseResult] = {}
        for _, members in groupby(cases, key=lambda case: case.vector):
            self._prepare(members)

    def take(self, result: CaseResult) -> Sequence[CaseResult]:
        """Take the result of the next case; give those that wait for nothing any more."""
        name = result.case.id
        joined = self._by_member.get(name)
        if joined is None and not self._held:
            return (result,)
        self._held[name] = result
        for relation in joined or ():
            relation.missing -= 1
            if result.observation is not None:
                relation.seen.append((result.case, result.observation))
            if not relation.missing:
                self._complete(relation.owner)
        return list(self._released())

    def holds(self, result: CaseResult) -> bool:
        """Tell whether a result still waits."""
        return result.case.id in self._held

    def rest(self) -> Iterator[CaseResult]:
        """Give what waits for cases that will not come, without the checks of their relations."""
        while self._held:
            name = next(iter(self._held))
            open_ones = self._by_owner.get(name, ())
            yield _undecided(self._held.pop(name), {relation.clause for relation in open_ones})

    def _prepare(self, cases: Iterable[Case]) -> None:
        """Find the relations of one vector."""
        wanted = self._rules.clauses
        groups: dict[RelationRef, list[str]] = {}
        for case in cases:
            for reference in case.relations:
                if wanted is None or reference.clause in wanted:
                    groups.setdefault(reference, []).append(case.id)
        for reference, members in groups.items():
            owner = reference.group if reference.group in members else members[0]
            relation = _Relation(reference.clause, owner, len(members))
            self._by_owner.setdefault(owner, []).append(relation)
            for member in members:
                self._by_member.setdefault(member, []).append(relation)

    def _complete(self, owner: str) -> None:
        """Add the checks of relations to their owner, once all of them can be judged."""
        relations = self._by_owner[owner]
        if any(relation.missing for relation in relations):
            return
        result = self._held[owner]
        for relation in relations:
            result = _with(result, _check(relation, self._rules))
            relation.seen.clear()
        self._held[owner] = result
        del self._by_owner[owner]

    def _released(self) -> Iterator[CaseResult]:
        while self._held:
            name = next(iter(self._held))
            if name in self._by_owner:
                return
            yield self._held.pop(name)


def judge_relations(results: Sequence[CaseResult], rules: Rules) -> list[CaseResult]:
    """
    Add the checks of relations to the results of one vector.

    Args:
        results: The results of the vector's cases, in order.
        rules: What is judged, and how it is scored.
    """
    relations = Relations([result.case for result in results], rules)
    return [judged for result in results for judged in relations.take(result)]


def joined(cases: Sequence[Case]) -> list[tuple[Case, ...]]:
    """
    Part the cases of one vector into those that relations join, directly or by others.

    Args:
        cases: Cases of the vector that have relations, in order.
    """
    places = {case.id: place for place, case in enumerate(cases)}
    parts: dict[RelationRef, dict[str, Case]] = {}
    for case in cases:
        part = {case.id: case}
        for reference in case.relations:
            part |= parts.get(reference, {})
        for one in list(part.values()):
            parts.update(dict.fromkeys(one.relations, part))
    found = {min(part, key=places.__getitem__): part for part in parts.values()}
    return [
        tuple(sorted(part.values(), key=lambda case: places[case.id])) for part in found.values()
    ]


def _check(relation: _Relation, rules: Rules) -> Check:
    clause, seen = relation.clause, relation.seen
    name = f"relation.{clause}"
    if len(seen) < 2:
        return Check(clause, name, "not_applicable", (), "relation of one case alone")
    (check,) = scored((relate(clause, seen),), rules)
    return msgspec.structs.replace(check, check=name)


def _with(result: CaseResult, check: Check) -> CaseResult:
    """Add a check to a result; a case that did not apply stays so."""
    checks = (*result.checks, check)
    status = worst((result.status, check.status))
    return msgspec.structs.replace(result, checks=checks, status=status)


def _undecided(result: CaseResult, clauses: set[str]) -> CaseResult:
    """Leave out what passes of clauses by which a relation would have been judged as well."""
    # A baseline would take it for a known failure that is gone.
    checks = tuple(
        check for check in result.checks if check.status != "pass" or check.clause not in clauses
    )
    if len(checks) == len(result.checks):
        return result
    return msgspec.structs.replace(result, checks=checks)
