"""
Relations: cases of one vector whose observations are judged together.

The check of a relation belongs to the case in which its axis has its default
value, which has the id of the group.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolassay.properties.relations import relate
from toolassay.results import CaseResult, Check
from toolassay.runner.judging import scored
from toolassay.runner.rules import Rules
from toolassay.spec.case import Case, RelationRef
from toolassay.spec.observation import Observation
from toolassay.statuses import worst


def judge_relations(results: Sequence[CaseResult], rules: Rules) -> list[CaseResult]:
    """
    Add the checks of relations to the results of one vector.

    Args:
        results: The results of the vector's cases, in order.
        rules: What is judged, and how it is scored.
    """
    groups: dict[RelationRef, list[int]] = {}
    for index, result in enumerate(results):
        for reference in result.case.relations:
            if rules.clauses is None or reference.clause in rules.clauses:
                groups.setdefault(reference, []).append(index)
    judged = list(results)
    for reference, members in groups.items():
        owner = next((i for i in members if results[i].case.id == reference.group), members[0])
        judged[owner] = _with(judged[owner], _check(reference, members, results, rules))
    return judged


def _check(
    reference: RelationRef, members: list[int], results: Sequence[CaseResult], rules: Rules
) -> Check:
    seen: list[tuple[Case, Observation]] = []
    for index in members:
        observation = results[index].observation
        if observation is not None:
            seen.append((results[index].case, observation))
    name = f"relation.{reference.clause}"
    if len(seen) < 2:
        return Check(reference.clause, name, "not_applicable", (), "relation of one case alone")
    (check,) = scored((relate(reference.clause, seen),), rules)
    return msgspec.structs.replace(check, check=name)


def _with(result: CaseResult, check: Check) -> CaseResult:
    """Add a check to a result; a case that did not apply stays so."""
    checks = (*result.checks, check)
    status = worst((result.status, check.status))
    return msgspec.structs.replace(result, checks=checks, status=status)
