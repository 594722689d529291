"""
What the reference makes of authored cases, and whether it keeps their clauses.

A vector that its own reference breaks is wrong, or the oracle is, or the
reference; which of them is for people to find out, so nothing is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from toolassay.authoring import errors
from toolassay.authoring.lint import AuthoredCase
from toolassay.properties.judge import judge
from toolassay.properties.relations import relate
from toolassay.properties.verdict import Verdict
from toolassay.simulator.reference import Reference
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation
from toolassay.spec.yaml_text import Path

__all__ = ["SEED", "Exemplified", "exemplify", "observed"]

SEED: Final = 0
"""Seed with which the reference runs."""

_EXPECTATION: Final = re.compile(r"expect\.\w+\.(\d+)")


class Exemplified(msgspec.Struct, frozen=True):
    """Cases with their examples, and what is wrong with these."""

    cases: tuple[Case, ...]
    """The cases, in order, each with its example."""
    errors: tuple[errors.ReferenceVerdictError, ...]
    """What the reference breaks."""


def exemplify(authored: Sequence[AuthoredCase], reference: Reference | None = None) -> Exemplified:
    """
    Run the reference on cases and judge what it shows.

    Args:
        authored: The cases.
        reference: What to run in the reference's place.
    """
    runner = Reference() if reference is None else reference
    pairs = [(item, observed(runner, item.case)) for item in authored]
    faults = [error for item, example in pairs for error in _case_faults(item, example)]
    faults += _relation_faults(pairs)
    cases = tuple(msgspec.structs.replace(item.case, example=example) for item, example in pairs)
    return Exemplified(cases, tuple(faults))


def observed(reference: Reference, case: Case) -> Observation:
    """Ask the reference for what a case asks."""
    if case.scenario is not None:
        return reference.turn_run(case.scenario, SEED)
    if case.event is not None:
        return Observation(outcome=reference.event_validate(case.event))
    assert case.arguments is not None, "a case has one input"
    return Observation(outcome=reference.arguments_sanitize(case.arguments))


def _case_faults(
    item: AuthoredCase, example: Observation
) -> Iterator[errors.ReferenceVerdictError]:
    for verdict in judge(example, item.case.scenario, item.case):
        expectation = _EXPECTATION.fullmatch(verdict.check)
        path = item.paths[int(expectation[1])] if expectation else item.vector.path
        if verdict.status == "fail" or (expectation and verdict.status == "not_applicable"):
            yield _error(item, path, verdict)


def _relation_faults(
    pairs: Sequence[tuple[AuthoredCase, Observation]],
) -> Iterator[errors.ReferenceVerdictError]:
    groups: dict[tuple[str, str], list[tuple[AuthoredCase, Observation]]] = {}
    for item, example in pairs:
        for ref in item.case.relations:
            groups.setdefault((ref.clause, ref.group), []).append((item, example))
    for (clause, _), members in groups.items():
        verdict = relate(clause, [(item.case, example) for item, example in members])
        if verdict.status in {"fail", "not_applicable"}:
            first = members[0][0]
            paths = (one.path for one in first.vector.relate if one.clause == clause)
            yield _error(first, next(paths), verdict)


def _error(item: AuthoredCase, path: Path, verdict: Verdict) -> errors.ReferenceVerdictError:
    case, cited = item.case.id, f"{verdict.clause} ({verdict.check})"
    if verdict.findings:
        finding = verdict.findings[0]
        what = f"{case} breaks {cited}: expected {finding.expected}, observed {finding.observed}"
    else:
        what = f"{case} shows nothing of {cited}: {verdict.why}"
    return errors.ReferenceVerdictError.at(item.vector.document, path, what)
