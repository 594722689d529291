"""
Generated cases: run like vectors; what breaks in one is made small and kept.

A case of a seed brings its twins along (the same replies in one piece, the
same run without a stalled subscriber), so that relations are judged too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from toolassay.authoring.features import features_of
from toolassay.properties.choices import shrink
from toolassay.properties.generator import generate_with_choices, operation_at, replay, twins
from toolassay.properties.judge import judge
from toolassay.properties.relations import relate
from toolassay.results import CaseResult
from toolassay.spec.case import Case, RelationRef
from toolassay.spec.observation import Observation
from toolassay.targets.base import Target

PREFIX = "generated."
"""How the ids of generated cases begin."""

TRIES = 300
"""Runs of the target that one shrink may take."""

KEPT_MAX = 20
"""Minimal vectors that one run keeps, one per broken clause."""

FOLDER = "toolassay-found"
"""Where minimal vectors go, unless a folder is named."""


class Kept(msgspec.Struct, frozen=True):
    """A minimal vector that was written."""

    clause: str
    """The clause that it shows broken."""
    path: Path
    """The file."""


def generated_cases(seed: int, count: int, operations: Sequence[str]) -> Iterator[Case]:
    """Give the cases of a seed, each followed by its twins."""
    for index in range(count):
        case, _ = generate_with_choices(seed, index, tuple(operations))
        family = twins(case)
        groups = tuple(RelationRef(clause, f"{case.id}/{clause}") for clause, _ in family)
        yield _asking(msgspec.structs.replace(case, relations=groups))
        for group, (clause, twin) in zip(groups, family, strict=True):
            identifier = f"{case.id}-beside-{clause.lower()}"
            yield _asking(msgspec.structs.replace(twin, id=identifier, relations=(group,)))


def _asking(case: Case) -> Case:
    """Say which features a case asks for."""
    return msgspec.structs.replace(case, features=features_of(case.scenario))


def keep_minimal(
    target: Target,
    results: Sequence[CaseResult],
    seed: int,
    deadline_s: float,
    folder: Path,
) -> Iterator[Kept]:
    """
    Write a minimal vector for each clause that generated cases show broken.

    Args:
        target: The implementation, still open; it is run again to shrink.
        results: Results of the run; those of generated cases are looked at.
        seed: The seed of the run.
        deadline_s: Seconds that one case may take.
        folder: Where the files go; made if it is not there.

    Raises:
        OSError: A file cannot be written.
    """
    for clause, index in _firsts(results):
        case = minimal(target, clause, seed, index, deadline_s)
        if case is None:
            continue  # the fault did not show again: nothing that could be handed on
        from toolassay.authoring.emit import found_vector  # noqa: PLC0415 - needs yaml

        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{clause.lower()}-seed-{seed}-case-{index}.yaml"
        path.write_text(found_vector(case, clause, f"seed {seed} case {index}"), encoding="utf-8")
        yield Kept(clause, path)


def _firsts(results: Sequence[CaseResult]) -> list[tuple[str, int]]:
    """Give each broken clause with the index of the first generated case that shows it."""
    firsts: dict[str, int] = {}
    for result in results:
        if not result.case.id.startswith(PREFIX):
            continue
        index = int(result.case.vector.rsplit("-", 1)[1])
        for check in result.checks:
            if check.status == "fail" and check.clause:
                firsts.setdefault(check.clause, index)
    return list(firsts.items())[:KEPT_MAX]


def minimal(target: Target, clause: str, seed: int, index: int, deadline_s: float) -> Case | None:
    """
    Make the index-th case of a seed as small as it can be and still break a clause.

    Returns:
        The smallest case found; None if the fault does not show again.
    """
    operations = tuple(target.implementation.operations)
    operation = operation_at(index, operations)
    _, choices = generate_with_choices(seed, index, operations)
    left = TRIES

    def fails(candidate: Sequence[int]) -> bool:
        nonlocal left
        left -= 1
        case = _asking(replay(operation, list(candidate)))
        return left >= 0 and breaks(target, case, clause, seed, deadline_s)

    return _asking(replay(operation, shrink(choices, fails))) if fails(choices) else None


def breaks(target: Target, case: Case, clause: str, seed: int, deadline_s: float) -> bool:
    """Tell whether a case, or it beside one of its twins, breaks a clause."""
    seen = _seen(target, case, seed, deadline_s)
    if seen is None:
        return False
    verdicts = judge(seen, case.scenario, case, frozenset((clause,)))
    if any(verdict.status == "fail" for verdict in verdicts):
        return True
    for related, twin in twins(case):
        other = _seen(target, twin, seed, deadline_s) if related == clause else None
        if other is not None and relate(clause, [(case, seen), (twin, other)]).status == "fail":
            return True
    return False


def _seen(target: Target, case: Case, seed: int, deadline_s: float) -> Observation | None:
    """Run a case, if the target can be asked for what it needs."""
    if not set(_asking(case).features) <= set(target.implementation.features):
        return None
    answer = target.run(case, seed, deadline_s)
    return answer.observation if answer.status == "ok" else None
