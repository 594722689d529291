"""
Mutants: the reference with one planted fault each, and what finds them.

A mutant is killed by vectors if a vector that cites its clause shows a finding
of that clause which the reference does not show. It is killed by generation if
generated cases alone do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from toolassay.generation import breaks
from toolassay.planted import AnyMutant
from toolassay.properties.generator import generate
from toolassay.properties.mutants import OracleMutant
from toolassay.properties.verdict import Verdict
from toolassay.results import CaseFinished, CaseResult, Event, RunStarted
from toolassay.runner import Plan
from toolassay.runner import run as run_plan
from toolassay.runner.rules import rules_for
from toolassay.selection import cited
from toolassay.simulator.mutants.mutant import Mutant
from toolassay.simulator.reference import Reference
from toolassay.spec.case import Case, Expectation
from toolassay.statuses import NOT_JUDGED
from toolassay.targets.sim import SimTarget

BUDGET = 2_500
"""Generated cases per mutant, if nothing else is said."""

Found = tuple[str, str]
"""A case and the name of a check that failed in it."""


class MutantReport(msgspec.Struct, frozen=True):
    """What became of one mutant."""

    name: str
    """The mutant."""
    clause: str
    """The clause that it breaks."""
    fault: str
    """What it does wrong."""
    applied: bool
    """Whether it could be made."""
    reached: bool
    """Whether a case came to the planted fault."""
    cases: int
    """Number of shipped cases that cite its clause."""
    killed_by_vectors: bool
    """Whether one of them found it."""
    killers: tuple[str, ...]
    """The cases that did."""
    killed_by_generation: bool | None
    """Whether generated cases found it; None if none were wanted."""
    examples: int | None
    """Number of generated cases until it was found; None if it was not."""

    @property
    def survives(self) -> bool:
        """Tell whether something that should have found it did not."""
        return not self.killed_by_vectors or self.killed_by_generation is False


def examine(
    mutants: Sequence[AnyMutant],
    cases: Sequence[Case],
    *,
    seed: int = 0,
    budget: int = BUDGET,
) -> Iterator[MutantReport]:
    """
    Hold mutants against vectors and generated cases, one by one.

    Args:
        mutants: The mutants.
        cases: The shipped cases.
        seed: The seed of the simulator and of generation.
        budget: Generated cases per mutant; none if 0.
    """
    for mutant in mutants:
        mine = [case for case in cases if mutant.clause in cited(case)]
        if isinstance(mutant, OracleMutant):
            yield _oracle_examined(mutant, mine, seed, budget)
        else:
            yield _examined(mutant, mine, seed, budget)


def _examined(mutant: Mutant, cases: Sequence[Case], seed: int, budget: int) -> MutantReport:
    made = mutant.make()
    found = findings_of(made, mutant.clause, cases, seed)
    known = findings_of(Reference(), mutant.clause, cases, seed) if found else frozenset[Found]()
    killers = tuple(dict.fromkeys(case for case, _ in sorted(found - known)))
    examples = find_by_generation(mutant, mutant.clause, seed, budget) if budget else None
    return MutantReport(
        mutant.name,
        mutant.clause,
        mutant.fault,
        applied=True,
        reached=made.faults > 0,
        cases=len(cases),
        killed_by_vectors=bool(killers),
        killers=killers,
        killed_by_generation=(examples is not None) if budget else None,
        examples=examples,
    )


def _oracle_examined(
    mutant: OracleMutant, cases: Sequence[Case], seed: int, budget: int
) -> MutantReport:
    """Hold a mutant of the oracle against what the reference shows."""
    killers = []
    reference = Reference()
    for case in cases:
        if case.scenario is not None:
            seen = reference.turn_run(case.scenario, seed)
            if _fails(mutant.judge(seen, case), mutant.clause):
                killers.append(case.id)
    examples = find_oracle_by_generation(mutant, seed, budget) if budget else None
    return MutantReport(
        mutant.name,
        mutant.clause,
        mutant.fault,
        applied=True,
        reached=bool(killers),
        cases=len(cases),
        killed_by_vectors=bool(killers),
        killers=tuple(killers),
        killed_by_generation=(examples is not None) if budget else None,
        examples=examples,
    )


def _fails(verdicts: Sequence[Verdict], clause: str) -> bool:
    return any(verdict.clause == clause and verdict.status == "fail" for verdict in verdicts)


def findings_of(
    simulator: Reference, clause: str, cases: Sequence[Case], seed: int
) -> frozenset[Found]:
    """Run cases on a simulator, and give the checks of one clause that fail."""
    found: list[CaseResult] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            found.append(event.result)

    target = SimTarget(simulator)
    rules = rules_for("", {clause: "fail"}, {}, (clause,))
    about = RunStarted("sim", "sim", "", True, "", seed, len(cases), "")  # noqa: FBT003 - a value
    run_plan(Plan(target, cases, rules, about, seed=seed), take)
    return frozenset(_failed(found, clause))


def _failed(results: Collection[CaseResult], clause: str) -> Iterator[Found]:
    for result in results:
        for check in result.checks:
            if check.clause == clause and (check.status == "fail" or check.status in NOT_JUDGED):
                yield result.case.id, check.check


# --- generation -----------------------------------------------------------------------------


def find_by_generation(mutant: Mutant, clause: str, seed: int, budget: int) -> int | None:
    """
    Look for a mutant with generated cases alone.

    Args:
        mutant: The mutant.
        clause: The clause whose findings count.
        seed: The seed of generation.
        budget: The number of cases to try.

    Returns:
        The number of cases until it was found; None if it was not.
    """
    target, reference = SimTarget(mutant.make()), SimTarget()
    operations = target.implementation.operations
    for index in range(budget):
        case = generate(seed, index, operations)
        if breaks(target, case, clause, seed) and not breaks(reference, case, clause, seed):
            return index + 1
    return None


def find_oracle_by_generation(mutant: OracleMutant, seed: int, budget: int) -> int | None:
    """Look for a mutant of the oracle with generated cases alone; as `find_by_generation`."""
    reference = Reference()
    expect = (Expectation(mutant.clause, holds=True),)
    for index in range(budget):
        case = msgspec.structs.replace(generate(seed, index, ("turn/run",)), expect=expect)
        assert case.scenario is not None, "a turn has a scenario"
        seen = reference.turn_run(case.scenario, seed)
        if _fails(mutant.judge(seen, case), mutant.clause):
            return index + 1
    return None
