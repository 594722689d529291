"""
Cases of one vector, and one worker that goes through them.

Relations join the cases of a vector, and timeouts are counted in it, so they
stay together. A target that can send cases ahead is told what comes next.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import groupby

from toolassay.results import CaseResult
from toolassay.runner.applies import reason_against
from toolassay.runner.judging import offered, run_case, spared
from toolassay.runner.plan import Plan
from toolassay.runner.relating import judge_relations
from toolassay.runner.repeating import held_against
from toolassay.runner.rules import Rules
from toolassay.spec.case import Case
from toolassay.spec.errors import TargetError
from toolassay.targets.base import Foreseeing, Target

TIMEOUTS_MAX = 5
"""Cases of one vector in a row that may time out before the rest of it is left out."""

Group = tuple[Case, ...]
"""The cases of one vector, in order."""

RunOne = Callable[[Case], CaseResult]
"""Runs one case and judges it."""

Results = Generator[list[CaseResult], None, None]
"""Groups of results, in order."""


class CutShortError(Exception):
    """A group of cases was ended in its midst; what it had come to is not lost."""

    def __init__(self, results: Sequence[CaseResult], reason: BaseException) -> None:
        super().__init__()
        self.results = results
        self.reason = reason


def by_one(plan: Plan) -> Results:
    """Run all cases on one target."""
    run_one = runner_of(plan, plan.target)
    foretell(plan, plan.target, plan.cases)
    for group in groups_of(plan.cases):
        if _related(group):
            yield judged(plan, group, run_one)
        else:  # nobody waits for the others
            for case in group:
                yield [run_one(case)]


def groups_of(cases: Sequence[Case]) -> Iterator[Group]:
    """Keep the cases of a vector together: relations join them, and timeouts are counted."""
    for _, group in groupby(cases, key=lambda case: case.vector):
        yield tuple(group)


def judged(plan: Plan, group: Group, run_one: RunOne) -> list[CaseResult]:
    """Run the cases of one vector, and judge them alone and together."""
    results: list[CaseResult] = []
    try:
        for case in group:
            results.append(run_one(case))  # noqa: PERF401 - what came before an end is kept
    except (TargetError, KeyboardInterrupt) as reason:
        raise CutShortError(results, reason) from None
    return judge_relations(results, plan.rules) if _related(group) else results


def _related(group: Group) -> bool:
    """Tell whether some cases of a vector are judged together."""
    return any(case.relations for case in group)


def foretell(plan: Plan, target: Target, cases: Sequence[Case]) -> None:
    """Tell a target what it will be asked, if it makes use of that."""
    if isinstance(target, Foreseeing) and target.window > 1:
        offer, needs = offered(target.implementation), plan.rules.needs
        applicable = (case for case in cases if not reason_against(case, offer, needs))
        asked = [one for case in applicable for one in [case] * (1 + (case.id in plan.repeated))]
        target.foresee(asked, plan.seed, plan.deadline_s)


def runner_of(plan: Plan, target: Target) -> RunOne:
    """Prepare to run cases on a target."""
    offer = offered(target.implementation)
    rules, seed, deadline_s = plan.rules, plan.seed, plan.deadline_s

    def run_one(case: Case) -> CaseResult:
        result = run_case(target, case, rules, seed=seed, deadline_s=deadline_s, offer=offer)
        if case.id not in plan.repeated:
            return result
        return held_against(result, lambda: target.run(case, seed, deadline_s))

    # Where timeouts are pinned, every case counts.
    return run_one if plan.ledger is not None else _sparing(run_one, rules)


def _sparing(run_one: RunOne, rules: Rules) -> RunOne:
    """Leave out the rest of a vector whose cases time out one after the other."""
    vector, in_a_row = "", 0

    def run_or_spare(case: Case) -> CaseResult:
        nonlocal vector, in_a_row
        if case.vector != vector:
            vector, in_a_row = case.vector, 0
        if in_a_row >= TIMEOUTS_MAX:
            return spared(case, rules, f"{in_a_row} cases of this vector in a row timed out")
        result = run_one(case)
        if result.status == "timeout":
            in_a_row += 1
        elif result.status != "not_applicable":
            in_a_row = 0
        return result

    return run_or_spare
