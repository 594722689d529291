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
from toolassay.fitting import fitted
from toolassay.properties.choices import shrink
from toolassay.properties.generator import (
    generate,
    generate_with_choices,
    operation_at,
    replay,
    twins,
)
from toolassay.properties.judge import judge
from toolassay.properties.relations import relate
from toolassay.results import CaseResult
from toolassay.spec.case import Case, RelationRef
from toolassay.spec.observation import Observation
from toolassay.targets.base import DEADLINE_S, Implementation, Target

PREFIX = "generated."
"""How the ids of generated cases begin."""

TRIES = 1_000
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


def generated_cases(seed: int, count: int, about: Implementation) -> Iterator[Case]:
    """Give the cases of a seed, made to fit an implementation, each followed by its twins."""
    for index in range(count):
        case = _fit(generate(seed, index, about.operations), about)
        family = twins(case)
        groups = tuple(RelationRef(clause, f"{case.id}/{clause}") for clause, _ in family)
        yield _asking(msgspec.structs.replace(case, relations=groups))
        for group, (clause, twin) in zip(groups, family, strict=True):
            identifier = f"{case.id}-beside-{clause.lower()}"
            yield _asking(msgspec.structs.replace(twin, id=identifier, relations=(group,)))


def _fit(case: Case, about: Implementation) -> Case:
    if case.scenario is None:
        return case
    return msgspec.structs.replace(case, scenario=fitted(case.scenario, about.features))


def _asking(case: Case) -> Case:
    """Say which features a case asks for."""
    return msgspec.structs.replace(case, features=features_of(case.scenario))


class Findings:
    """Collects which clauses generated cases show broken, and makes vectors of them."""

    def __init__(self) -> None:
        self._firsts: dict[str, int] = {}

    def take(self, result: CaseResult) -> None:
        """Note the clauses that a generated case breaks first."""
        if not result.case.id.startswith(PREFIX):
            return
        index = int(result.case.vector.rsplit("-", 1)[1])
        for check in result.checks:
            if check.status == "fail" and check.clause and len(self._firsts) < KEPT_MAX:
                self._firsts.setdefault(check.clause, index)

    def keep(self, target: Target, seed: int, deadline_s: float, folder: Path) -> Iterator[Kept]:
        """
        Write a minimal vector for each clause.

        Args:
            target: The implementation, still open; it is run again to shrink.
            seed: The seed of the run.
            deadline_s: Seconds that one case may take.
            folder: Where the files go; made if it is not there.

        Raises:
            OSError: A file cannot be written.
        """
        for clause, index in self._firsts.items():
            case = minimal(target, clause, seed, index, deadline_s)
            if case is not None:  # else the fault did not show again: nothing to hand on
                yield _written(case, clause, f"seed {seed} case {index}", folder)


def _written(case: Case, clause: str, where: str, folder: Path) -> Kept:
    from toolassay.authoring.emit import found_vector  # noqa: PLC0415 - needs yaml

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{clause.lower()}-{where.replace(' ', '-')}.yaml"
    path.write_text(found_vector(case, clause, where), encoding="utf-8")
    return Kept(clause, path)


def minimal(target: Target, clause: str, seed: int, index: int, deadline_s: float) -> Case | None:
    """
    Make the index-th case of a seed as small as it can be and still break a clause.

    Returns:
        The smallest case found; None if the fault does not show again.
    """
    about = target.implementation
    operation = operation_at(index, about.operations)
    _, choices = generate_with_choices(seed, index, about.operations)

    def made(candidate: Sequence[int]) -> Case:
        return _fit(replay(operation, list(candidate)), about)

    def fails(candidate: Sequence[int]) -> bool:
        return breaks(target, made(candidate), clause, seed, deadline_s)

    return made(shrink(choices, fails, TRIES)) if fails(choices) else None


def breaks(
    target: Target, case: Case, clause: str, seed: int, deadline_s: float = DEADLINE_S
) -> bool:
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
